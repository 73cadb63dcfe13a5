import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { launchApp } from './support/app.ts';
import { inBothThemes } from './support/themes.ts';

async function goTo(page: Page, section: string): Promise<void> {
  const sections = page.getByRole('navigation', { name: 'Sections' });
  await sections.getByRole('link', { name: section, exact: true }).click();
  await expect(page.getByRole('heading', { level: 1, name: section })).toBeVisible({ timeout: 30_000 });
}

test('the next runs follow what is typed, with changes of the clocks marked and what is wrong beside its field (case 54)', async () => {
  test.setTimeout(180_000);
  const work = mkdtempSync(join(tmpdir(), 'strongroom-preview-'));
  const clock = join(work, 'clock');
  const setClock = (iso: string) => writeFileSync(clock, String(Date.parse(iso) - Date.now()));
  setClock('2030-03-29T12:00:00Z');
  const env = { STRONGROOM_CLOCK_FILE: clock, TZ: 'Asia/Tokyo' };
  const app = await launchApp({ home: join(work, 'home'), env });
  try {
    const { page } = app;
    await page.getByRole('button', { name: 'Use this computer' }).click();
    await goTo(page, 'Strategies');
    await page.getByRole('button', { name: 'New strategy' }).click();
    const dialog = page.getByRole('dialog', { name: 'New strategy' });
    const runs = dialog.getByRole('table', { name: 'Next runs before saving' });
    await dialog.getByLabel('Name').fill('Nightly');
    await dialog.getByLabel('Full copies').fill('30 2 * * *');
    await dialog.getByLabel('Time zone').fill('Europe/Paris');
    const moved = runs.getByRole('row').filter({ hasText: '31 Mar' });
    await expect(moved).toContainText('Sun 31 Mar 03:00');
    await expect(moved).toContainText('the clocks go from 02:00 to 03:00');
    await expect(moved).toContainText('Sun 31 Mar 10:00');
    await expect(runs.locator('tbody tr:not(.runs-change)')).toHaveCount(10);
    await inBothThemes(page, 'preview-gap');

    const full = dialog.getByLabel('Full copies');
    await full.fill('30 2 * *');
    await expect(full).toHaveAccessibleDescription(/must have five fields/);
    await full.fill('0 0 31 2 *');
    await expect(full).toHaveAccessibleDescription(/never falls due: there is no such day/);
    await dialog.getByLabel('Time zone').fill('Mars/Olympus');
    await expect(dialog.getByLabel('Time zone')).toHaveAccessibleDescription(/is not a time zone/);
    await expect(dialog.getByRole('status')).toContainText('Correct what is marked');
    await expect(runs).toBeHidden();
    await inBothThemes(page, 'preview-wrong');

    setClock('2030-10-25T12:00:00Z');
    await full.fill('30 2 * * *');
    await dialog.getByLabel('Time zone').fill('Europe/Paris');
    const twice = runs.getByRole('row').filter({ hasText: 'Sun 27 Oct 02:30' });
    await expect(twice).toContainText('02:30 comes twice; this is the first time');
    await expect(twice).toHaveCount(1);
    await full.fill('');
    await expect(dialog.getByRole('status')).toContainText('There is no schedule');
    await full.fill('0 0 * * 0');
    await expect(runs.locator('tbody tr:not(.runs-change)')).toHaveCount(10);
    await dialog.getByRole('button', { name: 'Create strategy' }).click();
    await expect(dialog).toBeHidden();
    // Of one that is there, too: nothing is saved by looking.
    await page.getByRole('button', { name: 'Edit…' }).click();
    const edit = page.getByRole('dialog', { name: 'Edit strategy Nightly' });
    await edit.getByLabel('Incremental copies').fill('0 */6 * * *');
    await expect(edit.getByRole('table', { name: 'Next runs before saving' })).toContainText('incremental');
    await edit.getByRole('button', { name: 'Cancel' }).click();
    await edit.getByRole('button', { name: 'Discard' }).click();
    await expect(page.getByRole('table', { name: 'Next runs' })).not.toContainText('incremental');
  } finally {
    await app.close();
    rmSync(work, { recursive: true, force: true });
  }
});

