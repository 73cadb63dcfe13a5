import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ElectronApplication, expect, type Locator, test } from '@playwright/test';
import { launchApp, screenshot } from './support/app.ts';
import { inBothThemes } from './support/themes.ts';

/** Schedules that run in the real backend, whose clock the test moves. */
test('what runs next, what ran, what is overdue and the week are shown, in both themes and by keyboard', async () => {
  test.setTimeout(240_000);
  const work = mkdtempSync(join(tmpdir(), 'strongroom-schedules-'));
  const clock = join(work, 'clock');
  writeFileSync(clock, '0');
  const app = await launchApp({ home: join(work, 'home'), env: { STRONGROOM_CLOCK_FILE: clock } });
  try {
    const { page } = app;
    await page.getByRole('button', { name: 'Use this computer' }).click();
    const goTo = async (section: string): Promise<void> => {
      const sections = page.getByRole('navigation', { name: 'Sections' });
      await sections.getByRole('link', { name: section, exact: true }).click();
      await expect(page.getByRole('heading', { level: 1, name: section })).toBeVisible({ timeout: 30_000 });
    };
    const newStrategy = async (fields: Readonly<Record<string, string>>) => {
      await page.getByRole('button', { name: 'New strategy' }).click();
      const dialog = page.getByRole('dialog', { name: 'New strategy' });
      for (const [label, value] of Object.entries(fields)) await dialog.getByLabel(label).fill(value);
      await screenshot(page, 'strategy-form-new');
      await dialog.getByRole('button', { name: 'Create strategy' }).click();
      await expect(dialog).toBeHidden();
    };
    const newRule = async (strategy: string, resource: string) => {
      await page.getByRole('button', { name: 'New rule' }).click();
      const dialog = page.getByRole('dialog', { name: 'New rule' });
      await dialog.getByLabel('Strategy').selectOption(strategy);
      await dialog.getByLabel('Folder', { exact: true }).fill(resource);
      await dialog.getByRole('button', { name: 'Create rule' }).click();
      await expect(dialog).toBeHidden();
    };

    await goTo('Strategies');
    await page.getByRole('button', { name: 'New strategy' }).click();
    const refused = page.getByRole('dialog', { name: 'New strategy' });
    await refused.getByLabel('Name').fill('Keeps nothing');
    const keepFor = refused.getByLabel('Keep for');
    // What would delete each copy at once is refused at its field, and what was typed stays (case 98).
    await keepFor.fill('0 days');
    await refused.getByRole('button', { name: 'Create strategy' }).click();
    await expect(keepFor).toHaveAccessibleDescription(/must be|must have/);
    await expect(keepFor).toHaveAttribute('aria-invalid', 'true');
    await expect(keepFor).toHaveValue('0 days');
    await refused.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Discard' }).click();
    await expect(page.getByText('Keeps nothing')).toBeHidden();
    await newStrategy({
      Name: 'Every minute',
      'Full copies': '0 0 * * 0',
      'Incremental copies': '* * * * *',
    });
    await newStrategy({
      Name: 'Nightly <b>offices</b> of New York and Toronto',
      'Full copies': '30 2 * * 6',
      'Differential copies': '0 12 * * 1-5',
      'Incremental copies': '0 */6 * * *',
      'Time zone': 'America/New_York',
    });
    const strategy = page.getByRole('region', { name: 'Strategy details' });
    const runs = strategy.getByRole('table', { name: 'Next runs' });
    await expect(strategy.getByRole('heading', { name: /Nightly/ })).toBeVisible();
    await expect(runs.getByRole('columnheader', { name: 'America/New_York' })).toBeVisible();
    await expect(runs.locator('tbody tr:not(.runs-change)')).toHaveCount(10);
    await strategy.getByLabel('Kind of run').selectOption('full');
    await expect(runs.locator('tbody tr:not(.runs-change)').first()).toContainText(/full.*Sat .* 02:30/);
    await strategy.getByLabel('Kind of run').selectOption('');
    await inBothThemes(page, 'strategy-details');
    await page.getByRole('button', { name: 'Edit…' }).click();
    const form = page.getByRole('dialog', { name: /^Edit strategy/ });
    await expect(form.getByRole('status')).toContainText('Nothing is saved yet');
    await form.getByLabel('Full copies').fill('45 2 * * 6');
    const ahead = form.getByRole('table', { name: 'Next runs before saving' });
    await expect(ahead.locator('tbody tr:not(.runs-change)')).toHaveCount(10);
    await inBothThemes(page, 'strategy-form-edit');
    await form.getByLabel('Copies are made by it').scrollIntoViewIfNeeded();
    await inBothThemes(page, 'strategy-form-end');
    await form.getByRole('button', { name: 'Save' }).click();
    await expect(form).toBeHidden();
    await strategy.getByLabel('Kind of run').selectOption('full');
    await expect(runs.locator('tbody tr').first()).toContainText('02:45');

    await goTo('Strategy rules');
    const good = join(work, 'documents');
    mkdirSync(good);
    writeFileSync(join(good, 'letter.txt'), 'x');
    await newRule('Every minute', join(work, 'not there'));
    await newRule('Every minute', good);
    // The next minute of the backend's clock begins at once; what ran there is told by events.
    writeFileSync(clock, '60000');
    const rules = page.getByRole('grid', { name: 'Strategy rules' });
    const overdue = rules.getByRole('row').filter({ hasText: 'not there' });
    await expect(overdue).toContainText('overdue', { timeout: 60_000 });
    await overdue.click();
    const rule = page.getByRole('region', { name: 'Rule details' });
    await expect(rule.getByText(/since \d{4}-/)).toBeVisible();
    await expect(rule.getByRole('list', { name: 'Past runs' }).getByRole('listitem').first()).toContainText(
      'Error',
    );
    await inBothThemes(page, 'rule-overdue');
    await rules.getByRole('row').filter({ hasText: 'documents' }).click();
    await expect(rule.getByRole('list', { name: 'Past runs' })).toContainText('Done', { timeout: 60_000 });
    // What fell due while the clock jumped is made up for by one run.
    writeFileSync(clock, String(6 * 60_000));
    await expect(rule.getByRole('list', { name: 'Past runs' })).toContainText('missed', { timeout: 60_000 });
    await inBothThemes(page, 'rule-past-runs');

    await goTo('Overview');
    const notice = page.getByRole('region', { name: 'Overdue rules' });
    await expect(notice.getByRole('alert')).toContainText('One rule is overdue');
    await expect(notice).toContainText('not there');
    // The figures above are as high as their text, also where the page is longer than the window.
    const figure = page.locator('.tile').filter({ hasText: 'Overdue rules' });
    const [inner, outer] = [await figure.boundingBox(), await page.locator('.tiles').boundingBox()];
    expect(outer?.height).toBeGreaterThanOrEqual(inner?.height ?? Number.POSITIVE_INFINITY);
    await inBothThemes(page, 'overview-overdue');
    await notice.getByRole('button', { name: /^Show task/ }).click();
    await expect(page.getByRole('region', { name: 'Task details' })).toContainText('not there');
    await goTo('Overview');
    await notice.getByRole('button', { name: /^Show rule/ }).click();
    await expect(rule).toContainText('not there');

    await goTo('Strategies');
    await expect(
      page.getByRole('grid', { name: 'Strategies' }).getByRole('row').filter({ hasText: 'Every minute' }),
    ).toContainText('1 overdue');
    await page.getByRole('tab', { name: 'Week' }).click();
    const week = page.getByRole('grid', { name: 'Week' });
    await expect(week.getByRole('rowheader')).toHaveCount(4);
    await inBothThemes(page, 'week');
    await resize(app.app, 1024, 700);
    await inBothThemes(page, 'week-narrow');
    await resize(app.app, 1280, 900);
    await cells(week, 'Nightly').first().click();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('End');
    await expect(cells(week, 'Nightly').last()).toBeFocused();
    const agenda = page.getByRole('region', { name: 'Runs of the day' });
    await expect(agenda.getByRole('heading')).toContainText('offices');
    await page.getByLabel('Times of').selectOption('America/New_York');
    await expect(agenda.getByRole('columnheader').first()).toHaveText('America/New_York');
    await inBothThemes(page, 'week-cell');
    await cells(week, 'Nightly').last().focus();
    await page.keyboard.press('Enter');
    await expect(strategy.getByRole('heading', { name: /Nightly/ })).toBeVisible();
  } finally {
    await app.close();
    rmSync(work, { recursive: true, force: true });
  }
});

