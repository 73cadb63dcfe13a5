import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Statistics } from '../../contract/statistics/statistics.ts';
import { rowsOf } from '../backend/features/rows.ts';
import { type HandClock, handClock, type Session, startTestApp, type TestApp } from '../support/backend.ts';

const noon = (day: number): number => new Date(2030, 0, day, 12).getTime();

/** The statistics, on a database of either kind. */
export function statisticsSuite(
  name: string,
  place: () => Promise<NonNullable<Parameters<typeof startTestApp>[0]>>,
): void {
  describe(`statistics with ${name}`, () => {
    let app: TestApp;
    let clock: HandClock;
    let superuser: Session;
    let rows: ReturnType<typeof rowsOf>;

    beforeEach(async () => {
      clock = handClock(noon(15));
      app = await startTestApp({ started: true, clock, ...(await place()) });
      rows = rowsOf(app.database.db);
      superuser = await app.loginAs('superuser');
    });
    afterEach(() => app.close());

    const read = async (by: Session, query = '') =>
      (await by.send('GET', `/statistics${query}`)).data<Statistics>();
    const ended = (day: number, status: string, more: object = {}) =>
      rows.task({ status, finishedMs: noon(day), startedMs: noon(day) - 2000, transferred: 500, ...more });

    it('counts what ended, by day and status, with what was transferred', async () => {
      await ended(15, 'done');
      await ended(15, 'done');
      await ended(14, 'error');
      await ended(10, 'done');
      expect(await read(superuser, '?days=3')).toMatchObject({
        days: ['2030-01-13', '2030-01-14', '2030-01-15'],
        tasks: [
          { status: 'done', counts: [0, 0, 2] },
          { status: 'error', counts: [0, 1, 0] },
        ],
        throughput: { bytes: [0, 500, 1000], seconds: [0, 2, 4] },
      });
    });

    it('shows an administrator of own groups only the tasks of their clients', async () => {
      const group = await superuser.send('POST', '/client_groups', { name: 'Mine' });
      const mine = group.data<{ id: number }>().id;
      await ended(15, 'done', { clientId: await rows.client({ groupId: mine }) });
      await ended(15, 'done');
      const limited = await app.loginAs('administrator', { clientGroupIds: [mine] });
      expect((await read(limited, '?days=1')).tasks).toEqual([{ status: 'done', counts: [1] }]);
      expect((await read(superuser, '?days=1')).tasks).toEqual([{ status: 'done', counts: [2] }]);
    });

    it('knows what the copies of each pool took', async () => {
      // A request within this process needs no turn of the event loop, so asking again at once would starve the timers.
      const pool = async () => (await read(superuser, '?days=1')).stored_bytes[0];
      const taken = () => expect.poll(pool, { timeout: 15_000 });
      await taken().toMatchObject({ bytes: [0] });
      await rows.copy({ poolId: 1, storageId: 1, realSize: 700 });
      clock.advance(61_000);
      await taken().toEqual({ pool_id: 1, pool: 'Default', bytes: [700] });
    });

    it('shows the days that are asked for, by their first and last or by the last and how many', async () => {
      await ended(10, 'done');
      const names = async (query: string) => (await read(superuser, query)).days;
      expect(await names('?from=2030-01-09&to=2030-01-11')).toEqual([
        '2030-01-09',
        '2030-01-10',
        '2030-01-11',
      ]);
      expect(await names('?to=2030-01-11&days=2')).toEqual(['2030-01-10', '2030-01-11']);
      expect(await names('?from=2030-01-14')).toEqual(['2030-01-14', '2030-01-15']);
      expect(await names('')).toHaveLength(30);
      expect(await names('?from=2029-01-15')).toHaveLength(366);
      expect((await read(superuser, '?from=2030-01-09&to=2030-01-11')).tasks).toEqual([
        { status: 'done', counts: [0, 1, 0] },
      ]);
    });

    it.each([
      ['from', '?from=2030-02-30'],
      ['from', '?from=yesterday'],
      ['to', '?to=2030-1-1'],
      ['from', '?from=2030-01-16'],
      ['from', '?from=2030-01-11&to=2030-01-10'],
      ['from', '?from=2029-01-14'],
      ['days', '?from=2030-01-14&days=2'],
    ])('refuses a wrong %s: %s', async (field, query) => {
      const answer = await superuser.send('GET', `/statistics${query}`);
      expect([answer.status, Object.keys(answer.body.errors)]).toEqual([400, [field]]);
    });

    it('keeps as many samples as configured, and what still holds of a pool that does not change', async () => {
      const still = await superuser.send('POST', '/pools', {
        pool_name: 'Still',
        pool_type: 'File system',
        media_server: (await superuser.send('GET', '/media_servers')).data<{ name: string }[]>()[0]?.name,
      });
      const poolId = still.data<{ id: number }>().id;
      await rows.copy({ poolId, storageId: 1, realSize: 5 });
      await superuser.send('PATCH', '/global_configuration', {
        max_system_monitoring_records: 3,
        monitoring_period: 5,
      });
      for (let round = 1; round <= 6; round += 1) {
        await rows.copy({ poolId: 1, storageId: 1, realSize: 100 });
        clock.advance(5_000);
        await expect
          .poll(async () => (await read(superuser, '?days=1')).stored_bytes, { timeout: 20_000 })
          .toEqual([
            { pool_id: 1, pool: 'Default', bytes: [100 * round] },
            { pool_id: poolId, pool: 'Still', bytes: [5] },
          ]);
      }
      const kept = async () =>
        (await app.database.db.selectFrom('pool_samples').selectAll().execute()).length;
      await expect.poll(kept, { timeout: 20_000 }).toBeLessThanOrEqual(4);
    });

    it.each(['0', '367', 'x', '1.5'])('refuses %s days', async (days) => {
      const answer = await superuser.send('GET', `/statistics?days=${days}`);
      expect(answer.status).toBe(400);
      expect(answer.body.errors.days).toContain('1 to 366');
    });
  });
}