test('a strategy runs, its copy is proven restorable or is not, the slider shows what will be there and why, and a jump of the clock lets nothing go (case 95)', async () => {
  test.setTimeout(300_000);
  const work = mkdtempSync(join(tmpdir(), 'strongroom-proofs-'));
  const clock = join(work, 'clock');
  let aheadMs = 0;
  const advance = (ms: number) => {
    aheadMs += ms;
    writeFileSync(clock, String(aheadMs));
  };
  /** The backend's clock goes on to so many minutes past the hour. */
  const advanceTo = (minute: number) => {
    const nowMs = Date.now() + aheadMs;
    const wantedMs = new Date(nowMs).setMinutes(minute, 0, 0);
    advance(wantedMs < nowMs ? wantedMs - nowMs + 3_600_000 : wantedMs - nowMs);
  };
  advanceTo(10);
  const home = join(work, 'home');
  const app = await launchApp({ home, env: { STRONGROOM_CLOCK_FILE: clock } });
  try {
    const { page } = app;
    const source = join(work, 'documents');
    mkdirSync(source);
    for (let file = 0; file < 9; file += 1)
      writeFileSync(join(source, `letter ${file}.txt`), `letter ${file}\n`);
    await page.getByRole('button', { name: 'Use this computer' }).click();

    await goTo(page, 'Copies');
    await page.getByRole('tab', { name: 'Retention' }).click();
    await expect(page.getByText('There is no copy yet, so nothing has to be kept.')).toBeVisible();
    await inBothThemes(page, 'retention-empty');

    await goTo(page, 'Strategies');
    await page.getByRole('button', { name: 'New strategy' }).click();
    const dialog = page.getByRole('dialog', { name: 'New strategy' });
    await dialog.getByLabel('Name').fill('Half past');
    await dialog.getByLabel('Full copies').fill('30 * * * *');
    await dialog.getByLabel('Keep for').fill('1 week');
    await dialog.getByLabel('Prove each copy with (files)').fill('5');
    await expect(dialog.getByLabel('Proof takes at most (MB)')).toHaveValue('1024');
    await inBothThemes(page, 'strategy-form-proof');
    await dialog.getByRole('button', { name: 'Create strategy' }).click();
    await expect(dialog).toBeHidden();
    await goTo(page, 'Strategy rules');
    await page.getByRole('button', { name: 'New rule' }).click();
    const rule = page.getByRole('dialog', { name: 'New rule' });
    await rule.getByLabel('Strategy').selectOption('Half past');
    await rule.getByLabel('Folder', { exact: true }).fill(source);
    await rule.getByRole('button', { name: 'Create rule' }).click();
    await expect(rule).toBeHidden();

    // Once an hour of the backend's clock: however long the test takes, nothing runs but when it says so.
    advanceTo(30);
    await page
      .getByRole('grid', { name: 'Strategy rules' })
      .getByRole('row')
      .filter({ hasText: 'documents' })
      .click();
    const past = page.getByRole('region', { name: 'Rule details' }).getByRole('list', { name: 'Past runs' });
    await expect(past).toContainText('Done', { timeout: 60_000 });
    await goTo(page, 'Tasks');
    const tasks = page.getByRole('grid', { name: 'Tasks' });
    const proof = tasks.getByRole('row').filter({ hasText: 'Proof of restore' }).first();
    await expect(proof).toContainText('Done', { timeout: 60_000 });
    await proof.click();
    const details = page.getByRole('region', { name: 'Task details' });
    await details.getByRole('tab', { name: 'Server log' }).click();
    await expect(details).toContainText(/5 of 9 files were chosen \(seed [0-9a-f]{8}\)/);
    await expect(details).toContainText('were restored and are the same');
    await inBothThemes(page, 'proof-task');

    await goTo(page, 'Copies');
    await page.getByRole('tab', { name: 'List' }).click();
    const copies = page.getByRole('grid', { name: 'Copies' });
    await expect(copies.getByRole('columnheader', { name: 'Last proven restorable' })).toBeVisible();
    await copies.getByRole('row').filter({ hasText: 'documents' }).first().click();
    const copy = page.getByRole('region', { name: 'Copy details' });
    await expect(copy.getByText(/^\d{4}-\d{2}-\d{2} [\d:]+ \(5 files, 45 B\)$/)).toBeVisible();
    await inBothThemes(page, 'copy-proven');

    // The next copy is damaged before its proof: that waits for its scratch space.
    rmSync(join(home, 'backend', 'scratch'), { recursive: true, force: true });
    writeFileSync(join(home, 'backend', 'scratch'), '');
    const before = new Set(copyFolders(home));
    advance(3_600_000);
    await goTo(page, 'Tasks');
    const failed = tasks
      .getByRole('row')
      .filter({ hasText: 'Proof of restore' })
      .filter({ hasText: 'Error' });
    await expect(failed).toBeVisible({ timeout: 60_000 });
    for (const folder of copyFolders(home)) if (!before.has(folder)) damage(folder);
    rmSync(join(home, 'backend', 'scratch'));
    await failed.click();
    await expect(details).toContainText('--scratch-dir');
    await page
      .getByRole('toolbar', { name: 'Task actions' })
      .getByRole('button', { name: 'Restart' })
      .click();
    await expect(details).toContainText('not proven restorable', { timeout: 60_000 });
    await goTo(page, 'Overview');
    const alarm = page.getByRole('region', { name: 'Copies not restorable' });
    await expect(alarm.getByRole('alert')).toContainText('One copy could not be proven restorable');
    await expect(alarm).toContainText('letter');
    await inBothThemes(page, 'overview-not-restorable');
    await alarm.getByRole('button', { name: /^Show copy/ }).click();
    await expect(copy.getByRole('alert')).toContainText('Not proven restorable');
    await inBothThemes(page, 'copy-not-restorable');

    // Two more copies, each of another hour, and one of another resource that is kept for a year.
    for (let hour = 0; hour < 2; hour += 1) {
      const count = copyFolders(home).length;
      advance(3_600_000);
      await expect.poll(() => copyFolders(home).length, { timeout: 60_000 }).toBeGreaterThan(count);
    }
    await page.getByRole('tab', { name: 'Retention' }).click();
    const slider = page.getByRole('slider', { name: /Looked ahead/ });
    const sum = page.getByRole('status').filter({ hasText: 'there' });
    await expect(sum).toContainText(/^4 copies .* are there now/);
    await slider.focus();
    await page.keyboard.press('End');
    // All go but the last one of the rule.
    await expect(sum).toContainText(/1 of today’s 4 copies/);
    const list = page.getByRole('table', { name: /^Copies of / });
    await expect(list.getByRole('row').filter({ hasText: 'there' })).toContainText('last copy');
    await expect(list.getByRole('row').filter({ hasText: 'gone' })).toHaveCount(3);
    await inBothThemes(page, 'retention-end');
    await page.keyboard.press('Home');
    await expect(sum).toContainText(/^4 copies .* are there now/);
    for (let day = 0; day < 3; day += 1) await page.keyboard.press('ArrowRight');
    await expect(slider).toHaveAttribute('aria-valuetext', /, in 3 days$/);
    await expect(sum).toContainText(/4 of today’s 4 copies/);
    await page.getByRole('button', { name: 'Next change' }).click();
    await expect(sum).toContainText(/3 of today’s 4 copies/);
    await inBothThemes(page, 'retention-change');
    const field = page.getByLabel('Date and time');
    await field.fill('2001-01-01 00:00');
    await expect(field).toHaveAccessibleDescription(/must not lie in the past/);
    await field.fill('tomorrow');
    await expect(field).toHaveAccessibleDescription(/must be written like/);
    await inBothThemes(page, 'retention-wrong');
    await page.getByLabel('Shown copies').selectOption('gone');
    await page.getByRole('button', { name: 'Now', exact: true }).click();
    await expect(page.getByText('Nothing is gone at this moment.')).toBeVisible();

    // A clock that jumps by a year lets nothing go until a person says that it is right (case 95).
    advance(365 * 86_400_000);
    const hold = page.getByRole('alert').filter({ hasText: 'has jumped ahead' });
    await expect(hold).toBeVisible({ timeout: 90_000 });
    await inBothThemes(page, 'retention-clock-jump');
    expect(copyFolders(home).length).toBeGreaterThanOrEqual(4);
    await hold.getByRole('button', { name: 'Confirm the clock…' }).click();
    await page
      .getByRole('dialog', { name: 'Confirm the clock of the server' })
      .getByRole('button', { name: 'The clock is right' })
      .click();
    await expect(hold).toBeHidden();
    await expect.poll(() => copyFolders(home).length, { timeout: 90_000 }).toBeLessThan(4);
  } finally {
    await app.close();
    rmSync(work, { recursive: true, force: true });
  }
});

function copyFolders(home: string): readonly string[] {
  const pool = join(home, 'backend', 'pools', 'default');
  return readdirSync(pool)
    .filter((name) => /^[0-9a-f-]{36}$/.test(name))
    .map((name) => join(pool, name));
}

function damage(folder: string): void {
  const name = readdirSync(folder).find((each) => each.startsWith('archive.'));
  const file = join(folder, String(name));
  const bytes = readFileSync(file);
  for (let at = 20; at < bytes.length - 20; at += 40) bytes.writeUInt8((bytes[at] ?? 0) ^ 1, at);
  writeFileSync(file, bytes);
}
