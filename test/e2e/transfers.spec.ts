import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Locator, type Page, test } from '@playwright/test';
import { type LaunchedApp, launchApp } from './support/app.ts';
import { backUp } from './support/servers.ts';
import { inBothThemes } from './support/themes.ts';

/** Copies brought to a second pool through the window, by the real engine. */
test('a copy is copied to a second pool and moved there, and what the server refuses says why', async () => {
  test.setTimeout(180_000);
  const work = mkdtempSync(join(tmpdir(), 'strongroom-transfers-'));
  const source = join(work, 'papers');
  const second = join(work, 'second');
  mkdirSync(source);
  mkdirSync(second);
  writeFileSync(join(source, 'a.txt'), 'first'.repeat(5000));
  const app = await launchApp({ home: join(work, 'home') });
  try {
    const { page } = app;
    await page.getByRole('button', { name: 'Use this computer' }).click();
    await makePool(page, 'Second', 'File system');
    await makePool(page, 'Sky', 'Cloud');
    await goTo(page, 'Storages');
    await fill(page, 'New storage', async (dialog) => {
      await dialog.getByLabel('Path').fill(second);
      await dialog.getByLabel('Pool').selectOption('Second');
      await dialog.getByRole('button', { name: 'Add storage' }).click();
    });
    await goTo(page, 'Tasks');
    await backUp(page, source);
    await expect(rows(page, 'Tasks', 'papers').first()).toContainText('Done', { timeout: 60_000 });

    await goTo(page, 'Copies');
    const copies = rows(page, 'Copies', 'papers');
    await expect(copies).toHaveCount(1);
    await copies.first().click();
    const details = page.getByRole('region', { name: 'Copy details' });
    const [, first] =
      /Copy (\d+)/.exec((await details.getByRole('heading').first().textContent()) ?? '') ?? [];
    await expect(fact(details, 'Pool')).toHaveText('Default');

    await expectOneLine(app);
    // By the keyboard: the menu of the row, and Enter in the dialog.
    await page.getByRole('grid', { name: 'Copies' }).focus();
    await page.keyboard.press('Shift+F10');
    await page.getByRole('menuitem', { name: 'Copy to…' }).press('Enter');
    const copying = page.getByRole('dialog', { name: 'Copy to another pool' });
    const target = copying.getByLabel('Target pool');
    const begin = copying.getByRole('button', { name: 'Start copying' });
    await expect(begin).toHaveAttribute('title', 'Choose the target pool');
    await target.selectOption('Sky');
    await begin.press('Enter');
    await expect(copying.getByRole('alert')).toContainText('1 copy was refused');
    await expect(
      copying.getByText(/Target pool is of type Cloud.*choose a pool of type/).first(),
    ).toBeVisible();
    await expect(target).toBeFocused();
    await inBothThemes(page, 'copy-to-pool-refused');
    await target.selectOption('Second');
    await expect(copying.getByRole('list', { name: 'Copies to copy' })).toContainText('comes into Second');
    await inBothThemes(page, 'copy-to-pool');
    await begin.press('Enter');
    await expect(copying).toBeHidden();
    await page.getByRole('button', { name: 'Show task' }).last().click();
    const task = page.getByRole('region', { name: 'Task details' });
    await expect(task).toContainText('Copy');
    await expect(task).toContainText('Done', { timeout: 60_000 });

    await goTo(page, 'Copies');
    await expect(copies).toHaveCount(2);
    // The newest stands at the top, and has another number.
    await copies.first().click();
    await expect(fact(details, 'Pool')).toHaveText('Second');
    await expect(details.getByRole('heading', { name: `Copy ${first}`, exact: true })).toHaveCount(0);
    await copies.last().click();
    await expect(details.getByRole('heading', { name: `Copy ${first}`, exact: true })).toBeVisible();
    await expect(fact(details, 'Pool')).toHaveText('Default');
    const before = filesBelow(second);

    await page
      .getByRole('toolbar', { name: 'Copy actions' })
      .getByRole('button', { name: 'Move to…' })
      .click();
    const moving = page.getByRole('dialog', { name: 'Move to another pool' });
    await moving.getByLabel('Target pool').selectOption('Second');
    await expect(moving.getByRole('list', { name: 'Copies to move' })).toContainText('leaves Default');
    await inBothThemes(page, 'move-to-pool');
    await moving.getByRole('button', { name: 'Start moving' }).click();
    await expect(moving).toBeHidden();
    await expect(fact(details, 'Pool')).toHaveText('Second', { timeout: 60_000 });
    await expect(details.getByRole('heading', { name: `Copy ${first}`, exact: true })).toBeVisible();
    await expect(copies).toHaveCount(2);
    expect(filesBelow(second)).toBeGreaterThan(before);
    await goTo(page, 'Pools');
    await rows(page, 'Pools', 'Default').first().click();
    await expect(fact(page.getByRole('region', { name: 'Pool details' }), 'Copies')).toHaveText('0');

    await page.keyboard.press('Control+,');
    const preferences = page.getByRole('dialog', { name: 'Preferences' });
    await preferences.getByLabel('Language').selectOption({ label: 'Русский' });
    await preferences.getByRole('button', { name: 'Save' }).click();
    const russian = page.getByRole('navigation', { name: 'Разделы' });
    await russian.getByRole('link', { name: 'Копии', exact: true }).click();
    await rows(page, 'Копии', 'papers').first().click();
    await expectOneLine(app);
    await page.getByRole('button', { name: 'Переместить в…' }).click();
    const inRussian = page.getByRole('dialog', { name: 'Перемещение в другой пул' });
    await inRussian.getByLabel('Целевой пул').selectOption('Default');
    await expect(inRussian.getByText(/Перейдёт в Default .* покинет Second/)).toBeVisible();
    await inBothThemes(page, 'move-to-pool-russian');
  } finally {
    await app.close();
    rmSync(work, { recursive: true, force: true });
  }
});