test('a run in the hour that the clocks skip, and one in the hour that comes twice, are marked (case 54)', async () => {
  test.setTimeout(120_000);
  const work = mkdtempSync(join(tmpdir(), 'strongroom-clocks-'));
  const clock = join(work, 'clock');
  const setClock = (iso: string) => writeFileSync(clock, String(Date.parse(iso) - Date.now()));
  setClock('2030-03-29T12:00:00Z');
  const env = { STRONGROOM_CLOCK_FILE: clock, TZ: 'Asia/Tokyo' };
  const app = await launchApp({ home: join(work, 'home'), env });
  try {
    const { page } = app;
    await page.getByRole('button', { name: 'Use this computer' }).click();
    const sections = page.getByRole('navigation', { name: 'Sections' });
    await sections.getByRole('link', { name: 'Strategies', exact: true }).click();
    await page.getByRole('button', { name: 'New strategy' }).click();
    const dialog = page.getByRole('dialog', { name: 'New strategy' });
    await dialog.getByLabel('Name').fill('Nightly');
    await dialog.getByLabel('Full copies').fill('30 2 * * *');
    await dialog.getByLabel('Time zone').fill('Europe/Paris');
    await dialog.getByRole('button', { name: 'Create strategy' }).click();
    await expect(dialog).toBeHidden();
    const runs = page.getByRole('table', { name: 'Next runs' });
    const moved = runs.getByRole('row').filter({ hasText: '31 Mar' });
    await expect(moved).toContainText('Sun 31 Mar 03:00');
    await expect(moved).toContainText('the clocks go from 02:00 to 03:00');
    // 01:00 in UTC, on the clocks of this computer.
    await expect(moved).toContainText('Sun 31 Mar 10:00');
    await inBothThemes(page, 'runs-skipped-hour');

    setClock('2030-10-25T12:00:00Z');
    await page.getByRole('button', { name: 'Edit…' }).click();
    const edit = page.getByRole('dialog', { name: 'Edit strategy Nightly' });
    await edit.getByLabel('Priority').fill('200');
    await edit.getByRole('button', { name: 'Save' }).click();
    await expect(edit).toBeHidden();
    const twice = runs.getByRole('row').filter({ hasText: 'Sun 27 Oct 02:30' });
    await expect(twice).toHaveCount(1);
    await expect(twice).toContainText('02:30 comes twice; this is the first time');
    await inBothThemes(page, 'runs-hour-twice');

    await page.getByRole('grid', { name: 'Strategies' }).press('Control+a');
    await page.getByRole('button', { name: 'Delete…' }).click();
    const removal = page.getByRole('dialog', { name: 'Delete strategies' });
    await removal.getByRole('button', { name: 'Delete', exact: true }).click();
    await expect(removal).toBeHidden();
    await page.getByRole('tab', { name: 'Week' }).click();
    await expect(page.getByText('There is no strategy.')).toBeVisible();
    await inBothThemes(page, 'week-empty');
  } finally {
    await app.close();
    rmSync(work, { recursive: true, force: true });
  }
});

function cells(week: Locator, strategy: string): Locator {
  return week.getByRole('row').filter({ hasText: strategy }).getByRole('gridcell');
}

async function resize(app: ElectronApplication, width: number, height: number): Promise<void> {
  await app.evaluate(
    ({ BrowserWindow }, size) => BrowserWindow.getAllWindows()[0]?.setContentSize(size.width, size.height),
    {
      width,
      height,
    },
  );
}
