import { act, screen, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { ShownObject } from '../../../contract/desktop/settings.ts';
import { branchesOf } from '../../../renderer/features/media-servers/storage-tree.ts';
import { goTo } from '../../../renderer/shell/shell-store.ts';
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
  return {
    ...view,
    id: one.id,
    tree: await screen.findByRole('tree', { name: 'Storages by media server and pool' }),
  };
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

describe('the page of a line', () => {
  const details = () => screen.getByRole('region', { name: 'Details' });
  const title = () => within(details()).getByRole('heading', { level: 2 }).textContent;
  const tree = () => screen.getByRole('tree', { name: 'Storages by media server and pool' });

  test('comes by Enter or a double click for servers, pools and storages alike, and is left to its line', async () => {
    const { user, settings } = await openTree({});
    await user.click(item(tree(), /^server-1/));
    await user.keyboard('{Enter}');
    expect(screen.queryByRole('tree')).toBeNull();
    expect(title()).toBe('server-1');
    expect(settings().lastObject).toEqual({ list: 'Storage tree', id: 'server/1', view: 'tree' });
    await user.keyboard('{Escape}');
    expect(document.activeElement).toBe(tree());
    expect(item(tree(), /^server-1/).getAttribute('aria-selected')).toBe('true');
    // As it was: what Enter opens is turned round by arrows alone.
    expect(item(tree(), /^server-1/).getAttribute('aria-expanded')).toBe('true');
    await user.dblClick(item(tree(), /^pool-1/));
    expect(title()).toBe('pool-1');
    await user.keyboard('{Alt>}{ArrowLeft}{/Alt}');
    await user.keyboard('{ArrowRight}');
    await user.dblClick(item(tree(), /^\/backups\/2/));
    expect(title()).toBe('/backups/2');
    expect(settings().lastObject).toMatchObject({ id: 'folder/2' });
    await user.click(screen.getByRole('button', { name: 'Back to the list (Esc)' }));
    expect(item(tree(), /^\/backups\/2/).getAttribute('aria-selected')).toBe('true');
  });

  test('is that of its list where that has one: servers and devices lead to their own', async () => {
    const device = { id: 4, device: '/dev/sdx', pool: 'pool-1', media_server: 'server-1', description: null };
    const size = { size: 1024 ** 3, used: 1024, status: 'Online', parallel_workers: 1 };
    const { user, settings } = await openTree({ 'blockDevices.list': page({ ...device, ...size }) });
    await user.click(item(tree(), /^server-1/));
    await user.click(within(details()).getByRole('button', { name: 'Show in “Servers”' }));
    const page1 = await screen.findByRole('region', { name: 'Media server details' });
    expect(within(page1).getByRole('heading', { level: 2 }).textContent).toBe('server-1');
    expect(screen.getByRole('button', { name: 'Edit…' })).toBeTruthy();
    await user.keyboard('{Escape}');
    await user.click(item(await screen.findByRole('tree'), /^pool-1/));
    await user.keyboard('{ArrowRight}');
    await user.click(item(tree(), /^\/dev\/sdx/));
    await user.click(within(details()).getByRole('button', { name: 'Show in “Block devices”' }));
    expect(settings().lastObject).toEqual({ list: 'Block devices', id: 4, view: 'block' });
  });

  test('is found beyond the first page of its list, and what is gone is said (case 45)', async () => {
    const paged = (rows: readonly object[]) => (input: unknown) => {
      const { query } = input as { query: { page: number } };
      return { items: rows.slice(query.page - 1, query.page), total: rows.length };
    };
    const pools = [1, 2, 3].map((id) => pool(id, { media_server: 'server-1' }));
    const { id, callsOf } = await openTree({ 'pools.list': paged(pools) });
    const place = (lineId: string) =>
      act(() =>
        goTo({
          connectionId: id,
          section: 'Media servers',
          object: { list: 'Storage tree', id: lineId, view: 'tree' },
        }),
      );
    place('pool/3');
    expect(await screen.findByRole('heading', { level: 2, name: 'pool-3' })).toBeTruthy();
    place('pool/9');
    expect(await screen.findByText('It is not there any more.')).toBeTruthy();
    expect(callsOf('pools.list').length).toBeLessThan(12);
  });

  test('has an address that the settings take, whatever the names are', async () => {
    const name = `un/listed ${'x'.repeat(10_000)} \ud800`;
    const { user, settings } = await openTree({
      'pools.list': page(pool(1, { media_server: name })),
      'storages.list': page(),
    });
    await user.dblClick(item(tree(), /^un\/listed/));
    expect(title()).toContain('un/listed xxx');
    expect(ShownObject.safeParse(settings().lastObject).success).toBe(true);
  });
});

test('names that only meet when they are joined are two lines', () => {
  const places = [
    { kind: 'folder' as const, record: folder(1, { media_server: 'a', pool: 'b/c' }) as never },
    { kind: 'folder' as const, record: folder(2, { media_server: 'a/b', pool: 'c' }) as never },
  ];
  const branches = branchesOf({ servers: [], pools: [], places });
  const ids = branches.flatMap((branch) => [branch.id, ...branch.pools.map((one) => one.id)]);
  expect(new Set(ids).size).toBe(4);
});
