import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Locator, type Page, test } from '@playwright/test';
import { startTapeLibrary } from '../lab/tape/tape-library.ts';
import { launchApp, screenshot } from './support/app.ts';
import { inBothThemes } from './support/themes.ts';

const cartridges = ['SR0001L8', 'SR0002L8', 'SR0003L8', 'CLN001L1'];

const text = 'Dear reader, '.repeat(10_000);
const readOrEmpty = (path: string): string => (existsSync(path) ? readFileSync(path, 'utf8') : '');

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
  writeFileSync(join(documents, 'letter.txt'), text);
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
      await screenshot(page, 'tape-add-error');
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
    });

    await test.step('a cartridge is moved by keyboard and by dragging', async () => {
      await grid('Tape libraries').getByRole('row', { name: /Tapes/ }).dblclick();
      await expect(place('Slot 1')).toHaveAccessibleName('Slot 1 SR0001L8 unlabelled pool Tapes');
      await place('Slot 1').click();
      await screenshot(page, 'tape-board');
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
    await test.step('a cartridge that nobody registered stops the synchronisation and is registered there (case 132)', async () => {
      await lab.makeCartridge('NEW001L8');
      await lab.place('mail', 768, 'NEW001L8');
      await page.getByRole('button', { name: 'Sync' }).click();
      const dialog = page.getByRole('dialog', { name: 'Register cartridges' });
      await expect(dialog.getByRole('checkbox', { name: 'NEW001L8 in Import/export 1' })).toBeChecked();
      await inBothThemes(page, 'tape-unregistered');
      await dialog.getByRole('button', { name: 'Register 1 cartridge' }).click();
      await expect(dialog).toBeHidden();
      await expect(page.getByText('TAPE-LIBRARY: 5 cartridges in 8 slots.')).toBeVisible();
      await expect(place('Import/export 1')).toHaveAccessibleName(
        'Import/export 1 NEW001L8 unlabelled pool Tapes',
      );
    });

    await test.step('a backup goes to tape, and the board shows which cartridge holds it', async () => {
      await goTo(page, 'Tasks');
      await page.getByRole('button', { name: 'New backup' }).first().click();
      const dialog = page.getByRole('dialog', { name: 'New backup' });
      await dialog.getByLabel('Folder').fill(documents);
      await dialog.getByLabel('Pool').selectOption('Tapes');
      await dialog.getByRole('button', { name: 'Start backup' }).click();
      await expect(dialog).toBeHidden();
      await expect(grid('Tasks').getByRole('row', { name: /Done/i })).toBeVisible({ timeout: 30_000 });
      await goTo(page, 'Tape libraries');
      await tab('Cartridges');
      const row = grid('Cartridges').getByRole('row', { name: /labelled Slot Tapes – 1/ });
      await row.click();
      await expect(page.getByRole('region', { name: 'Cartridge details' })).toContainText('SR0001L8');
      await inBothThemes(page, 'tape-cartridges');
    });

    await test.step('a cartridge is labelled and read by tasks, and the list follows them', async () => {
      const row = grid('Cartridges').getByRole('row', { name: /SR0003L8/ });
      await row.click();
      await expect(row).toContainText('unlabelled');
      await page.getByRole('button', { name: 'Label…' }).click();
      await page.getByRole('button', { name: 'Write label' }).click();
      await expect(page.getByText(/^Task \d+ labels SR0003L8\.$/)).toBeVisible();
      await expect(row).not.toContainText('unlabelled', { timeout: 30_000 });
      await page.getByRole('button', { name: 'Read…' }).click();
      await page.getByRole('button', { name: 'Read cartridge' }).click();
      const told = page.getByText(/^Task \d+ reads SR0003L8\.$/);
      await expect(told).toBeVisible();
      await screenshot(page, 'tape-task-told');
      await page.getByRole('button', { name: 'Show task' }).last().click();
      const task = grid('Tasks').getByRole('row', { name: /Scan a tape.*SR0003L8/ });
      await expect(task).toContainText('Done', { timeout: 30_000 });
      await goTo(page, 'Tape libraries');
      await tab('Cartridges');
      await grid('Cartridges')
        .getByRole('row', { name: /SR0001L8/ })
        .click();
    });

    await test.step('it goes off site: to import/export by the robot, out by hand', async () => {
      await page.getByRole('button', { name: 'Move off site…' }).click();
      const dialog = page.getByRole('dialog', { name: 'Move SR0001L8 off site' });
      await dialog.getByRole('button', { name: 'Move to import/export' }).click();
      await expect(dialog.getByRole('alert')).toContainText('No place of import/export is free');
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await lab.place('mail', 768, null);
      await page.getByRole('button', { name: 'Move off site…' }).click();
      await dialog.getByRole('button', { name: 'Move to import/export' }).click();
      await expect(
        page.getByText('SR0001L8 is in Import/export 1. Take it out, then synchronise.'),
      ).toBeVisible();
      await lab.place('mail', 768, null);
    });

    await test.step('the restore says what it wants, and the pick list ticks it off when it arrives', async () => {
      await goTo(page, 'Copies');
      await grid('Copies')
        .getByRole('row', { name: /documents/ })
        .click();
      await page.getByRole('button', { name: 'Restore…' }).click();
      const dialog = page.getByRole('dialog', { name: 'Restore', exact: true });
      await expect(dialog.getByText(/1 of its cartridges is not in the library: SR0001L8/)).toBeVisible();
      await dialog.getByLabel('Destination', { exact: true }).fill(join(work, 'restored'));
      await inBothThemes(page, 'tape-restore');
      await dialog.getByRole('button', { name: 'Pick list…' }).click();
      const list = page.getByRole('dialog', { name: 'Pick list' });
      const wanted = list
        .getByRole('table', { name: 'Cartridges wanted' })
        .getByRole('row', { name: /SR0001L8/ });
      await expect(wanted).toContainText('missing');
      await expect(wanted).toContainText('Off site');
      await inBothThemes(page, 'tape-pick-list-missing');
      await page.emulateMedia({ media: 'print' });
      await screenshot(page, 'tape-pick-list-print');
      await page.emulateMedia({ media: 'screen' });
      const file = join(work, 'list.txt');
      await app.app.evaluate(({ dialog: native }, path) => {
        native.showSaveDialog = async () => ({ canceled: false, filePath: path });
      }, file);
      await list.getByRole('button', { name: 'Save as text…' }).click();
      await expect(list.getByText(`The pick list was saved to ${file}.`)).toBeVisible();
      expect(readFileSync(file, 'utf8')).toMatch(/\[ \] +1 +SR0001L8 +Off site +fetch it/);
      await lab.place('mail', 768, 'SR0001L8');
      await expect(wanted).toContainText('Import/export 1');
      await expect(list.getByText(/All cartridges are in the library/)).toBeVisible();
      await list.getByRole('button', { name: 'Sync' }).click();
      await list.getByRole('button', { name: 'Close' }).click();
      await dialog.getByRole('button', { name: 'Start restore' }).click();
      await expect(dialog).toBeHidden();
      await expect
        .poll(() => readOrEmpty(join(work, 'restored', 'documents', 'letter.txt')), { timeout: 30_000 })
        .toBe(text);
    });

    await test.step('a fault of the virtual library is armed, met and disarmed', async () => {
      await goTo(page, 'Tape libraries');
      await tab('Virtual libraries');
      await grid('Virtual libraries')
        .getByRole('row', { name: /rack-1/ })
        .click();
      const details = page.getByRole('region', { name: 'Virtual library details' });
      await details.getByLabel('Fault', { exact: true }).selectOption('Door open');
      await details.getByRole('button', { name: 'Arm', exact: true }).click();
      const armed = details.getByRole('list', { name: 'Armed faults' });
      await armed.getByRole('button', { name: 'Try it' }).click();
      await expect(details.getByRole('alert')).toContainText('Door open: ');
      await inBothThemes(page, 'tape-fire-drill');
      await tab('Slot board');
      await library('VIRTUAL LIBRARY').click();
      await expect(page.getByText('The places cannot be read')).toBeVisible();
      await inBothThemes(page, 'tape-board-error');
      await tab('Virtual libraries');
      await armed.getByRole('button', { name: 'Disarm' }).click();
      await expect(details.getByText('All is well: no fault is armed.')).toBeVisible();
    });

    await test.step('a library is deleted: its cartridges are forgotten, its virtual rack and the other one stay', async () => {
      await tab('Libraries');
      const rows = grid('Tape libraries').getByRole('row');
      await rows.filter({ hasText: 'Trial' }).click();
      await page.getByRole('button', { name: 'Delete…' }).click();
      const question = page.getByRole('dialog', { name: 'Delete tape libraries' });
      await expect(question).toContainText('VIRTUAL LIBRARY');
      await expect(question).toContainText('Their cartridges are forgotten; nothing on tape is changed.');
      await expect(question.getByRole('button', { name: 'Cancel' })).toBeFocused();
      await question.getByRole('button', { name: 'Delete', exact: true }).click();
      await expect(question).toBeHidden();
      await expect(rows.filter({ hasText: 'Trial' })).toHaveCount(0);
      await expect(rows.filter({ hasText: 'Tapes' })).toHaveCount(1);
      await tab('Cartridges');
      await expect(grid('Cartridges').getByRole('row', { name: /SR0001L8/ })).toBeVisible();
      await expect(grid('Cartridges').getByRole('row', { name: /VT0001L8/ })).toHaveCount(0);
      await tab('Virtual libraries');
      await expect(grid('Virtual libraries').getByRole('row', { name: /rack-1/ })).toBeVisible();
    });
  } finally {
    await app.close();
    await lab.stop();
    rmSync(work, { recursive: true, force: true, maxRetries: 5 });
  }
});
