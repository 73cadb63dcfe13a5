import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import {
  type ConfigurationName,
  configurationFields,
  configurationNames,
} from '../../../contract/configuration/configuration-fields.ts';
import { whyNot } from '../../../renderer/features/configuration/change-form.ts';
import { changesOf, staged } from '../../../renderer/features/configuration/draft.ts';
import { settingGroups } from '../../../renderer/features/configuration/setting-groups.ts';
import {
  defaultShown,
  groupsWith,
  valueShown,
} from '../../../renderer/features/configuration/setting-words.ts';
import { connection, Refused } from '../support/fake-bridge.ts';
import { dialog, openWindow, windowTests } from '../support/window.tsx';
import { page } from './rows.ts';

windowTests();

const defaults = {
  ...Object.fromEntries(configurationNames.map((name) => [name, configurationFields[name].default ?? '/x'])),
  service_mode: false,
};

describe('the settings', () => {
  test('are each in one group', () => {
    const grouped = Object.values(settingGroups).flat();
    expect([...grouped].sort()).toEqual([...configurationNames].sort());
  });

  test('are found by name, meaning, group and effect', () => {
    const found = (text: string) => groupsWith(text, true).flatMap(({ names }) => names);
    expect(found('monitoring_per')).toEqual(['monitoring_period']);
    expect(found('time between two monitoring rows')).toEqual(['monitoring_period']);
    expect(found('deduplication')).toEqual(expect.arrayContaining([...settingGroups.dedup]));
    expect(found('overwritten with zeros')).toEqual(['delete_archives_with_zeroing']);
    expect(groupsWith('overwritten with zeros', false)).toEqual([]);
    expect(found('no such words')).toEqual([]);
  });

  test('show values and defaults with their units', () => {
    expect(valueShown(1, 'done_tasks_remove_period')).toBe('1 day');
    expect(valueShown(true, 'immutable_archives')).toBe('yes');
    expect(valueShown(false, 'immutable_archives')).toBe('no');
    expect(valueShown('yes', 'verify_archive_after_creation')).toBe('yes');
    expect(valueShown('/srv/\u202Eevil', 'emergency_storage_local_catalog')).not.toContain('\u202E');
    expect(defaultShown('wrong_auth_block_period')).toBe('15 minutes');
    expect(defaultShown('emergency_storage_local_catalog')).toBe('emergency in the data directory');
    expect(defaultShown('version')).toBeNull();
  });
});

describe('changes', () => {
  const values = { done_tasks_remove_period: 30, verify_archive_after_creation: 'no' };

  test('are values that the server does not have', () => {
    const draft = staged(
      staged({}, values, 'done_tasks_remove_period', 31),
      values,
      'immutable_archives',
      true,
    );
    expect(changesOf(draft, values)).toEqual([
      { name: 'done_tasks_remove_period', from: 30, to: 31 },
      { name: 'immutable_archives', from: undefined, to: true },
    ]);
    expect(staged(draft, values, 'done_tasks_remove_period', 30)).toEqual({ immutable_archives: true });
    expect(changesOf(draft, { done_tasks_remove_period: 31, immutable_archives: true })).toEqual([]);
  });

  test.each<[ConfigurationName, string, boolean]>([
    ['monitoring_period', '5', true],
    ['monitoring_period', '4', false],
    ['monitoring_period', '', false],
    ['monitoring_period', '1e3', false],
    ['monitoring_period', '2147483648', false],
    ['service_window_start', '22:30:00', true],
    ['service_window_start', '24:00:00', false],
    ['emergency_storage_local_catalog', '/srv', true],
    ['emergency_storage_local_catalog', 'srv', false],
  ])('%s = %j is fine: %s', (name, typed, isFine) => {
    expect(whyNot(configurationFields[name], typed) === null).toBe(isFine);
  });
});

