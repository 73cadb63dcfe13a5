import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page, test } from '@playwright/test';
import { change, goTo, inDialog, openTab, remove, rows } from './support/screens.ts';
import { manyServers } from './support/servers.ts';
import { inBothThemes } from './support/themes.ts';

const { launch, work } = manyServers();

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

test('pools of each type, folders, devices and dynamic groups are made, changed and deleted', async () => {
  test.setTimeout(300_000);
  const { page } = await launch('home');
  await page.getByRole('button', { name: 'Use this computer' }).click();

  await test.step('pools have the fields of their type', async () => {
    await goTo(page, 'Pools');
    for (const type of ['File system', 'Tape library', 'Cloud', 'Client defined', 'Block device']) {
      await inDialog(page, button(page, 'New pool'), 'New pool', async (dialog) => {
        await dialog.getByLabel('Name').fill(`of ${type}`);
        await dialog.getByLabel('Type').selectOption(type);
        const compressed = !['Block device', 'Client defined'].includes(type);
        await expect(dialog.getByLabel('Compression')).toHaveCount(compressed ? 1 : 0);
        await expect(dialog.getByLabel('Pool for the metadata')).toHaveCount(type === 'Block device' ? 1 : 0);
        await dialog.getByLabel('Retention').fill('2 years');
        await dialog.getByLabel('Description').fill('made here');
        await dialog.getByRole('button', { name: 'Create pool' }).click();
      });
      await expect(rows(page, 'Pools', `of ${type}`)).toContainText('2 years');
    }
    await change(page, rows(page, 'Pools', 'of File system'), 'Edit pool of File system', async (dialog) => {
      await dialog.getByLabel('Name').fill('Archive');
      await dialog.getByLabel('Compression').selectOption('Best');
      await dialog.getByLabel('Retention').fill('');
    });
    await expect(page.getByRole('region', { name: 'Pool details' })).toContainText('Best');
    await remove(page, rows(page, 'Pools', 'of Cloud'), 'Delete pools');
  });

  await test.step('a local folder', async () => {
    const folder = join(work(), 'folder');
    mkdirSync(folder);
    await goTo(page, 'Storages');
    await inDialog(page, button(page, 'New storage'), 'New storage', async (dialog) => {
      await dialog.getByLabel('Path').fill(folder);
      await dialog.getByLabel('Pool').selectOption('Archive');
      await dialog.getByRole('button', { name: 'Add storage' }).click();
    });
    await change(page, rows(page, 'Storages', folder), 'Edit storage', (dialog) =>
      dialog.getByLabel('Description').fill('on the second disk'),
    );
    await expect(page.getByRole('region', { name: 'Storage details' })).toContainText('on the second disk');
    await remove(page, rows(page, 'Storages', folder), 'Delete storages');
  });

  await test.step('a block device, which is not overwritten before a person says so', async () => {
    const image = join(work(), 'disk.img');
    writeFileSync(image, randomBytes(2 ** 21));
    await openTab(page, 'Block devices', 'Block devices');
    await inDialog(page, button(page, 'New block device'), 'New block device', async (dialog) => {
      await dialog.getByLabel('Device', { exact: true }).fill(image);
      await dialog.getByRole('button', { name: 'Add block device' }).click();
      await expect(dialog.getByText(/data of an unknown kind/).first()).toBeVisible();
      await inBothThemes(page, 'block-device-overwrite');
      await dialog.getByRole('checkbox', { name: /overwrite|lose|lost/i }).check();
      await dialog.getByRole('button', { name: 'Add block device' }).click();
    });
    await change(page, rows(page, 'Block devices', image), 'Edit block device', async (dialog) => {
      await dialog.getByLabel('Parallel workers').fill('65');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await expect(dialog.getByText(/from 1 to 64/).first()).toBeVisible();
      await dialog.getByLabel('Parallel workers').fill('12');
    });
    await expect(page.getByRole('region', { name: 'Block device details' })).toContainText('12');
    await remove(page, rows(page, 'Block devices', image), 'Delete block devices');
  });

  await test.step('a dynamic group and its members', async () => {
    await goTo(page, 'Dynamic groups');
    await inDialog(page, button(page, 'New group'), 'New group', async (dialog) => {
      await dialog.getByLabel('Name').fill('Together');
      await dialog.getByRole('button', { name: 'Create group' }).click();
    });
    await change(page, rows(page, 'Dynamic groups', 'Together'), 'Edit group Together', async (dialog) => {
      await dialog.getByLabel('Tasks at a time on one pool').fill('3');
      await dialog.getByLabel('Description').fill('of equal value');
    });
    await expect(rows(page, 'Dynamic groups', 'of equal value')).toHaveCount(1);
    const group = page.getByRole('region', { name: 'Group details' });
    await inDialog(page, button(page, 'Add pool…'), 'Add a pool to Together', async (dialog) => {
      await dialog.getByLabel('Pool').selectOption('Archive');
      await dialog.getByRole('checkbox').uncheck();
      await dialog.getByRole('button', { name: 'Add' }).click();
    });
    await expect(group.getByRole('listitem').filter({ hasText: 'Archive' })).toContainText('gets no tasks');
    await remove(page, rows(page, 'Dynamic groups', 'Together'), 'Delete dynamic groups', /pools stay/i);
  });

  await test.step('the media server, which stays while it has pools', async () => {
    await goTo(page, 'Media servers');
    const server = page.getByRole('grid', { name: 'Media servers' }).getByRole('row').nth(1);
    await change(page, server, /^Edit media server/, (dialog) =>
      dialog.getByLabel('Description').fill('in the cellar'),
    );
    await expect(server).toContainText('in the cellar');
    await server.click();
    await button(page, 'Delete…').click();
    const removal = page.getByRole('dialog', { name: 'Delete media servers' });
    await removal.getByRole('button', { name: 'Delete', exact: true }).click();
    await expect(removal.getByRole('alert')).toBeVisible();
    await removal.getByRole('button', { name: 'Cancel' }).click();
    await expect(server).toHaveCount(1);
  });
});