async function goTo(page: Page, section: string): Promise<void> {
  const sections = page.getByRole('navigation', { name: 'Sections' });
  await sections.getByRole('link', { name: section, exact: true }).click({ timeout: 30_000 });
  await expect(page.getByRole('heading', { level: 1, name: section })).toBeVisible({ timeout: 30_000 });
}

async function fill(page: Page, button: string, work: (dialog: Locator) => Promise<void>): Promise<void> {
  await page.getByRole('button', { name: button, exact: true }).first().click();
  const dialog = page.getByRole('dialog', { name: button });
  await work(dialog);
  await expect(dialog).toBeHidden();
}

async function makePool(page: Page, name: string, type: string): Promise<void> {
  await goTo(page, 'Pools');
  await fill(page, 'New pool', async (dialog) => {
    await dialog.getByLabel('Name').fill(name);
    await dialog.getByLabel('Type').selectOption(type);
    await dialog.getByRole('button', { name: 'Create pool' }).click();
  });
}

function rows(page: Page, grid: string, text: string): Locator {
  return page.getByRole('grid', { name: grid, exact: true }).getByRole('row').filter({ hasText: text });
}

function filesBelow(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    .length;
}

/** The value beside a name in the details of an object. */
function fact(details: Locator, name: string): Locator {
  return details.locator(`dt:text-is("${name}") + dd`);
}

/** All that the toolbar of the list offers stands side by side, in a window of any width from 1,280 pixels on. */
async function expectOneLine({ app, page }: LaunchedApp): Promise<void> {
  const size = await page.evaluate(() => ({ width: innerWidth, height: innerHeight }));
  for (const width of [1280, 1370, 1490, 1650, 1730, 1810, 1280]) {
    await app.evaluate(
      ({ BrowserWindow }, [wide, high]) => {
        BrowserWindow.getAllWindows()[0]?.setContentSize(wide, high);
      },
      [width, size.height] as const,
    );
    await expect.poll(() => page.evaluate(() => innerWidth)).toBe(width);
    const tops = await page
      .locator('.toolbar button')
      .evaluateAll((buttons) => buttons.map((button) => Math.round(button.getBoundingClientRect().top)));
    expect(tops.length).toBeGreaterThan(6);
    expect(new Set(tops).size, `at ${width}, tops of the buttons: ${tops.join(' ')}`).toBe(1);
  }
}
