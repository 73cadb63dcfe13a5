import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Strategy } from '../../../contract/strategies/strategy.ts';
import { handClock, type Session, startTestApp, type TestApp } from '../../support/backend.ts';

let app: TestApp;
let superuser: Session;

beforeEach(async () => {
  app = await startTestApp({ started: true, clock: handClock(Date.UTC(2030, 0, 15, 12)) });
  superuser = await app.loginAs('superuser');
});
afterEach(() => app.close());

const draft = (more: object = {}) => ({
  name: 'Nightly',
  pool: 'Default',
  full_schedule: '30 2 * * *',
  ...more,
});
const make = async (more: object = {}): Promise<number> => {
  const answer = await superuser.send('POST', '/strategies', { data: draft(more) });
  expect(answer.body.errors).toEqual({});
  expect(answer.status).toBe(201);
  return answer.data<{ id: number }>().id;
};
const get = async (id: number) => (await superuser.send('GET', `/strategies/${id}`)).data<Strategy>();

it('a new server has a weekly and a monthly strategy', async () => {
  const found = (await superuser.send('GET', '/strategies')).data<Strategy[]>();
  expect(found).toMatchObject([
    { name: 'Default', full_schedule: '0 0 * * 0', incremental_schedule: '0 0 * * *', pool: 'Default' },
    { name: 'Monthly', full_schedule: '0 0 1 * *', incremental_schedule: null, enabled: true },
  ]);
  expect(found[0]?.next_runs).toHaveLength(10);
});

it('so has one that was made before there were strategies, and a deleted one does not come back', async () => {
  const { db } = app.database;
  await db.deleteFrom('strategies').execute();
  await db.deleteFrom('installation').where('name', '=', 'strategies_seeded_ms').execute();
  await app.built.start();
  expect((await superuser.send('GET', '/strategies')).data()).toHaveLength(2);
  await superuser.send('DELETE', '/strategies', {
    ids: [(await superuser.send('GET', '/strategies')).data<Strategy[]>()[0]?.id],
  });
  await app.built.start();
  expect((await superuser.send('GET', '/strategies')).data()).toHaveLength(1);
});

