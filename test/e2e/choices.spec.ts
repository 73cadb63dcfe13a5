import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { openDatabase } from '../../backend/db/index.ts';
import { makeManyClients } from '../../bench/support/many-clients.ts';
import { launchApp } from './support/app.ts';
import { inBothThemes } from './support/themes.ts';

const many = 1500;

async function goTo(page: Page, section: string): Promise<void> {
  await page.getByRole('link', { name: section, exact: true }).click();
  await expect(page.getByRole('heading', { level: 1, name: section })).toBeVisible({ timeout: 30_000 });
}

/** Whether a person sees where the keyboard is. */
const focusIsSeen = (page: Page) =>
  page.evaluate(() => {
    const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement ?? document.body);
    return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2;
  });

test('one of many clients is found by its name wherever one is chosen, by the keyboard alone', async () => {
  test.setTimeout(240_000);
  const work = mkdtempSync(join(tmpdir(), 'strongroom-choices-'));
  const app = await launchApp({ home: join(work, 'home') });
  try {
    const { page } = app;
    await page.getByRole('button', { name: 'Use this computer' }).click();
    await goTo(page, 'Clients');
    await expect(page.getByRole('tree', { name: 'Clients' }).getByRole('treeitem').first()).toBeVisible();
    const catalogue = await openDatabase({
      kind: 'sqlite',
      path: join(work, 'home', 'backend', 'strongroom.db'),
    });
    await makeManyClients(catalogue, many);
    await catalogue.close();

    // A search beside the choice asks the server, Enter takes the first that was found.
    await goTo(page, 'Tasks');
    await page.getByRole('button', { name: 'New backup' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'New backup' });
    const client = dialog.getByRole('combobox', { name: 'Client' });
    await expect(client.getByRole('option')).toHaveCount(500);
    await expect(dialog.getByText(/^The first 500 of 1,501 are listed/)).toBeVisible();
    const find = dialog.getByRole('searchbox', { name: 'Find by name' });
    await find.focus();
    await page.keyboard.type('host149');
    await expect(dialog.getByText('11 found')).toBeVisible();
    await page.keyboard.press('Enter');
    await expect(client).toHaveValue(/^host149 \(/);
    expect(await focusIsSeen(page)).toBe(true);
    await inBothThemes(page, 'choice-of-many');
    // Escape empties the search, then it says that the choice is not saved, then it closes the dialog.
    await page.keyboard.press('Escape');
    await expect(find).toHaveValue('');
    await expect(client).toHaveValue(/^host149 \(/);
    await page.keyboard.press('Escape');
    await expect(dialog.getByRole('alert')).toContainText('not saved');
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();

    // The palette leads to the client itself, and a backup begins with it.
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search everything' }).fill('host1234');
    await page.getByRole('option', { name: /^host1234 / }).click();
    const details = page.getByRole('region', { name: 'Client details' });
    await expect(details.getByRole('heading', { name: 'host1234' })).toBeVisible({ timeout: 30_000 });
    await page.getByRole('button', { name: 'New backup' }).click();
    await expect(client).toHaveValue(/^host1234 \(/);
    await page.keyboard.press('Escape');

    // What was found and selected is there after another look at the section.
    await goTo(page, 'Tasks');
    await page.keyboard.press('/');
    await expect(page.getByRole('searchbox', { name: 'Search Tasks' })).toBeFocused();
    expect(await focusIsSeen(page)).toBe(true);
    await goTo(page, 'Clients');
    await expect(page.getByRole('searchbox', { name: 'Search Clients' })).toHaveValue('host1234');
    await expect(details.getByRole('heading', { name: 'host1234' })).toBeVisible();
  } finally {
    await app.close();
    rmSync(work, { recursive: true, force: true });
  }
});
