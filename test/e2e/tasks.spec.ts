import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect, type Page, test } from '@playwright/test';
import { launchApp, screenshot } from './support/app.ts';
import { axeFindings } from './support/findings.ts';
import { inBothThemes } from './support/themes.ts';

const linesWritten = 100_000;

async function goToTasks(page: Page, link = 'Tasks'): Promise<void> {
  await page.getByRole('link', { name: link, exact: true }).click();
  await expect(page.getByRole('heading', { level: 1, name: link })).toBeVisible({ timeout: 30_000 });
}

async function backUp(page: Page, folder: string): Promise<void> {
  await page.getByRole('button', { name: 'New backup' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'New backup' });
  await dialog.getByLabel('Folder').fill(folder);
  await dialog.getByRole('button', { name: 'Start backup' }).click();
  await expect(dialog).toBeHidden();
}

/** A log as a backup of very many files writes it: an error at its beginning, warnings on the way. */
function writeLongLog(catalogue: string, taskId: number): void {
  const db = new DatabaseSync(catalogue);
  try {
    db.exec(`
      insert into task_logs (task_id, side, time_ms, level, source, message)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < ${linesWritten})
      select ${taskId}, 'client', 1893456000000 + i,
        case when i = 3 then 'error' when i % 500 = 0 then 'warning' else 'info' end, 'here', 'line ' || i from n`);
  } finally {
    db.close();
  }
}

/** An open menu hides the rest from assistive technology, which the rules of whole pages take for a fault. */
async function menuInBothThemes(page: Page, name: string): Promise<void> {
  for (const theme of ['dark', 'light']) {
    await page.evaluate((wanted) => {
      document.documentElement.dataset.theme = wanted;
    }, theme);
    await screenshot(page, `${name}-${theme}`);
  }
}

function keptFilters(home: string): readonly unknown[] {
  const { tables } = JSON.parse(readFileSync(join(home, 'settings.json'), 'utf8'));
  return Object.entries<{ filters: unknown }>(tables)
    .filter(([name]) => name.endsWith('/Tasks'))
    .map(([, { filters }]) => filters);
}