test('strategies, rules, limits, backups and restores have every option, and are changed and deleted', async () => {
  test.setTimeout(300_000);
  const source = join(work(), 'source');
  mkdirSync(source);
  writeFileSync(join(source, 'a.txt'), 'a');
  const { page } = await launch('home');
  await page.getByRole('button', { name: 'Use this computer' }).click();

  await test.step('a strategy that is valid for some days only', async () => {
    await goTo(page, 'Strategies');
    await inDialog(page, button(page, 'New strategy'), 'New strategy', async (dialog) => {
      await dialog.getByLabel('Name').fill('Nightly');
      await dialog.getByLabel('Full copies').fill('30 2 * * *');
      await dialog.getByLabel('Valid from').fill('2040-03-01');
      await dialog.getByLabel('Valid until').fill('2040-03-02');
      const ahead = dialog.getByRole('table', { name: 'Next runs before saving' });
      await expect(ahead).toContainText('2040');
      await expect(ahead.locator('tbody tr')).toHaveCount(2);
      await dialog.getByRole('button', { name: 'Create strategy' }).click();
    });
    await change(page, rows(page, 'Strategies', 'Nightly'), 'Edit strategy Nightly', async (dialog) => {
      await expect(dialog.getByLabel('Valid until')).toHaveValue('2040-03-02 23:59:59');
      await dialog.getByLabel('Valid until').fill('');
      await dialog.getByLabel('Priority').fill('500');
    });
    await expect(page.getByRole('region', { name: 'Strategy details' })).toContainText('500');
  });

  await test.step('a rule with options of its module', async () => {
    await goTo(page, 'Strategy rules');
    await inDialog(page, button(page, 'New rule'), 'New rule', async (dialog) => {
      await dialog.getByLabel('Strategy').selectOption('Nightly');
      await dialog.getByLabel('Folder', { exact: true }).fill('/srv/data');
      await dialog.getByText('Options of the module').click();
      await dialog.getByLabel('Restore owners by number').check();
      await dialog.getByText('Load and memory').click();
      await expect(dialog.getByLabel('Memory at most (GB)')).toHaveValue('0');
      await dialog.getByLabel('Workers').fill('3');
      await dialog.getByLabel('Stop a task that needs more memory').check();
      await inBothThemes(page, 'rule-options');
      await dialog.getByRole('button', { name: 'Create rule' }).click();
      await expect(dialog.getByText(/needs a memory_threshold/).first()).toBeVisible();
      await dialog.getByLabel('Memory at most (GB)').fill('2');
      await dialog.getByRole('button', { name: 'Create rule' }).click();
    });
    const details = page.getByRole('region', { name: 'Rule details' });
    await change(page, rows(page, 'Strategy rules', '/srv/data'), 'Edit rule', async (dialog) => {
      await dialog.getByText('Load and memory').click();
      await expect(dialog.getByLabel('Workers')).toHaveValue('3');
      await dialog.getByLabel('Workers').fill('5');
    });
    const fact = (name: string) => details.locator('dt', { hasText: name }).locator('+ dd');
    await expect(fact('Workers')).toHaveText('5');
    await expect(fact('Memory at most (GB)')).toHaveText('2');
    await expect(fact('Restore owners by number')).toHaveText('yes');
    await remove(page, rows(page, 'Strategy rules', '/srv/data'), 'Delete strategy rules');
    await goTo(page, 'Strategies');
    await remove(page, rows(page, 'Strategies', 'Nightly'), 'Delete strategies');
  });

  await test.step('a bandwidth limit', async () => {
    await goTo(page, 'Bandwidth');
    await inDialog(page, button(page, 'New limit'), 'New limit', async (dialog) => {
      await dialog.getByLabel('Backup (KB/s)').fill('2000000');
      await dialog.getByRole('button', { name: 'Create limit' }).click();
    });
    await change(page, rows(page, 'Bandwidth', '2,000,000'), 'Edit limit', async (dialog) => {
      await dialog.getByLabel('Restore (KB/s)').fill('1500000');
      await dialog.getByLabel('From').fill('22:00:00');
      await dialog.getByLabel('Until').fill('23:00:00');
    });
    await remove(page, rows(page, 'Bandwidth', '1,500,000'), 'Delete limits');
  });

  await test.step('a backup and a restore with options', async () => {
    await goTo(page, 'Tasks');
    await inDialog(
      page,
      page.getByRole('button', { name: 'New backup' }).first(),
      'New backup',
      async (dialog) => {
        await dialog.getByLabel('Folder').fill(source);
        await dialog.getByText('Further options').click();
        await dialog.getByLabel('Priority').fill('1001');
        await inBothThemes(page, 'backup-options');
        await dialog.getByRole('button', { name: 'Start backup' }).click();
        await expect(dialog.getByText(/must be 1000 at most/)).toBeVisible();
        await dialog.getByLabel('Priority').fill('700');
        await dialog.getByLabel('Is for an archive').check();
        await dialog.getByLabel('Workers').fill('2');
        await dialog.getByRole('button', { name: 'Start backup' }).click();
      },
    );
    const task = rows(page, 'Tasks', source);
    await expect(task).toContainText('Done', { timeout: 60_000 });
    await task.click();
    const details = page.getByRole('region', { name: 'Task details' });
    const fact = (name: string) => details.locator('dt', { hasText: name }).locator('+ dd');
    await expect(fact('Priority')).toHaveText('700');
    await expect(fact('For an archive')).toHaveText('yes');

    await goTo(page, 'Copies');
    await rows(page, 'Copies', source).click();
    await inDialog(page, button(page, 'Restore…'), 'Restore', async (dialog) => {
      await dialog.getByLabel('Destination', { exact: true }).fill(join(work(), 'back'));
      await dialog.getByText('Load and memory').click();
      await dialog.getByLabel('Workers').fill('65');
      await dialog.getByRole('button', { name: 'Start restore' }).click();
      await expect(dialog.getByText(/from 1 to 64/).first()).toBeVisible();
      await dialog.getByLabel('Workers').fill('1');
      await inBothThemes(page, 'restore-options');
      await dialog.getByRole('button', { name: 'Start restore' }).click();
    });
    await goTo(page, 'Tasks');
    await expect(rows(page, 'Tasks', 'Restore')).toContainText('Done', { timeout: 60_000 });
  });
});
