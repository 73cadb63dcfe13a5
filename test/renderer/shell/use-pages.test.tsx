import { screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { type AskPage, pagesOf } from '../../../renderer/shell/list-pages.ts';
import { page } from '../features/rows.ts';
import { giveElementsASize } from '../support/drawn.tsx';
import { connection, Refused } from '../support/fake-bridge.ts';
import { openWindow, windowTests } from '../support/window.tsx';

giveElementsASize();
windowTests();

let made = 0;
async function openSection(section: string, answers: Parameters<typeof openWindow>[0]) {
  made += 1;
  const permissions = ['dynamic_pool_groups.read', 'dynamic_pool_groups.delete', 'ldap.read', 'ldap.delete'];
  const one = connection({ id: `pages-${made}` }, { permissions, extensions: ['ldap_mappings'] });
  const view = await openWindow({ 'connections.list': () => [one], 'taskQueue.list': page(), ...answers });
  await view.user.click(screen.getByRole('link', { name: section }));
  return view;
}

/** A server that gives two of three at a time. */
const twoOf =
  <R,>(...all: readonly R[]) =>
  (input: unknown) => {
    const { page: at } = (input as { query: { page: number } }).query;
    return { items: all.slice((at - 1) * 2, at * 2), total: all.length };
  };

test('pools of a dynamic group beyond the first page are counted, and come when they are asked for', async () => {
  const group = {
    id: 1,
    name: 'Disks',
    pools_count: 3,
    max_pool_tasks: 0,
    max_media_server_tasks: 0,
    max_cpu_usage: 0,
    max_in_block_operations: 0,
    max_out_block_operations: 0,
    calculation_period: 60,
    description: null,
  };
  const member = (id: number) => ({ id, pool: `pool-${id}`, enabled: true, active_tasks: 0 });
  const { user } = await openSection('Dynamic groups', {
    'dynamicPoolGroups.list': page(group),
    'dynamicPoolGroupRecords.list': twoOf(member(1), member(2), member(3)),
  });
  await user.click(await screen.findByRole('row', { name: /Disks/ }));
  const pools = within(await screen.findByRole('list', { name: 'Pools of the group' }));
  expect(await pools.findByText('and 1 more')).toBeTruthy();
  expect(pools.queryByText('pool-3')).toBeNull();
  await user.click(pools.getByRole('button', { name: 'Show more' }));
  expect(await pools.findByText('pool-3')).toBeTruthy();
  expect(pools.getByText('pool-1')).toBeTruthy();
  expect(pools.queryByText(/more$/)).toBeNull();
});

test('so are groups of the directory that have a role; a failure says why, and what was there stays', async () => {
  let isAway = false;
  const mapping = (id: number) => ({ id, group: `group-${id}`, sid: 'S-1', role: 'auditor' });
  const all = twoOf(mapping(1), mapping(2), mapping(3));
  const { user } = await openSection('Directory', {
    'directory.get': () => ({
      domain_type: 'MS_AD',
      protocol: 'ldaps',
      address: 'dc1',
      port: 636,
      client_cert: null,
      root_cert: null,
      domain: 'lab.example',
      login: 'reader',
      user_search_base: 'OU=People',
      group_search_base: 'OU=Groups',
    }),
    'directoryMappings.list': (input) => {
      if (isAway) throw new Refused({ message: 'The server is away.' });
      return all(input);
    },
  });
  expect(await screen.findByText('and 1 more')).toBeTruthy();
  isAway = true;
  await user.click(screen.getByRole('button', { name: 'Show more' }));
  expect(await screen.findByText('The server is away.')).toBeTruthy();
  expect(screen.getByText('group-2')).toBeTruthy();
  isAway = false;
  await user.click(screen.getByRole('button', { name: 'Show more' }));
  expect(await screen.findByText('group-3')).toBeTruthy();
  expect(screen.queryByText('The server is away.')).toBeNull();
});

test('a failure of the first try offers another one', async () => {
  let isAway = true;
  const { user } = await openSection('Directory', {
    'directory.get': () => {
      throw new Refused({ status: 404, message: 'There is none.' });
    },
    'directoryMappings.list': () => {
      if (isAway) throw new Refused({ message: 'The server is away.' });
      return { items: [{ id: 1, group: 'group-1', sid: 'S-1', role: 'auditor' }], total: 1 };
    },
  });
  const alert = within(await screen.findByRole('alert'));
  expect(alert.getByText('The server is away.')).toBeTruthy();
  isAway = false;
  await user.click(alert.getByRole('button', { name: 'Retry' }));
  expect(await screen.findByText('group-1')).toBeTruthy();
  expect(screen.queryByRole('alert')).toBeNull();
});

test('a server that counts more than it lists is asked no more', async () => {
  const asked: number[] = [];
  const ask: AskPage<string> = async ({ page: at }) => {
    asked.push(at);
    return { items: at === 1 ? ['a'] : [], total: 9 };
  };
  expect(await pagesOf(5, ask)).toEqual({ items: ['a'], rest: 8, shown: 2 });
  expect(asked).toEqual([1, 2]);
});
