import { screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { giveElementsASize } from '../support/drawn.tsx';
import { connection, Refused } from '../support/fake-bridge.ts';
import { dialog, openWindow, windowTests } from '../support/window.tsx';
import { page, pool } from './rows.ts';

giveElementsASize();
windowTests();

const rights = ['read', 'write', 'delete'].map((right) => `dynamic_pool_groups.${right}`);
const group = {
  ...{ id: 1, name: 'disks', description: null, pools_count: 1, calculation_period: 60 },
  ...{ max_pool_tasks: 0, max_media_server_tasks: 0, max_cpu_usage: 0 },
  ...{ max_in_block_operations: 0, max_out_block_operations: 0 },
};
const member = { id: 3, dynamic_pool_group: 1, pool: 'pool-1', pool_id: 1, enabled: true, active_tasks: 0 };

let made = 0;

/** What is offered to the group, when the server answers so to the question for its pool. */
async function offeredWhen(poolAnswer: () => unknown): Promise<readonly (string | null)[]> {
  made += 1;
  // What a list of a connection shows is kept.
  const id = `groups-${made}`;
  const { user } = await openWindow({
    'connections.list': () => [connection({ id }, { permissions: [...rights, 'pools.read'] })],
    'taskQueue.list': page(),
    'repository.list': page(),
    'pools.list': page(pool(1), pool(2), pool(3, { pool_type: 'Block device' })),
    'pools.get': poolAnswer,
    'dynamicPoolGroups.list': page(group),
    'dynamicPoolGroupRecords.list': page(member),
  });
  await user.click(screen.getByRole('link', { name: 'Dynamic groups' }));
  await user.click(await screen.findByText('disks'));
  await screen.findByRole('button', { name: 'Take out pool-1 from the group' });
  await user.click(screen.getByRole('button', { name: 'Add pool…' }));
  const form = within(await dialog('Add a pool to disks'));
  return form.getAllByRole('option').map((option) => option.textContent);
}

test('a pool that is in the group already, or of another type, is not offered to it', async () => {
  expect(await offeredWhen(() => pool(1))).toEqual(['pool-2']);
});

test('where the server does not tell the type of the pools of a group, all others are offered', async () => {
  const refuse = () => {
    throw new Refused({ message: 'There is no such pool.' });
  };
  expect(await offeredWhen(refuse)).toEqual(['pool-2', 'pool-3']);
});
