import { screen, within } from '@testing-library/react';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  configurationFields,
  configurationNames,
} from '../../../contract/configuration/configuration-fields.ts';
import { serviceWindows } from '../../../renderer/features/configuration/service-windows.ts';
import { connection } from '../support/fake-bridge.ts';
import { dialog, openWindow, windowTests } from '../support/window.tsx';
import { page } from './rows.ts';

windowTests();

const at = (text: string) => Date.parse(text);
/** In UTC, to the second. */
const ahead = (start: string, end: string, zone: string, now: string, count = 2) => {
  const found = serviceWindows({ start, end, zone }, at(now), count);
  if (found === null || found === 'all') return found;
  const text = (ms: number) => new Date(ms).toISOString().slice(0, 19);
  return found.map(({ fromMs, toMs }) => `${text(fromMs)} ${text(toMs)}`);
};

describe('the next service windows', () => {
  test.each([
    ['21:59:59', ['2030-01-01T22:00:00 2030-01-02T06:00:00', '2030-01-02T22:00:00 2030-01-03T06:00:00']],
    ['22:00:00', ['2030-01-01T22:00:00 2030-01-02T06:00:00', '2030-01-02T22:00:00 2030-01-03T06:00:00']],
    ['03:00:00', ['2030-01-01T03:00:00 2030-01-01T06:00:00', '2030-01-01T22:00:00 2030-01-02T06:00:00']],
    ['06:00:00', ['2030-01-01T22:00:00 2030-01-02T06:00:00', '2030-01-02T22:00:00 2030-01-03T06:00:00']],
  ])('over midnight, seen at %s (case 64)', (now, expected) => {
    expect(ahead('22:00:00', '06:00:00', 'UTC', `2030-01-01T${now}Z`)).toEqual(expected);
  });

  test('with equal ends are the whole day, and short ones are found (case 64)', () => {
    expect(ahead('04:00:00', '04:00:00', 'UTC', '2030-01-01T00:00:00Z')).toBe('all');
    expect(ahead('04:00:00', '04:00:01', 'UTC', '2030-01-01T00:00:00Z', 1)).toEqual([
      '2030-01-01T04:00:00 2030-01-01T04:00:01',
    ]);
  });

  test('are shorter or longer where the clocks are changed within (case 64)', () => {
    // 02:00 becomes 03:00 in the night to 31 March: seven hours.
    expect(ahead('22:00:00', '06:00:00', 'Europe/Paris', '2030-03-30T12:00:00Z', 1)).toEqual([
      '2030-03-30T21:00:00 2030-03-31T04:00:00',
    ]);
    // 03:00 becomes 02:00 in the night to 27 October: nine hours.
    expect(ahead('22:00:00', '06:00:00', 'Europe/Paris', '2030-10-26T12:00:00Z', 1)).toEqual([
      '2030-10-26T20:00:00 2030-10-27T05:00:00',
    ]);
  });

  test('begin where the clocks jump to when their begin is skipped, and come twice with an hour that does', () => {
    expect(ahead('02:30:00', '04:00:00', 'Europe/Paris', '2030-03-31T00:00:00Z', 1)).toEqual([
      '2030-03-31T01:00:00 2030-03-31T02:00:00',
    ]);
    expect(ahead('02:00:00', '02:30:00', 'Europe/Paris', '2030-10-26T22:00:00Z')).toEqual([
      '2030-10-27T00:00:00 2030-10-27T00:30:00',
      '2030-10-27T01:00:00 2030-10-27T01:30:00',
    ]);
    expect(ahead('02:10:00', '02:20:00', 'Europe/Paris', '2030-03-31T00:00:00Z', 1)).toEqual([
      '2030-04-01T00:10:00 2030-04-01T00:20:00',
    ]);
  });

  test('are unknown for texts that are no times and zones that are none here', () => {
    expect(ahead('22:00', '06:00:00', 'UTC', '2030-01-01T00:00:00Z')).toBeNull();
    expect(ahead('22:00:00', '25:00:00', 'UTC', '2030-01-01T00:00:00Z')).toBeNull();
    expect(ahead('22:00:00', '06:00:00', 'Mars/Olympus', '2030-01-01T00:00:00Z')).toBeNull();
  });
});

describe('the configuration', () => {
  afterEach(() => vi.useRealTimers());
  const values = {
    ...Object.fromEntries(
      configurationNames.map((name) => [name, configurationFields[name].default ?? '/x']),
    ),
    service_mode: false,
  };
  const open = async (extensions: readonly string[]) => {
    const permissions = ['read', 'write'].map((right) => `global_configuration.${right}`);
    const view = await openWindow({
      'connections.list': () => [connection({ id: 'windows' }, { permissions, extensions: [...extensions] })],
      'taskQueue.list': page(),
      'configuration.get': () => values,
      'strategies.preview': () => ({ time_zone: 'UTC', server_time_zone: 'Europe/Paris', next_runs: [] }),
    });
    await view.user.click(screen.getByRole('link', { name: 'Configuration' }));
    await screen.findByRole('heading', { level: 1, name: 'Configuration' });
    return view;
  };

  test('shows them on the clocks of the server, with the change of the clocks and before anything is saved', async () => {
    vi.useFakeTimers({ now: at('2030-03-30T12:00:00Z'), toFake: ['Date'] });
    const { user } = await open(['extensions', 'schedule_preview']);
    const preview = within(
      await screen.findByRole('group', { name: 'Next service windows' }, { timeout: 10_000 }),
    );
    expect(preview.getByText(/clocks of the server \(Europe\/Paris\)/)).toBeTruthy();
    const lines = () => preview.getAllByRole('listitem').map((line) => line.textContent);
    expect(lines()).toHaveLength(3);
    expect(lines()[0]).toContain('Sun 2030-03-31 00:00 to Sun 2030-03-31 06:00 (5 h');
    await user.click(screen.getByRole('button', { name: 'Change service_window_start' }));
    const form = within(await dialog('Change service_window_start'));
    await user.clear(form.getByRole('textbox'));
    await user.type(form.getByRole('textbox'), '21:00:00');
    await user.click(form.getByRole('button', { name: 'Add to the changes' }));
    expect(lines()[0]).toMatch(
      /^Sat 2030-03-30 21:00 to Sun 2030-03-31 06:00 \(8 h.*the clocks go from 02:00 to 03:00$/,
    );
  });

  test('of a server that does not tell its zone shows none', async () => {
    await open(['extensions']);
    expect(screen.queryByRole('group', { name: 'Next service windows' })).toBeNull();
  });
});
