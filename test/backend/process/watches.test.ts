import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Log } from '../../../backend/platform/log.ts';
import { toWireTime } from '../../../backend/platform/wire-time.ts';
import { handClock, startTestApp, type TestApp } from '../../support/backend.ts';
import { queueOf } from '../../support/queue.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

let app: TestApp;
let lines: { readonly message: string; readonly facts: Record<string, unknown> }[];
const clock = handClock(Date.UTC(2030, 0, 1, 0, 30));
beforeEach(async () => {
  lines = [];
  const write = (message: string, facts: Record<string, unknown> = {}) => {
    lines.push({ message, facts });
  };
  const log: Log = { debug: write, info: write, warn: write, error: write, with: () => log };
  app = await startTestApp({ clock, log, started: true });
});
afterEach(() => app.close());

/** The server looks by itself once a minute: one passes at each try. */
const untilTold = (message: string) =>
  vi.waitFor(
    () => {
      clock.advance(61_000);
      const told = lines.find((line) => line.message === message);
      if (told === undefined) throw new Error(`the log does not say: ${message}`);
      return told.facts;
    },
    { timeout: 30_000, interval: 200 },
  );

it('a server that runs looks by itself for strategies that end soon', { timeout: 60_000 }, async () => {
  const { good } = queueOf((await app.loginAs('superuser')).send);
  const strategy = { name: 'Short', pool: 'Default', valid_until: toWireTime(clock.now() + 3 * dayMs) };
  const { id } = await good<{ id: number }>('POST', '/strategies', { data: strategy });
  expect(
    await untilTold('a strategy ends soon: its rules make no more copies then; set a later end or none'),
  ).toMatchObject({
    strategy: id,
    name: 'Short',
  });
});

it('a server that runs looks by itself for overdue rules, and tells when they are well again', {
  timeout: 60_000,
}, async () => {
  const asSuperuser = async () => queueOf((await app.loginAs('superuser')).send);
  const { good, localClient } = await asSuperuser();
  const strategy = { name: 'Hourly', pool: 'Default', full_schedule: '0 * * * *', time_zone: 'UTC' };
  await good('POST', '/strategies', { data: strategy });
  const rule = {
    client_id: await localClient(),
    strategy_id: 'Hourly',
    resource_type: 'File system',
    resource: '/etc',
  };
  const { id } = await good<{ id: number }>('POST', '/strategy_rules', { data: { strategy_rule: rule } });
  await good('PATCH', '/global_configuration/service_mode', { service_mode: true });
  clock.advance(hourMs);
  expect(await untilTold('rules have become overdue')).toMatchObject({ total: 1, rules: [{ rule: id }] });
  // The session of before ended while hours went by.
  const later = await asSuperuser();
  await later.good('PATCH', `/strategy_rules/${id}`, { data: { strategy_rule: { status: 'wait' } } });
  expect(await untilTold('rules are not overdue any more')).toMatchObject({ total: 1 });
});
