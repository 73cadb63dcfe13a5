import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { seed } from '../../../backend/features/first-start.ts';
import { createRepository } from '../../../backend/features/repository/create-repository.ts';
import { toWireTime } from '../../../backend/platform/wire-time.ts';
import type { CopyOutlook } from '../../../contract/repository/retention-preview.ts';
import {
  type HandClock,
  handClock,
  type Session,
  startTestApp,
  type TestApp,
} from '../../support/backend.ts';
import { whyNotDescribed } from '../../support/described-answers.ts';
import { rowsOf } from '../features/rows.ts';

const startMs = Date.UTC(2030, 0, 15, 12);
const dayMs = 86_400_000;
let clock: HandClock;
let app: TestApp;
let superuser: Session;
let rows: ReturnType<typeof rowsOf>;
let repository: ReturnType<typeof createRepository>;
beforeAll(async () => {
  clock = handClock(startMs);
  const made: ReturnType<typeof createRepository>[] = [];
  // Nothing runs by itself: the expiry is called by hand, at the moments of the test.
  app = await startTestApp({
    clock,
    moreHandlers: (deps) => {
      const one = createRepository({ ...deps, announce: () => undefined });
      made.push(one);
      return one.handlers(async () => 0);
    },
  });
  const [first] = made;
  if (!first) throw new Error('the repository was not made');
  repository = first;
  await seed(app.built.features);
  rows = rowsOf(app.database.db);
  superuser = await app.loginAs('superuser');
});
afterAll(() => app.close());
beforeEach(() => reset());

async function reset(): Promise<void> {
  const { db } = app.database;
  clock.set(startMs);
  await db.deleteFrom('tasks').execute();
  await db.updateTable('copies').set({ reference_id: null }).execute();
  await db.deleteFrom('copies').execute();
  await configure({});
}

/** All that decides over expiry; what is not given is as on a new server. */
async function configure(values: object): Promise<void> {
  const answer = await superuser.send('PATCH', '/global_configuration', {
    mandatory_storage_time: 0,
    immutable_archives: false,
    repository_remove_chain: 'yes',
    dont_delete_last_gs_rule_archive: true,
    dont_delete_last_strategy_rule_archive: true,
    auto_delete_archive_from_broken_chain: 'no',
    ...values,
  });
  if (answer.status !== 200) throw new Error(answer.body.message);
}

const preview = async (atMs: number, more = ''): Promise<CopyOutlook[]> => {
  const path = `/repository/retention_preview?at=${toWireTime(atMs)}${more}`;
  const answer = await superuser.send('GET', path);
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return answer.data<CopyOutlook[]>();
};
const listed = async (): Promise<number[]> =>
  (await superuser.send('GET', '/repository?sort=id')).data<{ id: number }[]>().map(({ id }) => id);

interface RandomCopy {
  /** How many copies before this one is the one that it builds on; null: it is a full copy. */
  readonly buildsOn: number | null;
  readonly createdDay: number;
  readonly untilDay: number | null;
  readonly rule: number | null;
  readonly strategyRule: number | null;
  readonly isArchiving: boolean;
  readonly isBroken: boolean;
  readonly isUsed: boolean;
}

const seldom = fc.nat(5).map((number) => number === 0);
const day = fc.integer({ min: -3, max: 12 });
const randomCopy: fc.Arbitrary<RandomCopy> = fc.record({
  buildsOn: fc.option(fc.integer({ min: 1, max: 3 }), { freq: 1 }),
  createdDay: fc.integer({ min: -30, max: 0 }),
  untilDay: fc.option(day, { freq: 6 }),
  rule: fc.constantFrom(null, 1),
  strategyRule: fc.constantFrom(null, null, 2),
  isArchiving: seldom,
  isBroken: seldom,
  isUsed: seldom,
});
const policy = fc.record({
  mandatory_storage_time: fc.constantFrom(0, 0, 10, 40),
  immutable_archives: fc.boolean(),
  repository_remove_chain: fc.constantFrom('yes', 'no'),
  dont_delete_last_gs_rule_archive: fc.boolean(),
  dont_delete_last_strategy_rule_archive: fc.boolean(),
  auto_delete_archive_from_broken_chain: fc.constantFrom('yes', 'no'),
});