test('views, the severity of a long log, and deletion by status, over a restart and in both languages', async () => {
  test.setTimeout(240_000);
  const work = mkdtempSync(join(tmpdir(), 'strongroom-tasks-'));
  const home = join(work, 'home');
  const source = join(work, 'source');
  mkdirSync(source);
  writeFileSync(join(source, 'a.txt'), 'x');
  let app = await launchApp({ home });
  try {
    let { page } = app;
    await page.getByRole('button', { name: 'Use this computer' }).click();
    await goToTasks(page);
    const grid = () => page.getByRole('grid', { name: 'Tasks' });
    const rows = () => grid().getByRole('row').filter({ hasText: work });
    const views = () => page.getByRole('button', { name: /^Views/ });
    await backUp(page, source);
    for (const gone of ['gone 1', 'gone 2']) await backUp(page, join(work, gone));
    await expect(rows().filter({ hasText: 'Error' })).toHaveCount(2, { timeout: 60_000 });
    await expect(rows().filter({ hasText: 'Done' })).toHaveCount(1, { timeout: 60_000 });

    await page.getByRole('combobox', { name: 'Status' }).selectOption('error');
    await page.getByRole('button', { name: 'Choose columns' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Speed' }).click();
    await page.keyboard.press('Escape');
    await expect(rows()).toHaveCount(2);
    await views().click();
    await page.getByRole('menuitem', { name: 'Save as view…' }).click();
    const naming = page.getByRole('dialog', { name: 'Save view' });
    await naming.getByLabel('Name').fill('Failed <b>here</b>');
    await inBothThemes(page, 'tasks-view-save');
    await page.keyboard.press('Enter');
    await expect(naming).toBeHidden();
    await views().click();
    await page.getByRole('menuitem', { name: 'All rows, as made' }).click();
    await expect(rows()).toHaveCount(3);
    // How the list was left is written a moment later.
    await expect.poll(() => keptFilters(home)).toEqual([{}]);
    await rows().filter({ hasText: 'Done' }).dblclick();
    await expect(grid()).toBeHidden();
    await inBothThemes(page, 'task-page');
    expect(await axeFindings(page, 'page of a task')).toEqual([]);
    await app.close();

    writeLongLog(join(home, 'backend', 'strongroom.db'), 1);
    app = await launchApp({ home });
    page = app.page;
    // The page of the task is what was left; from it the list is one key away.
    const taskPage = page.getByRole('region', { name: 'Task details' });
    await expect(taskPage.getByText('Done', { exact: true })).toBeVisible({ timeout: 60_000 });
    await expect(grid()).toBeHidden();
    await page.keyboard.press('Escape');
    await expect(grid()).toBeFocused();
    await expect(rows()).toHaveCount(3, { timeout: 60_000 });
    await expect(grid().getByRole('columnheader', { name: 'Speed' })).toBeVisible();
    await views().focus();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('menuitemradio', { name: 'Failed <b>here</b>' })).toBeFocused();
    await menuInBothThemes(page, 'tasks-views');
    await page.keyboard.press('Enter');
    await expect(rows()).toHaveCount(2);
    await expect(page.getByRole('combobox', { name: 'Status' })).toHaveValue('error');
    await expect(grid().getByRole('columnheader', { name: 'Speed' })).toHaveCount(0);
    await views().click();
    await page.getByRole('menuitem', { name: 'All rows, as made' }).click();

    await rows().filter({ hasText: 'Done' }).click();
    const details = page.getByRole('region', { name: 'Task details' });
    const log = details.getByRole('log');
    const severity = details.getByRole('combobox', { name: 'Severity' });
    // It follows the end.
    await expect(log).toContainText(`line ${linesWritten}`, { timeout: 30_000 });
    const began = Date.now();
    await severity.selectOption('error');
    await expect(log).toContainText('line 3');
    test.info().annotations.push({
      type: 'severity',
      description: `the one error of ${linesWritten} lines after ${Date.now() - began} ms`,
    });
    await expect(log.locator('.log-line')).toHaveCount(1);
    await severity.selectOption('warning');
    await expect(log).toContainText(`line ${linesWritten}`);
    await inBothThemes(page, 'tasks-log-severity');
    // No line is out of reach: the first at a stroke, and earlier ones by scrolling up.
    await severity.selectOption('all');
    await details.getByRole('button', { name: 'To the beginning' }).click();
    await expect(log.getByText('line 1', { exact: true })).toBeVisible();
    await inBothThemes(page, 'tasks-log-beginning');
    await details.getByRole('button', { name: 'To the end' }).click();
    await expect(log.getByText(`line ${linesWritten}`, { exact: true })).toBeVisible();
    const earlier = async () => {
      const told = await details.getByText(/^[\d,]+ earlier lines$/).textContent();
      return Number(told?.replaceAll(/\D/g, ''));
    };
    const before = await earlier();
    expect(before).toBeGreaterThan(linesWritten - 2000);
    await log.evaluate((element) => element.scrollTo(0, 0));
    await expect.poll(earlier).toBe(before - 500);
    // What was at the top stays in view, below the lines that came.
    await expect.poll(() => log.evaluate(({ scrollTop }) => scrollTop)).toBeGreaterThan(5000);

    await page.getByRole('button', { name: 'Delete by status…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete tasks by status' });
    await expect(dialog.getByRole('checkbox', { name: 'Killed (0)' })).toBeVisible();
    await dialog.getByRole('checkbox', { name: 'Error (2)' }).check();
    await expect(dialog.getByRole('button', { name: 'Delete' })).toHaveAttribute('aria-disabled', 'true');
    await dialog.getByRole('checkbox', { name: 'Yes, delete 2 tasks and their logs' }).check();
    await inBothThemes(page, 'tasks-by-status');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await expect(dialog).toBeHidden();
    await expect(page.getByText('2 tasks deleted.')).toBeVisible();
    await expect(rows()).toHaveCount(1);

    await page.keyboard.press('Control+,');
    const preferences = page.getByRole('dialog', { name: 'Preferences' });
    await preferences.getByLabel('Language').selectOption({ label: 'Русский' });
    await preferences.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByRole('button', { name: /^Вид/ })).toBeVisible();
    await page.getByRole('button', { name: 'Удалить по состоянию…' }).click();
    const russian = page.getByRole('dialog', { name: 'Удалить задачи по состоянию' });
    await expect(russian.getByRole('checkbox')).toHaveCount(3);
    await inBothThemes(page, 'tasks-by-status-ru');
    await page.keyboard.press('Escape');
    await expect(russian).toBeHidden();
    await expect(page.getByRole('combobox', { name: 'Важность' })).toBeVisible();
    await page.getByRole('button', { name: /^Вид/ }).click();
    await menuInBothThemes(page, 'tasks-views-ru');
  } finally {
    await app.close();
    rmSync(work, { recursive: true, force: true });
  }
});
