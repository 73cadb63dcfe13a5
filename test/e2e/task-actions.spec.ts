import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { screenshot } from './support/app.ts';
import { backUp, manyServers } from './support/servers.ts';
import { inBothThemes } from './support/themes.ts';

const { launch, work } = manyServers();

const goTo = async (page: Page, section: string): Promise<void> => {
  const sections = page.getByRole('navigation', { name: 'Sections' });
  await sections.getByRole('link', { name: section, exact: true }).click({ timeout: 60_000 });
  await expect(page.getByRole('heading', { level: 1, name: section })).toBeVisible({ timeout: 30_000 });
};

test('a running task is watched, paused, continued, killed and restarted; several are killed and deleted together', async () => {
  test.setTimeout(240_000);
  const { page } = await launch('home');
  await page.getByRole('button', { name: 'Use this computer' }).click();
  // At this rate a task takes many minutes on any machine, so it is running whenever it is looked at.
  await goTo(page, 'Bandwidth');
  await page.getByRole('button', { name: 'New limit' }).click();
  const limit = page.getByRole('dialog', { name: 'New limit' });
  await limit.getByLabel('Backup (KB/s)').fill('200');
  await limit.getByRole('button', { name: 'Create limit' }).click();
  await expect(limit).toBeHidden();
  await goTo(page, 'Tasks');
  for (const name of ['one', 'two', 'three']) {
    const folder = join(work(), name);
    mkdirSync(folder);
    writeFileSync(join(folder, 'data'), randomBytes(64 * 1024 * 1024));
    await backUp(page, folder);
  }
  const grid = page.getByRole('grid', { name: 'Tasks' });
  const row = (name: string) => grid.getByRole('row').filter({ hasText: join(work(), name) });
  const actions = page.getByRole('toolbar', { name: 'Task actions' });
  const act = (name: string) => actions.getByRole('button', { name });
  await expect(row('one')).toContainText('Transmission', { timeout: 60_000 });
  // A row that comes in between would move the others under the pointer.
  await expect(row('three')).toHaveCount(1, { timeout: 30_000 });
  await row('one').click();
  await expect(row('one')).toHaveAttribute('aria-selected', 'true');
  const details = page.getByRole('region', { name: 'Task details' });
  await expect(details).toContainText(join(work(), 'one'));
  const bar = details.getByRole('progressbar');
  // Live: it gets on while it is looked at.
  await expect
    .poll(async () => Number(await bar.getAttribute('aria-valuenow')), { timeout: 60_000 })
    .toBeGreaterThan(0);
  await expect(act('Continue')).toHaveAttribute('title', /Not possible while a task is transmission/i);
  await inBothThemes(page, 'task-running');

  await act('Pause').click();
  await expect(row('one')).toContainText('Suspended', { timeout: 30_000 });
  await act('Continue').click();
  await expect(row('one')).toContainText('Transmission', { timeout: 30_000 });
  await act('Kill').click();
  await expect(row('one')).toContainText('Killed', { timeout: 30_000 });
  await act('Restart').click();
  await expect(row('one')).toContainText(/Restarting|New|Assigned|At client|Execution|Transmission/, {
    timeout: 30_000,
  });

  // All three by keyboard, then one act for all.
  await grid.focus();
  await page.keyboard.press('Control+a');
  await expect(page.locator('.row-count')).toHaveText(/3 .*, 3 selected/);
  await screenshot(page, 'tasks-selected');
  await act('Kill').click();
  for (const name of ['one', 'two', 'three'])
    await expect(row(name)).toContainText('Killed', { timeout: 30_000 });
  await expect(grid.getByRole('row', { selected: true })).toHaveCount(3);
  await act('Delete').click();
  const removal = page.getByRole('dialog', { name: 'Delete tasks' });
  await expect(removal.getByRole('button', { name: 'Cancel' })).toBeFocused();
  for (const name of ['one', 'two', 'three']) await expect(removal).toContainText(join(work(), name));
  await inBothThemes(page, 'tasks-delete');
  await removal.getByRole('button', { name: 'Delete', exact: true }).click();
  await expect(removal).toBeHidden();
  await expect(page.getByText('No task has run yet')).toBeVisible();
});