describe('the screen', () => {
  let made = 0;
  const open = async (answers: Parameters<typeof openWindow>[0], permissions = ['read', 'write']) => {
    made += 1;
    const rights = permissions.map((right) => `global_configuration.${right}`);
    const one = connection({ id: `configured-${made}` }, { permissions: rights, extensions: ['extensions'] });
    const view = await openWindow({ 'connections.list': () => [one], 'taskQueue.list': page(), ...answers });
    await view.user.click(screen.getByRole('link', { name: 'Configuration' }));
    await screen.findByText('monitoring_period');
    const stage = async (name: string, value: string) => {
      await view.user.click(screen.getByRole('button', { name: `Change ${name}` }));
      const form = within(await dialog(`Change ${name}`));
      const field = form.getByRole('spinbutton');
      await view.user.clear(field);
      await view.user.type(field, value);
      await view.user.click(form.getByRole('button', { name: 'Add to the changes' }));
    };
    return { ...view, stage };
  };

  test('saves nothing before the difference was seen, and then the changes alone', async () => {
    let now: Record<string, unknown> = defaults;
    const { user, stage, callsOf } = await open({
      'configuration.get': () => now,
      'configuration.update': (input) => {
        now = { ...now, ...(input as { body: object }).body };
        return now;
      },
    });
    expect(screen.getByRole('button', { name: 'Review changes…' }).getAttribute('aria-disabled')).toBe(
      'true',
    );
    await stage('done_tasks_remove_period', '45');
    await stage('monitoring_period', '120');
    await user.click(screen.getByRole('button', { name: 'Take back the change of monitoring_period' }));
    await stage('monitoring_period', '90');
    expect(callsOf('configuration.update')).toEqual([]);
    // Somebody else changes one of them meanwhile.
    now = { ...now, monitoring_period: 75 };
    await user.click(screen.getByRole('button', { name: 'Review 2 changes…' }));
    const review = within(await dialog('Save configuration'));
    const done = within(await review.findByRole('row', { name: /done_tasks_remove_period/ }));
    expect(done.getByText('30 days').tagName).toBe('DEL');
    expect(done.getByText('45 days').tagName).toBe('INS');
    expect(done.getByText(/On this server: looked at every minute/)).toBeTruthy();
    const monitoring = review.getByRole('row', { name: /monitoring_period/ });
    expect(monitoring.textContent).toContain('75 seconds');
    expect(monitoring.textContent).toContain('another value meanwhile');
    await user.click(review.getByRole('button', { name: 'Save changes' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(callsOf('configuration.update')).toEqual([
      { body: { done_tasks_remove_period: 45, monitoring_period: 90 } },
    ]);
    expect(screen.getByText('45 days')).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Review changes…' })).toBeTruthy();
  });

  test('keeps the changes when the server refuses one, and says at which', async () => {
    const { user, stage } = await open({
      'configuration.get': () => defaults,
      'configuration.update': () => {
        throw new Refused({
          message: 'No.',
          status: 400,
          errors: { monitoring_period: 'is too long for us' },
        });
      },
    });
    await stage('monitoring_period', '120');
    await user.click(screen.getByRole('button', { name: 'Review 1 change…' }));
    const review = within(await dialog('Save configuration'));
    await review.findByRole('table', { name: 'Changes' });
    await user.click(review.getByRole('button', { name: 'Save changes' }));
    const row = await review.findByRole('row', { name: /monitoring_period/ });
    await waitFor(() => expect(row.textContent).toContain('is too long for us'));
    await user.click(review.getByRole('button', { name: 'Cancel' }));
    expect(screen.getByRole('button', { name: 'Review 1 change…' })).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Discard changes' }));
    expect(screen.getByRole('button', { name: 'Review changes…' })).toBeTruthy();
  });

  test('changes nothing without the right, and says why', async () => {
    await open({ 'configuration.get': () => defaults }, ['read']);
    const change = screen.getByRole('button', { name: 'Change monitoring_period' });
    expect(change.getAttribute('aria-disabled')).toBe('true');
    expect(change.title).toContain('global_configuration.write');
  });
});
