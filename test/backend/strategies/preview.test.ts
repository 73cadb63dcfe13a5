import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SchedulePreview } from '../../../contract/strategies/schedule-preview.ts';
import type { Strategy } from '../../../contract/strategies/strategy.ts';
import { handClock, type Session, startTestApp, type TestApp } from '../../support/backend.ts';

let app: TestApp;
let superuser: Session;
beforeAll(async () => {
  app = await startTestApp({ clock: handClock(Date.UTC(2030, 2, 29, 12)), started: true });
  superuser = await app.loginAs('superuser');
});
afterAll(() => app.close());

const ask = (query: Readonly<Record<string, string>>, by = superuser) =>
  by.send('GET', `/strategies/preview?${new URLSearchParams(query)}`);
const utcs = ({ next_runs: runs }: Pick<SchedulePreview, 'next_runs'>) => runs.map(({ utc }) => utc);

it('the runs of schedules are the same before and after they are saved, through a change of the clocks (case 54)', async () => {
  const schedules = {
    full_schedule: '30 2 * * 0',
    incremental_schedule: '15 */6 * * *',
    time_zone: 'Europe/Paris',
  };
  const preview = (await ask(schedules)).data<SchedulePreview>();
  expect(preview.time_zone).toBe('Europe/Paris');
  expect(preview.next_runs).toHaveLength(10);
  // 02:30 is skipped on this day: it runs at 03:00, which is 01:00 in UTC.
  expect(preview.next_runs).toContainEqual({
    backup_type: 'full',
    time: expect.any(String),
    utc: '2030-03-31T01:00:00Z',
  });
  const before = (await superuser.send('GET', '/strategies')).data<Strategy[]>();
  const { id } = (
    await superuser.send('POST', '/strategies', { data: { name: 'Saved', pool: 'Default', ...schedules } })
  ).data<{ id: number }>();
  const saved = (await superuser.send('GET', `/strategies/${id}`)).data<Strategy>();
  expect(saved.next_runs).toEqual(preview.next_runs);
  // Nothing was saved by looking.
  expect(before.map(({ name }) => name)).not.toContain('Saved');
});

it('without a zone that of the server holds, without schedules nothing runs, and validity bounds the runs', async () => {
  const none = (await ask({})).data<SchedulePreview>();
  expect(none.next_runs).toEqual([]);
  expect(none.time_zone).toBe(none.server_time_zone);
  const daily = { full_schedule: '0 12 * * *', time_zone: none.server_time_zone };
  const until = (await ask({ ...daily, valid_until: '2030-04-02T00:00:00' })).data<SchedulePreview>();
  expect(until.next_runs.length).toBeLessThan(5);
  const from = (await ask({ ...daily, valid_from: '2031-01-01T00:00:00' })).data<SchedulePreview>();
  expect(utcs(from)[0]?.slice(0, 4)).toBe('2031');
});

it.each([
  [{ full_schedule: '30 2 * *' }, 'full_schedule', /must have five fields/],
  [{ incremental_schedule: '0 0 31 2 *' }, 'incremental_schedule', /never falls due/],
  [{ differential_schedule: '61 * * * *' }, 'differential_schedule', /is not a cron schedule/],
  [{ differential_schedule: '' }, 'differential_schedule', /must not be empty/],
  [{ time_zone: 'Mars/Olympus' }, 'time_zone', /is not a time zone/],
  [{ valid_from: 'soon' }, 'valid_from', /must be/],
  [
    { valid_from: '2031-01-01T00:00:00', valid_until: '2030-01-01T00:00:00' },
    'valid_until',
    /end before it begins/,
  ],
  [
    {
      full_schedule: '0 0 1 1 *',
      valid_from: '2031-01-02T00:00:00',
      valid_until: '2031-06-01T00:00:00',
    },
    'valid_until',
    /without any run: none of its schedules falls due between/,
  ],
])('%j is refused by the rules of saving', async (query, field, reason) => {
  const answer = await ask(query);
  expect(answer.status).toBe(400);
  expect(answer.body.errors[field]).toMatch(reason);
});

it('whoever may read strategies may ask, nobody else', async () => {
  expect((await ask({}, await app.loginAs('auditor'))).status).toBe(200);
  expect((await app.send('GET', '/strategies/preview')).status).toBe(401);
});
