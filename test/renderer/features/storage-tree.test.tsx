import { screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { giveElementsASize } from '../support/drawn.tsx';
import { connection, Refused } from '../support/fake-bridge.ts';
import { openWindow, windowTests } from '../support/window.tsx';
import { page, pool } from './rows.ts';

giveElementsASize();
windowTests();

const rights = ['media_servers', 'pools', 'storages', 'block_devices', 'tape_libraries'].map(
  (area) => `${area}.read`,
);
const server = (id: number, change: object = {}) => ({
  ...{ id, name: `server-${id}`, online: true, role: 'media', ip: '10.0.0.1', pools_count: 1 },
  ...{ active_tasks: 0, version: '1.0', description: null, ...change },
});
const folder = (id: number, change: object = {}) => ({
  ...{ id, path: `/backups/${id}`, pool: 'pool-1', media_server: 'server-1', description: null },
  ...{ total_space: 1024 ** 3, used_space: 1024 ** 2, free_space: 1024 ** 3 - 1024 ** 2, status: 'Online' },
  ...change,
});
let made = 0;

async function openTree(answers: Parameters<typeof openWindow>[0], permissions: readonly string[] = rights) {
  made += 1;
  const one = connection({ id: `tree-${made}` }, { permissions: [...permissions] });
  const view = await openWindow({
    'connections.list': () => [one],
    'taskQueue.list': page(),
    'repository.list': page(),
    'mediaServers.list': page(server(1), server(2, { online: false, name: 'far \u202Eaway' })),
    'pools.list': page(pool(1, { media_server: 'server-1' }), pool(2, { media_server: 'far \u202Eaway' })),
    'storages.list': page(folder(1), folder(2, { status: 'Offline' })),
    'blockDevices.list': page(),
    'tapeLibraries.list': page(),
    ...answers,
  });
  await view.user.click(screen.getByRole('link', { name: 'Media servers' }));
  await view.user.click(await screen.findByRole('tab', { name: 'Pools and storages' }));
  return { ...view, tree: await screen.findByRole('tree', { name: 'Storages by media server and pool' }) };
}
const item = (tree: HTMLElement, name: string | RegExp) => within(tree).getByRole('treeitem', { name });

test('servers have their pools, pools where their copies lie, and each line says how it is', async () => {
  const { tree, user } = await openTree({});
  expect(item(tree, /^far \\u202eaway/).textContent).toContain('offline, 1 pool');
  const first = item(tree, /^pool-1/);
  expect(first.textContent).toContain('1 storage out of reach');
  expect(item(tree, /^pool-2/).textContent).toContain('no storage');
  expect(within(tree).queryByRole('treeitem', { name: /^\/backups/ })).toBeNull();
  await user.click(first);
  await user.keyboard('{ArrowRight}');
  expect(item(tree, /^\/backups\/1/).textContent).toContain('Online, 1.00 MiB of 1.00 GiB used');
  expect(item(tree, /^\/backups\/2/).textContent).toContain('Offline');
  await user.click(item(tree, /^\/backups\/2/));
  const details = screen.getByRole('region', { name: 'Details' });
  expect(within(details).getByRole('heading', { level: 2 }).textContent).toBe('/backups/2');
  await user.click(within(details).getByRole('button', { name: 'Show in “Storages”' }));
  const grid = await screen.findByRole('grid', { name: 'Storages' });
  expect((await within(grid).findByRole('row', { selected: true })).textContent).toContain('/backups/2');
});

test('what a server refuses or an account may not see is said, and the rest of the tree stands', async () => {
  const { tree } = await openTree(
    {
      'storages.list': () => {
        throw new Refused({ message: 'No <b>storages</b> here.' });
      },
    },
    rights.filter((right) => right !== 'tape_libraries.read'),
  );
  expect(within(tree).getByText('Local folders are not shown: No <b>storages</b> here.')).toBeTruthy();
  expect(within(tree).getByText(/^Tape libraries are not shown: .*tape_libraries\.read/)).toBeTruthy();
  expect(item(tree, /^pool-1/)).toBeTruthy();
});

test('a storage whose pool is not listed has its pool all the same', async () => {
  const { tree } = await openTree({
    'pools.list': page(),
    'storages.list': page(folder(1, { pool: 'unlisted' })),
  });
  expect(item(tree, /^unlisted/)).toBeTruthy();
});

test('what is beyond the first page of servers, pools and storages is counted, and shown when it is asked for', async () => {
  const paged = (names: readonly object[]) => (input: unknown) => {
    const { query } = input as { query: { page: number } };
    return { items: names.slice(query.page - 1, query.page), total: names.length };
  };
  const { tree, user } = await openTree({
    'mediaServers.list': paged([server(1), server(2), server(3)]),
    'pools.list': paged([pool(1, { media_server: 'server-1' }), pool(2, { media_server: 'server-1' })]),
    'storages.list': paged([folder(1)]),
  });
  expect(within(tree).queryByRole('treeitem', { name: /^server-2/ })).toBeNull();
  expect(item(tree, 'Pools: show more (1)')).toBeTruthy();
  expect(within(tree).queryByText(/Local folders/)).toBeNull();
  await user.click(item(tree, 'Media servers: show more (2)'));
  expect(await within(tree).findByRole('treeitem', { name: /^server-2/ })).toBeTruthy();
  await user.click(item(tree, 'Media servers: show more (1)'));
  expect(await within(tree).findByRole('treeitem', { name: /^server-3/ })).toBeTruthy();
  expect(within(tree).queryByRole('treeitem', { name: /Media servers/ })).toBeNull();
  expect(item(tree, 'Pools: show more (1)')).toBeTruthy();
});
