import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import type { ExpiryHold } from '../../../contract/repository/expiry-hold.ts';
import { giveElementsASize } from '../support/drawn.tsx';
import { connection, Refused } from '../support/fake-bridge.ts';
import { dialog, openWindow, windowTests } from '../support/window.tsx';

giveElementsASize();
windowTests();

const held: ExpiryHold = {
  held: true,
  clock: '2031-01-15 12:00:00.000000',
  clock_before: '2030-01-15 12:00:00.000000',
  copies: 214,
};
const free: ExpiryHold = { ...held, held: false, clock_before: null, copies: 0 };
const mayConfirm = ['task_queue.read', 'global_configuration.read', 'global_configuration.write'];

async function openOverview(
  permissions: readonly string[],
  hold: () => ExpiryHold,
  extensions: readonly string[] = ['expiry_hold'],
) {
  const empty = () => ({ items: [], total: 0 });
  const opened = await openWindow({
    'connections.list': () => [
      connection({}, { permissions: [...permissions], extensions: [...extensions] }),
    ],
    'taskQueue.list': empty,
    'repository.list': empty,
    'pools.list': empty,
    'repository.expiryHold': hold,
    'repository.endExpiryHold': () => free,
  });
  await screen.findByRole('heading', { name: 'Running now' });
  return opened;
}

describe('a jump of the server’s clock (case 95)', () => {
  test('is told with both times and what would go, and a person confirms the clock', async () => {
    let now = held;
    const { user, callsOf } = await openOverview(mayConfirm, () => now);
    const banner = await screen.findByText(/from 2030-01-15 12:00:00.* to 2031-01-15 12:00:00/);
    expect(banner.textContent).toMatch(/The time of 214 copies is over by it; nothing expires until/);
    await user.click(screen.getByRole('button', { name: 'Confirm the clock…' }));
    const question = await dialog('Confirm the clock of the server');
    expect(question.textContent).toMatch(/214 copies .* are deleted then/);
    expect(callsOf('repository.endExpiryHold')).toEqual([]);
    now = free;
    await user.click(within(question).getByRole('button', { name: 'The clock is right' }));
    await waitFor(() => expect(screen.queryByText(/has jumped ahead/)).toBeNull());
    expect(callsOf('repository.endExpiryHold')).toMatchObject([{ body: { held: false } }]);
  });

  test('is confirmed only by who may, and the others learn which right is missing', async () => {
    await openOverview(['task_queue.read', 'global_configuration.read'], () => held);
    const button = await screen.findByRole('button', { name: 'Confirm the clock…' });
    expect(button.getAttribute('aria-disabled') ?? button.getAttribute('disabled')).not.toBeNull();
  });

  test('is not asked about where the server does not know it, or the person may not read it', async () => {
    const unknown = await openOverview(mayConfirm, () => held, []);
    expect(unknown.callsOf('repository.expiryHold')).toEqual([]);
    unknown.view.unmount();
    const { callsOf } = await openOverview(['task_queue.read'], () => held);
    expect(callsOf('repository.expiryHold')).toEqual([]);
  });

  test('that did not happen shows nothing, and a question that fails says so', async () => {
    const first = await openOverview(mayConfirm, () => free);
    await waitFor(() => expect(first.callsOf('repository.expiryHold')).toHaveLength(1));
    expect(screen.queryByRole('alert')).toBeNull();
    first.view.unmount();
    await openOverview(mayConfirm, () => {
      throw new Refused({ message: 'The database is busy.' });
    });
    const alert = await screen.findByText(/could not be asked/);
    expect(alert.textContent).toMatch(/The database is busy/);
  });
});