describe('a strategy', () => {
  it('gets defaults for what was not said', async () => {
    expect(await get(await make({ time_zone: 'Europe/Paris' }))).toMatchObject({
      name: 'Nightly',
      priority: 100,
      crypto: 'nocrypt',
      capacity: 0,
      enabled: true,
      storage_duration: null,
      verify_period: null,
      notification_user_groups: [],
      rules_count: 0,
      next_runs: expect.arrayContaining([
        expect.objectContaining({ backup_type: 'full', utc: '2030-01-16T01:30:00Z' }),
      ]),
    });
  });

  it('keeps every field, changes only what is sent, and clears with null', async () => {
    const fields = {
      priority: 300,
      incremental_schedule: '0 12 * * *',
      differential_schedule: '0 18 * * 5',
      time_zone: 'Asia/Tokyo',
      storage_duration: '2 weeks',
      capacity: 50,
      enabled: false,
      valid_from: '2030-02-01T00:00:00',
      valid_until: '2030-03-01T00:00:00',
      verify_period: 30,
      notification_user_groups: ['supervisor', 'maintainer'],
    };
    const id = await make(fields);
    expect(await get(id)).toMatchObject({ ...fields, next_runs: [] });
    const changed = await superuser.send('PATCH', `/strategies/${id}`, {
      data: { enabled: true, valid_from: null, verify_period: null, storage_duration: null },
    });
    expect(changed).toMatchObject({
      status: 200,
      body: {
        data: { enabled: true, valid_from: null, verify_period: null, storage_duration: null, priority: 300 },
      },
    });
  });

  it('tells roles that there are, each once, or everybody again', async () => {
    const id = await make({ notification_user_groups: ['auditor'] });
    const change = (told: unknown) =>
      superuser.send('PATCH', `/strategies/${id}`, { data: { notification_user_groups: told } });
    for (const wrong of [['janitor'], ['auditor', 'auditor'], 'auditor']) {
      const refused = await change(wrong);
      expect(refused.status).toBe(400);
      expect(Object.keys(refused.body.errors).join()).toMatch(/^notification_user_groups/);
    }
    expect(await get(id)).toMatchObject({ notification_user_groups: ['auditor'] });
    await change(null);
    expect(await get(id)).toMatchObject({ notification_user_groups: [] });
  });

  it('is refused with an encryption that does not fit the pool, also after a change of either', async () => {
    const [server] = (await superuser.send('GET', '/media_servers')).data<{ name: string }[]>();
    const pool = { pool_name: 'Blocks', pool_type: 'Block device', media_server: server?.name };
    const made = await superuser.send('POST', '/pools', { data: { ...pool, meta_data_pool: 'Default' } });
    expect(made.status).toBe(201);
    const reasons = [
      await superuser.send('POST', '/strategies', draft({ pool: 'Blocks', crypto: 'age' })),
      await superuser.send('PATCH', `/strategies/${await make({ name: 'A', crypto: 'age' })}`, {
        data: { pool: 'Blocks' },
      }),
      await superuser.send('PATCH', `/strategies/${await make({ name: 'B', pool: 'Blocks' })}`, {
        data: { crypto: 'age' },
      }),
    ].map(({ status, body }) => [status, body.errors.crypto]);
    const refusal = [400, expect.stringContaining('must be aes-256-gcm or nocrypt')];
    expect(reasons).toEqual([refusal, refusal, refusal]);
    await make({ name: 'C', pool: 'Blocks', crypto: 'aes-256-gcm' });
  });

  it.each([
    ['full_schedule', '99 * * * *', 'cron'],
    ['incremental_schedule', '0 0 31 2 *', 'never'],
    ['differential_schedule', '* * * * * *', 'five fields'],
    ['time_zone', 'Mars/Olympus', 'time zone'],
    ['pool', 'Nowhere', 'no pool named'],
    ['crypto', 'rot13', 'nocrypt'],
    ['storage_duration', '0 days', ''],
    ['priority', 99, '100'],
    ['capacity', -1, '0 or more'],
    ['verify_period', 0, '1 or more'],
    ['valid_until', '2020-02-30T00:00:00', 'date'],
    ['name', 'default', 'taken'],
    ['colour', 'red', 'not a field'],
  ])('is refused with %s = %j', async (field, value, reason) => {
    const answer = await superuser.send('POST', '/strategies', draft({ [field]: value }));
    expect(answer.status).toBe(400);
    expect(answer.body.errors[field]).toContain(reason);
  });

  it('is listed with its runs, whatever the list goes by', async () => {
    await make({ full_schedule: '30 2 * * *' });
    for (const query of ['', '?limit=1&page=2', '?sort=next_runs&order=desc', '?search=nightly']) {
      const listed = (await superuser.send('GET', `/strategies${query}`)).data<Strategy[]>();
      expect(listed.length, query).toBeGreaterThan(0);
      for (const one of listed) {
        expect(one.next_runs).toHaveLength(10);
        expect(one.next_runs).toEqual((await get(one.id)).next_runs);
      }
    }
  });

  it('tells its runs of so many days when it is asked for them', async () => {
    const id = await make({ incremental_schedule: '0 * * * *', time_zone: 'UTC' });
    const ahead = await superuser.send('GET', `/strategies/${id}?runs_days=7`);
    const runs = ahead.data<Strategy>().next_runs;
    expect(runs).toHaveLength(7 * 24 + 6);
    expect(runs.at(-1)).toMatchObject({ backup_type: 'incremental', utc: '2030-01-22T11:00:00Z' });
    expect((await get(id)).next_runs).toHaveLength(10);
    for (const days of ['0', '32', '1.5', 'week']) {
      const refused = await superuser.send('GET', `/strategies/${id}?runs_days=${days}`);
      expect(refused.status).toBe(400);
      expect(refused.body.errors.runs_days).toContain('days from 1 to 31');
    }
  });

  it('does not end before it begins or just then, whichever of the two is changed', async () => {
    const id = await make({
      full_schedule: null,
      valid_from: '2030-02-01T00:00:00',
      valid_until: '2030-03-01T00:00:00',
    });
    const early = await superuser.send('PATCH', `/strategies/${id}`, { valid_until: '2030-01-31T00:00:00' });
    expect(early.body.errors).toHaveProperty('valid_until');
    const late = await superuser.send('PATCH', `/strategies/${id}`, { valid_from: '2030-03-01T00:00:01' });
    expect(late.body.errors).toHaveProperty('valid_from');
    const equal = await superuser.send('PATCH', `/strategies/${id}`, { valid_from: '2030-03-01T00:00:00' });
    expect(equal.body.errors.valid_from).toContain('never runs');
    const second = await superuser.send('PATCH', `/strategies/${id}`, { valid_from: '2030-02-28T23:59:59' });
    expect(second.status).toBe(200);
  });

  it('that is to begin later has a run before it ends; one that has begun may end before its next', async () => {
    const validity = { valid_from: '2030-02-01T00:00:00', valid_until: '2030-03-01T00:00:00' };
    const id = await make({ full_schedule: '0 0 10 * *', ...validity });
    const change = (fields: object) => superuser.send('PATCH', `/strategies/${id}`, fields);
    const noRun = /without any run/;
    expect((await change({ full_schedule: '0 0 10 5 *' })).body.errors.full_schedule).toMatch(noRun);
    expect((await change({ valid_until: '2030-02-09T00:00:00' })).body.errors.valid_until).toMatch(noRun);
    expect((await change({ valid_from: '2030-02-11T00:00:00' })).body.errors.valid_from).toMatch(noRun);
    const other = await change({ full_schedule: null, incremental_schedule: '0 0 20 2 *' });
    expect(other.status).toBe(200);
    const begun = await change({ valid_from: null, valid_until: '2030-02-09T00:00:00' });
    expect(begun.status).toBe(200);
    expect(begun.data<Strategy>().next_runs).toEqual([]);
  });

  it('stays while rules are bound to it, and so does its pool', async () => {
    await superuser.send('POST', '/pools', {
      pool_name: 'Night',
      pool_type: 'File system',
      media_server: (await superuser.send('GET', '/media_servers')).data<{ name: string }[]>()[0]?.name,
    });
    const id = await make({ pool: 'Night' });
    const pool = (await superuser.send('GET', '/pools?pool_name=Night')).data<{ id: number }[]>()[0]?.id;
    const refused = await superuser.send('DELETE', '/pools', { ids: [pool] });
    expect(refused.status).toBe(207);
    expect(JSON.stringify(refused.body.data)).toContain('is the pool of 1 strategy');
    const rule = { strategy_id: 'Nightly', resource_type: 'File system', resource: '/srv' };
    await superuser.send('POST', '/strategy_rules', { data: { strategy_rule: rule } });
    const bound = await superuser.send('DELETE', `/strategies/${id}`);
    expect(bound.status).toBe(400);
    expect(bound.body.errors.ids).toContain('has 1 rule');
    const rules = (await superuser.send('GET', '/strategy_rules')).data<{ id: number }[]>();
    await superuser.send('DELETE', '/strategy_rules', { ids: rules.map((found) => found.id) });
    expect((await superuser.send('DELETE', `/strategies/${id}`)).status).toBe(200);
    expect((await superuser.send('DELETE', '/strategies', { ids: [id] })).status).toBe(404);
  });
});

it('only those who plan may change strategies', async () => {
  for (const role of ['maintainer', 'administrator', 'auditor'] as const) {
    const user = await app.loginAs(role);
    expect((await user.send('GET', '/strategies')).status).toBe(200);
    expect((await user.send('POST', '/strategies', draft())).status).toBe(403);
  }
  expect((await (await app.loginAs('supervisor')).send('POST', '/strategies', draft())).status).toBe(201);
});
