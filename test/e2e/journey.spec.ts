import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { buildAwkwardTree } from '../support/awkward-tree.ts';
import { compareTrees } from '../support/compare-trees.ts';
import { launchApp, screenshot } from './support/app.ts';

/**
 * The whole promise of the product, through the window alone: first run, bundled backend, a backup of a tree
 * with everything that is awkward on a Linux disk, verification, loss, restore, comparison.
 */
test('a folder is backed up, verified, lost and restored through the window alone', async () => {
  test.setTimeout(300_000);
  const work = mkdtempSync(join(tmpdir(), 'strongroom-journey-'));
  const source = join(work, 'source');
  const original = join(work, 'original');
  const destination = join(work, 'restored');
  mkdirSync(destination);
  buildAwkwardTree(source);
  execFileSync('cp', ['-a', '--sparse=always', source, original]);

  const app = await launchApp({ home: join(work, 'home') });
  try {
    const { page } = app;
    await expect(page.getByRole('heading', { name: 'Welcome to Strongroom' })).toBeVisible();
    await screenshot(page, 'journey-1-first-run');
    await page.getByRole('button', { name: 'Use this computer' }).click();
    await expect(
      page
        .getByRole('navigation', { name: 'Connections' })
        .getByText(/This computer/)
        .first(),
    ).toBeVisible({ timeout: 30_000 });
    const sections = page.getByRole('navigation', { name: 'Sections' });
    await expect(sections.getByRole('link', { name: 'Overview' })).toBeVisible({ timeout: 30_000 });
    await screenshot(page, 'journey-2-overview');

    await sections.getByRole('link', { name: 'Tasks' }).click();
    await page.getByRole('button', { name: 'New backup' }).first().click();
    const backup = page.getByRole('dialog', { name: 'New backup' });
    await backup.getByLabel('Folder').fill(source);
    await screenshot(page, 'journey-3-new-backup');
    await backup.getByRole('button', { name: 'Start backup' }).click();
    await expect(backup).toBeHidden();
    const tasks = page.getByRole('grid', { name: 'Tasks' });
    const backupRow = tasks.getByRole('row').filter({ hasText: source });
    await expect(backupRow.first()).toContainText(/Done/i, { timeout: 60_000 });
    await backupRow.first().click();
    const details = page.getByRole('region', { name: 'Task details' });
    await expect(details).toBeVisible();
    await expect(details.getByRole('progressbar').first()).toBeVisible();
    await details.getByRole('tab', { name: 'Client log' }).click();
    await details.getByRole('tab', { name: 'Server log' }).click();
    await screenshot(page, 'journey-4-task-details');

    await sections.getByRole('link', { name: 'Copies' }).click();
    const copies = page.getByRole('grid', { name: 'Copies' });
    const copyRow = copies.getByRole('row').filter({ hasText: source }).first();
    await copyRow.click();
    await page
      .getByRole('toolbar', { name: 'Copy actions' })
      .getByRole('button', { name: 'Verify', exact: true })
      .click();
    await expect(copyRow).toContainText('Trusted', { timeout: 60_000 });
    await screenshot(page, 'journey-5-copies-trusted');

    rmSync(source, { recursive: true });

    await copyRow.click();
    await page
      .getByRole('toolbar', { name: 'Copy actions' })
      .getByRole('button', { name: /^Restore/ })
      .click();
    const restore = page.getByRole('dialog', { name: 'Restore' });
    await expect(restore.getByRole('tree', { name: 'Files' })).toBeVisible();
    await restore.getByRole('textbox', { name: 'Destination' }).fill(destination);
    await screenshot(page, 'journey-6-restore');
    await restore.getByRole('button', { name: 'Start restore' }).click();
    await expect(restore).toBeHidden();
    await sections.getByRole('link', { name: 'Tasks' }).click();
    const restoreRow = tasks.getByRole('row').filter({ hasText: 'Restore' });
    await expect(restoreRow.first()).toContainText(/Done/i, { timeout: 60_000 });
    await screenshot(page, 'journey-7-restored');

    const differences = compareTrees(original, join(destination, 'source'));
    expect(differences).toEqual([]);
  } finally {
    await app.close();
    rmSync(work, { recursive: true, force: true });
  }
});

test('one file is restored out of a copy, and only that one', async () => {
  test.setTimeout(180_000);
  const work = mkdtempSync(join(tmpdir(), 'strongroom-granular-'));
  const source = join(work, 'papers');
  const destination = join(work, 'restored');
  mkdirSync(join(source, 'letters'), { recursive: true });
  mkdirSync(destination);
  execFileSync('sh', [
    '-c',
    'printf one > "$1/letters/a[1].txt"; printf two > "$1/letters/a1.txt"; printf x > "$1/letters/*"',
    'sh',
    source,
  ]);
  const app = await launchApp({ home: join(work, 'home') });
  try {
    const { page } = app;
    await page.getByRole('button', { name: 'Use this computer' }).click();
    const sections = page.getByRole('navigation', { name: 'Sections' });
    await sections.getByRole('link', { name: 'Copies' }).click({ timeout: 30_000 });
    await page.getByRole('button', { name: 'New backup' }).first().click();
    const backup = page.getByRole('dialog', { name: 'New backup' });
    await backup.getByLabel('Folder').fill(source);
    await backup.getByRole('button', { name: 'Start backup' }).click();
    const copyRow = page.getByRole('grid', { name: 'Copies' }).getByRole('row').filter({ hasText: source });
    await copyRow.first().click({ timeout: 60_000 });
    await page
      .getByRole('toolbar', { name: 'Copy actions' })
      .getByRole('button', { name: /^Restore/ })
      .click();
    const restore = page.getByRole('dialog', { name: 'Restore' });
    await restore.getByRole('searchbox', { name: 'Search files' }).fill('a[1]');
    const files = restore.getByRole('tree', { name: 'Files' });
    const wanted = files.getByRole('treeitem').filter({ hasText: 'a[1].txt' });
    await expect(wanted).toHaveCount(1);
    await wanted.getByRole('checkbox').check();
    await restore.getByRole('textbox', { name: 'Destination' }).fill(destination);
    await screenshot(page, 'granular-restore');
    await restore.getByRole('button', { name: 'Start restore' }).click();
    await sections.getByRole('link', { name: 'Tasks' }).click();
    const restoreRow = page
      .getByRole('grid', { name: 'Tasks' })
      .getByRole('row')
      .filter({ hasText: 'Restore' });
    await expect(restoreRow.first()).toContainText(/Done/i, { timeout: 60_000 });
    expect(readdirSync(join(destination, 'papers', 'letters'))).toEqual(['a[1].txt']);
    expect(readFileSync(join(destination, 'papers', 'letters', 'a[1].txt'), 'utf8')).toBe('one');
  } finally {
    await app.close();
    rmSync(work, { recursive: true, force: true });
  }
});