async function insert(copies: readonly RandomCopy[]): Promise<void> {
  const ids: number[] = [];
  for (const [index, copy] of copies.entries()) {
    const base = copy.buildsOn === null ? undefined : ids[index - copy.buildsOn];
    const id = await rows.copy(
      {},
      {
        reference_id: base ?? null,
        backup_type: base === undefined ? 'full' : 'incremental',
        created_ms: startMs + copy.createdDay * dayMs,
        store_until_ms: copy.untilDay === null ? null : startMs + copy.untilDay * dayMs,
        rule_id: copy.rule,
        strategy_rule_id: copy.strategyRule,
        archiving: copy.isArchiving ? 1 : 0,
        status: copy.isBroken ? 'Broken' : 'Trusted',
      },
    );
    if (copy.isUsed) await rows.task({ status: 'execution', copyId: id });
    ids.push(id);
  }
}

describe('the preview and the expiry', { timeout: 120_000 }, () => {
  it('agree for any copies and any policy, however often the server looked until then', async () => {
    let removals = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(randomCopy, { minLength: 1, maxLength: 10 }),
        policy,
        fc.integer({ min: 5, max: 20 }),
        fc.array(fc.nat(20), { maxLength: 3 }),
        async (copies, settings, atDay, looks) => {
          await reset();
          await insert(copies);
          await configure(settings);
          const all = await preview(startMs + atDay * dayMs);
          expect(all).toHaveLength(copies.length);
          const moments = [...looks.filter((look) => look < atDay).sort((a, b) => a - b), atDay];
          for (const moment of moments) {
            clock.set(startMs + moment * dayMs);
            await repository.copies.expireDue(clock.now());
            const promised = all.filter(({ goes }) => goes === null || goes > toWireTime(clock.now()));
            expect(await listedThere(), `day ${moment}`).toEqual(promised.map(({ id }) => id));
          }
          expect(await listedThere()).toEqual(all.filter(({ kept }) => kept).map(({ id }) => id));
          removals += all.filter(({ kept }) => !kept).length;
        },
      ),
      { numRuns: 150 },
    );
    // The policies are not so strict that there is nothing to compare.
    expect(removals).toBeGreaterThan(50);
  });

  /** The session of the superuser ended while days went by, so the catalogue itself is asked. */
  async function listedThere(): Promise<number[]> {
    const found = await app.database.db
      .selectFrom('copies')
      .select('id')
      .where('deleting', '=', 0)
      .orderBy('id')
      .execute();
    return found.map(({ id }) => id);
  }

  it('keep of a rule the copy that is to be kept longest, also when a stopped server finds all expired (case 95)', async () => {
    const longest = await rows.copy({}, { strategy_rule_id: 7, store_until_ms: startMs + 20 * dayMs });
    await rows.copy({}, { strategy_rule_id: 7, store_until_ms: startMs + 10 * dayMs });
    const atMs = startMs + 365 * dayMs;
    const outlook = await preview(atMs);
    expect(outlook.map(({ kept, rule }) => [kept, rule])).toEqual([
      [true, 'last_copy_of_strategy_rule'],
      [false, 'expired'],
    ]);
    clock.set(atMs);
    const root = await app.loginAs('superuser');
    expect(await repository.copies.expireDue(atMs)).toEqual([]);
    await root.send('PATCH', '/global_configuration/expiry_hold', { held: false });
    await repository.copies.expireDue(atMs);
    expect(await listedThere()).toEqual([longest]);
    // The sessions of the others are over by now.
    clock.set(startMs);
    superuser = await app.loginAs('superuser');
  });
});

