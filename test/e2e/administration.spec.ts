import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Locator, type Page, test } from '@playwright/test';
import { launchApp, screenshot } from './support/app.ts';

/** What an administrator sets up once, through the window and against the real backend. */
test('strategies, rules, limits, groups, devices and the directory are made, shown, changed and deleted', async () => {
  test.setTimeout(240_000);
  const work = mkdtempSync(join(tmpdir(), 'strongroom-administration-'));
  const image = join(work, 'disk.img');
  writeFileSync(image, Buffer.alloc(2 ** 21));
  const app = await launchApp({ home: join(work, 'home') });
  try {
    const { page } = app;
    await page.getByRole('button', { name: 'Use this computer' }).click();
    const goTo = async (section: string): Promise<void> => {
      const sections = page.getByRole('navigation', { name: 'Sections' });
      await sections.getByRole('link', { name: section, exact: true }).click();
      await expect(page.getByRole('heading', { level: 1, name: section })).toBeVisible({ timeout: 30_000 });
    };
    const fill = async (button: string, title: string, work: (dialog: Locator) => Promise<void>) => {
      await page.getByRole('button', { name: button, exact: true }).click();
      const dialog = page.getByRole('dialog', { name: title });
      await work(dialog);
      await expect(dialog).toBeHidden();
    };

    await goTo('Strategies');
    await expect(rows(page, 'Strategies', 'Monthly')).toHaveCount(1);
    await fill('New strategy', 'New strategy', async (dialog) => {
      await dialog.getByLabel('Name').fill('Nightly');
      await dialog.getByLabel('Full copies').fill('99 * * * *');
      await dialog.getByLabel('Time zone').fill('Europe/Paris');
      await dialog.getByRole('button', { name: 'Create strategy' }).click();
      await expect(dialog.getByText(/is not a cron schedule/)).toBeVisible();
      await dialog.getByLabel('Full copies').fill('30 2 * * *');
      await screenshot(page, 'strategy-form');
      await dialog.getByRole('button', { name: 'Create strategy' }).click();
    });
    await rows(page, 'Strategies', 'Nightly').click();
    const strategy = page.getByRole('region', { name: 'Strategy details' });
    const runs = strategy.getByRole('table', { name: 'Next runs' });
    await expect(runs.locator('tbody tr:not(.runs-change)')).toHaveCount(10);
    await expect(runs.locator('tbody tr').first()).toContainText('02:30');
    await expect(runs.locator('tbody td').nth(1)).toHaveAttribute('title', /0[01]:30:00Z/);
    await screenshot(page, 'strategy-details');

    await goTo('Strategy rules');
    await fill('New rule', 'New rule', async (dialog) => {
      await dialog.getByLabel('Strategy').selectOption('Nightly');
      await dialog.getByLabel('Folder', { exact: true }).fill('/srv/data');
      await dialog.getByRole('button', { name: 'Create rule' }).click();
    });
    await rows(page, 'Strategy rules', '/srv/data').click();
    await expect(page.getByRole('region', { name: 'Rule details' })).toContainText(
      'Size of the snapshot (%)',
    );
    await screenshot(page, 'rule-details');
    await fill('Edit…', 'Edit rule', async (dialog) => {
      await dialog.getByLabel(/Makes copies/).uncheck();
      await dialog.getByRole('button', { name: 'Save' }).click();
    });
    await expect(rows(page, 'Strategy rules', 'waits')).toHaveCount(1);

    await goTo('Clients');
    await page.getByRole('tab', { name: 'Waiting' }).click();
    await fill('New join token', 'New join token', async (dialog) => {
      await dialog.getByRole('button', { name: 'Make token' }).click();
      await expect(dialog.getByText('It is shown only now.')).toBeVisible();
      await screenshot(page, 'join-token');
      await dialog.getByRole('button', { name: 'Copy and close' }).click();
    });

    await goTo('Bandwidth');
    await fill('New limit', 'New limit', async (dialog) => {
      await dialog.getByLabel('Backup (KB/s)').fill('2000');
      await dialog.getByLabel('From').fill('22:00:00');
      await dialog.getByLabel('Until').fill('06:00:00');
      await dialog.getByRole('button', { name: 'Create limit' }).click();
    });
    await expect(rows(page, 'Bandwidth', '06:00:00 of the next day')).toHaveCount(1);
    await screenshot(page, 'bandwidth-full');

    await goTo('Pools');
    await fill('New pool', 'New pool', async (dialog) => {
      await dialog.getByLabel('Name').fill('Blocks');
      await dialog.getByLabel('Type').selectOption('Block device');
      await dialog.getByLabel('Pool for the metadata').selectOption('Default');
      await screenshot(page, 'block-pool-form');
      await dialog.getByRole('button', { name: 'Create pool' }).click();
    });
    await expect(rows(page, 'Pools', 'Blocks')).toHaveCount(1);

    await goTo('Storages');
    await page.getByRole('tab', { name: 'Block devices' }).click();
    await fill('New block device', 'New block device', async (dialog) => {
      await dialog.getByLabel('Device', { exact: true }).fill(image);
      await dialog.getByRole('button', { name: 'Add block device' }).click();
    });
    await expect(rows(page, 'Block devices', 'disk.img')).toHaveCount(1);
    await screenshot(page, 'block-devices-full');

    await goTo('Dynamic groups');
    await fill('New group', 'New group', async (dialog) => {
      await dialog.getByLabel('Name').fill('Together');
      await dialog.getByLabel('Tasks at a time on one pool').fill('2');
      await dialog.getByRole('button', { name: 'Create group' }).click();
    });
    await rows(page, 'Dynamic groups', 'Together').click();
    const group = page.getByRole('region', { name: 'Group details' });
    await fill('Add pool…', 'Add a pool to Together', async (dialog) => {
      await dialog.getByLabel('Pool').selectOption('Default');
      await dialog.getByRole('button', { name: 'Add' }).click();
    });
    await expect(group.getByRole('listitem').filter({ hasText: 'Default' })).toHaveCount(1);
    await screenshot(page, 'dynamic-group-details');
    await group.getByRole('button', { name: 'Take out Default from the group' }).click();
    await expect(group.getByText('It has no pool yet.')).toBeVisible();

    await goTo('Tape libraries');
    await expect(page.getByText(/There is no tape library/)).toBeVisible();
    await page.getByRole('button', { name: 'New library' }).click();
    const adding = page.getByRole('dialog', { name: 'New library' });
    await expect(adding.getByText(/No robot was found/)).toBeVisible();
    await adding.getByRole('button', { name: 'Cancel' }).click();

    await goTo('Directory');
    await expect(page.getByText(/No domain controller is connected/)).toBeVisible();
    await fill('Set connection…', 'Directory connection', async (dialog) => {
      await dialog.getByLabel('Address').fill('dc1.lab.example');
      await dialog.getByLabel('Domain', { exact: true }).fill('lab.example');
      await dialog.getByLabel('Account').fill('reader@lab.example');
      await dialog.getByLabel('Password').fill('a secret');
      await dialog.getByLabel('Users below').fill('DC=lab,DC=example');
      await dialog.getByLabel('Groups below').fill('DC=lab,DC=example');
      await dialog.getByLabel('Root certificate').fill('no certificate');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await expect(dialog.getByText(/is not a certificate in PEM form/)).toBeVisible();
      await screenshot(page, 'directory-form');
      await dialog.getByLabel('Root certificate').fill('');
      await dialog.getByRole('button', { name: 'Save' }).click();
    });
    await expect(page.getByRole('region', { name: 'Connection' })).toContainText('dc1.lab.example, port 636');
    await screenshot(page, 'directory-full');
    await fill('Give a group a role…', 'Give a group a role', async (dialog) => {
      await dialog.getByLabel('Group').fill('Backup Admins');
      await dialog.getByLabel('Role').selectOption('maintainer');
      await dialog.getByRole('button', { name: 'Save' }).click();
    });
    await page.getByRole('button', { name: 'Take away maintainer from Backup Admins' }).click();
    await expect(page.getByText(/No group has a role/)).toBeVisible({ timeout: 30_000 });
    await fill('Forget…', 'Forget the directory connection', async (dialog) => {
      await expect(dialog).toContainText('Users of the domain are signed out');
      await dialog.getByRole('button', { name: 'Forget', exact: true }).click();
    });
    await expect(page.getByText(/No domain controller is connected/)).toBeVisible();

    await goTo('Audit log');
    await expect(rows(page, 'Audit log', 'strategies.create').first()).toBeVisible();
    await screenshot(page, 'audit-log-full');

    await goTo('Strategy rules');
    await rows(page, 'Strategy rules', '/srv/data').click();
    await page.getByRole('button', { name: 'Delete…' }).click();
    const removal = page.getByRole('dialog', { name: 'Delete strategy rules' });
    await expect(removal).toContainText('Copies that were made by them stay.');
    await removal.getByRole('button', { name: 'Delete', exact: true }).click();
    await expect(page.getByText(/No resource is bound to a strategy/)).toBeVisible();
  } finally {
    await app.close();
    rmSync(work, { recursive: true, force: true });
  }
});

function rows(page: Page, grid: string, text: string): Locator {
  return page.getByRole('grid', { name: grid, exact: true }).getByRole('row').filter({ hasText: text });
}
