import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  type HandClock,
  handClock,
  type Session,
  startTestApp,
  type TestApp,
} from '../../support/backend.ts';
import { rowsOf } from '../features/rows.ts';

let app: TestApp;
let superuser: Session;
let clock: HandClock;

beforeEach(async () => {
  clock = handClock();
  app = await startTestApp({ started: true, clock });
  superuser = await app.loginAs('superuser');
});
afterEach(() => app.close());

const configure = async (values: object) =>
  expect((await superuser.send('PATCH', '/global_configuration', values)).status).toBe(200);
const patient = { timeout: 20_000 };
const samples = async () =>
  (await app.database.db.selectFrom('pool_samples').select('stored_bytes').orderBy('id').execute()).map(
    (row) => row.stored_bytes,
  );
/** The pool holds that much more, and it is `seconds` later. */
const grow = async (seconds: number) => {
  await rowsOf(app.database.db).copy({ poolId: 1, realSize: 1 });
  clock.advance(seconds * 1000);
};

it('monitoring_period is the time between two samples of what the pools hold', async () => {
  await expect.poll(samples, patient).toHaveLength(1);
  await configure({ monitoring_period: 3600 });
  // Two minutes are over and the regular work of them is done.
  await grow(61);
  await configure({ done_tasks_remove_period: 1 });
  const old = await rowsOf(app.database.db).task({ status: 'done', finishedMs: 1 });
  clock.advance(61_000);
  const isThere = async () => (await superuser.send('GET', `/tasks/${old}`)).status;
  await expect.poll(isThere, patient).toBe(404);
  expect(await samples()).toEqual([0]);
  await configure({ monitoring_period: 5 });
  await expect.poll(samples, patient).toEqual([0, 1]);
  await grow(5);
  await expect.poll(samples, patient).toEqual([0, 1, 2]);
});

it('max_system_monitoring_records is how many samples are kept', async () => {
  await expect.poll(samples, patient).toEqual([0]);
  await configure({ monitoring_period: 5, max_system_monitoring_records: 3 });
  for (let round = 1; round <= 6; round += 1) {
    await grow(5);
    await expect.poll(async () => (await samples()).at(-1), patient).toBe(round);
  }
  expect((await samples()).length).toBeLessThanOrEqual(3);
  expect((await samples()).at(-1)).toBe(6);
});
