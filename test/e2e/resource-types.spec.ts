import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { findPostgres, initPostgres, startPostgres } from '../support/postgres-server.ts';
import { launchApp } from './support/app.ts';

const section = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name, exact: true });

async function openThisComputer(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Use this computer' }).click();
  await expect(section(page, 'Tasks')).toBeVisible({ timeout: 60_000 });
}

/** The newest task is that of what was asked for last. */
async function taskIsDone(page: Page, resource: string, type: RegExp): Promise<void> {
  await section(page, 'Tasks').click();
  const rows = page.getByRole('grid', { name: 'Tasks' }).getByRole('row').filter({ hasText: resource });
  await expect(rows.filter({ hasText: type }).first()).toContainText(/Done/, { timeout: 120_000 });
}

async function openRestore(page: Page, resource: string) {
  await section(page, 'Copies').click();
  await page
    .getByRole('grid', { name: 'Copies' })
    .getByRole('row')
    .filter({ hasText: resource })
    .first()
    .click();
  await page
    .getByRole('toolbar', { name: 'Copy actions' })
    .getByRole('button', { name: /^Restore/ })
    .click();
  return page.getByRole('dialog', { name: 'Restore' });
}

test('an image is made of a device and written onto another through the window', async () => {
  test.setTimeout(300_000);
  const work = mkdtempSync(join(tmpdir(), 'strongroom-images-'));
  const device = join(work, 'device.img');
  const target = join(work, 'target.img');
  writeFileSync(device, randomBytes(3_000_000));
  truncateSync(device, 20_000_000);
  writeFileSync(target, randomBytes(20_000_000));
  const app = await launchApp({ home: join(work, 'home') });
  try {
    const { page } = app;
    await openThisComputer(page);
    await section(page, 'Tasks').click();
    await page.getByRole('button', { name: 'New backup' }).first().click();
    const backup = page.getByRole('dialog', { name: 'New backup' });
    await backup.getByLabel('Resource type').selectOption('Block device');
    await backup.getByLabel('Folder').fill(device);
    await backup.getByRole('button', { name: 'Start backup' }).click();
    await expect(backup).toBeHidden();
    await taskIsDone(page, device, /Backup/);

    const restore = await openRestore(page, device);
    await restore.getByLabel('Write the image onto a device').check();
    await restore.getByLabel('Destination').fill(target);
    await restore.getByRole('button', { name: 'Start restore' }).click();
    await expect(restore).toBeHidden();
    await taskIsDone(page, device, /Restore/);
    expect(readFileSync(target).equals(readFileSync(device))).toBe(true);
    expect(statSync(target).blocks * 512).toBeLessThan(4_000_000);
  } finally {
    await app.close();
    rmSync(work, { recursive: true, force: true });
  }
});

const found = findPostgres();

test('a PostgreSQL server is backed up and becomes a data directory through the window', async () => {
  test.skip(typeof found === 'string', typeof found === 'string' ? found : '');
  test.setTimeout(300_000);
  const binaries = typeof found === 'string' ? '' : found.binaries;
  const work = mkdtempSync(join(tmpdir(), 'strongroom-postgres-'));
  chmodSync(work, 0o755);
  const home = join(work, 'server');
  mkdirSync(home);
  const data = await initPostgres(binaries, home, [
    'local all postgres trust',
    'host replication backup 127.0.0.1/32 scram-sha-256',
  ]);
  const server = await startPostgres(binaries, data, home);
  await server.query("create role backup login replication password 'canary-4711'");
  await server.query('create table rows as select n from generate_series(1, 1000) n');
  const passwords = join(work, 'passwords');
  writeFileSync(passwords, '*:*:*:backup:canary-4711\n', { mode: 0o600 });
  const address = `postgresql://backup@127.0.0.1:${server.port}`;
  const restored = join(work, 'restored');
  const app = await launchApp({ home: join(work, 'home') });
  try {
    const { page } = app;
    await openThisComputer(page);
    await section(page, 'Tasks').click();
    await page.getByRole('button', { name: 'New backup' }).first().click();
    const backup = page.getByRole('dialog', { name: 'New backup' });
    await backup.getByLabel('Resource type').selectOption('PostgreSQL universal');
    await backup.getByLabel('Folder').fill(address);
    await backup.getByLabel('Password file').fill(passwords);
    await backup.getByRole('button', { name: 'Start backup' }).click();
    await expect(backup).toBeHidden();
    await taskIsDone(page, address, /Backup/);

    const restore = await openRestore(page, address);
    await restore.getByLabel('Destination').fill(restored);
    await restore.getByRole('button', { name: 'Start restore' }).click();
    await expect(restore).toBeHidden();
    await taskIsDone(page, address, /Restore/);
    execFileSync(join(binaries, 'pg_verifybackup'), ['--no-parse-wal', restored], { stdio: 'pipe' });
    const again = await startPostgres(binaries, restored, home);
    const [row] = await again.query<{ count: number }>('select count(*)::int as count from rows');
    await again.stop();
    expect(row?.count).toBe(1000);
  } finally {
    await app.close();
    await server.stop();
    rmSync(work, { recursive: true, force: true });
  }
});