describe('the preview', () => {
  const verdict = async (atMs: number): Promise<unknown[]> =>
    (await preview(atMs)).map(({ kept, rule, goes }) => [kept, rule, goes]);

  it('names for each copy the rule that keeps it, or when it goes', async () => {
    const until = startMs + 5 * dayMs;
    const used = await rows.copy({}, { store_until_ms: until });
    const task = await rows.task({ status: 'execution', copyId: used });
    await rows.copy({}, { store_until_ms: null });
    await rows.copy({}, { store_until_ms: until + 1 });
    await rows.copy({}, { store_until_ms: until, archiving: 1 });
    await rows.copy({}, { store_until_ms: until });
    const base = await rows.copy({}, { store_until_ms: until });
    const next = await rows.copy({}, { store_until_ms: until + dayMs, reference_id: base });
    await rows.copy({}, { store_until_ms: until, rule_id: 3 });
    await rows.copy({}, { store_until_ms: until, strategy_rule_id: 4 });
    expect(await verdict(until)).toEqual([
      [true, 'in_use', null],
      [true, 'forever', null],
      [true, 'not_expired', null],
      [true, 'archiving', null],
      [false, 'expired', toWireTime(until)],
      [true, 'dependants', null],
      [true, 'not_expired', null],
      [true, 'last_copy_of_rule', null],
      [true, 'last_copy_of_strategy_rule', null],
    ]);
    const [first, , , , , sixth, , eighth] = await preview(until);
    expect(first?.reason).toContain(`copy ${used} is used by the active task ${task}`);
    expect(sixth?.reason).toContain(String(next));
    expect(eighth?.reason).toContain('the last copy of rule 3');
    expect((await preview(until + dayMs)).slice(5, 7).map(({ kept }) => kept)).toEqual([false, false]);
  });

  it('follows the mandatory time, immutable archives, broken copies and service mode', async () => {
    const young = { created_ms: startMs, store_until_ms: startMs + dayMs };
    await rows.copy({}, young);
    await rows.copy({}, { ...young, store_until_ms: startMs + 9 * dayMs, status: 'Broken' });
    await configure({ mandatory_storage_time: 3, auto_delete_archive_from_broken_chain: 'yes' });
    expect(await verdict(startMs + 2 * dayMs)).toEqual([
      [true, 'mandatory_storage_time', null],
      [true, 'mandatory_storage_time', null],
    ]);
    expect(await verdict(startMs + 3 * dayMs)).toEqual([
      [false, 'expired', toWireTime(startMs + 3 * dayMs)],
      [false, 'broken', toWireTime(startMs + 3 * dayMs)],
    ]);
    await configure({ immutable_archives: true, auto_delete_archive_from_broken_chain: 'yes' });
    expect(await verdict(startMs + 3 * dayMs)).toEqual([
      [false, 'expired', toWireTime(startMs + dayMs)],
      [true, 'immutable_archives', null],
    ]);
    const serviceMode = (on: boolean) =>
      superuser.send('PATCH', '/global_configuration/service_mode', { service_mode: on });
    await serviceMode(true);
    expect((await preview(startMs + 3 * dayMs))[0]).toMatchObject({ kept: true, rule: 'service_mode' });
    await serviceMode(false);
  });

  it('comes in pages, and refuses what it cannot know with the field and the remedy', async () => {
    const ids = [await rows.copy({}), await rows.copy({}), await rows.copy({})];
    const page = await preview(startMs, '&page=2&limit=2');
    expect(page.map(({ id }) => id)).toEqual(ids.slice(2));
    expect((await preview(startMs, '&sort=id&order=desc')).map(({ id }) => id)).toEqual(ids.toReversed());
    expect(await listed()).toEqual(ids);
    for (const query of ['?at=', '?at=tomorrow', `?at=${toWireTime(startMs - 1)}`]) {
      const answer = await superuser.send('GET', `/repository/retention_preview${query}`);
      expect([query, answer.status, Object.keys(answer.body.errors)]).toEqual([query, 400, ['at']]);
    }
    const now = await superuser.send('GET', '/repository/retention_preview');
    expect(now.data<CopyOutlook[]>().map(({ kept }) => kept)).toEqual([true, true, true]);
    expect(whyNotDescribed('GET /repository/retention_preview', now.status, now.body)).toBeNull();
    const names = (await superuser.send('GET', '/extensions')).data<{ names: string[] }>().names;
    expect(names).toContain('retention_preview');
  });

  it('shows the copies of own client groups only', async () => {
    const { db } = app.database;
    const group = await db
      .insertInto('client_groups')
      .values({ name: 'Office', name_key: 'office', shared: 0, created_ms: 0 })
      .returning('id')
      .executeTakeFirstOrThrow();
    const client = await rows.client({ groupId: group.id });
    const own = await rows.copy({ clientId: client }, { store_until_ms: startMs });
    await rows.copy({}, { store_until_ms: startMs });
    const limited = await app.loginAs('administrator', { clientGroupIds: [group.id] });
    const answer = await limited.send('GET', `/repository/retention_preview?at=${toWireTime(startMs)}`);
    expect(answer.data<CopyOutlook[]>().map(({ id }) => id)).toEqual([own]);
    expect(answer.headers['x-total-count']).toBe('1');
  });
});
