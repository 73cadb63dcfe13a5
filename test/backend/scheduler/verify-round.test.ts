import { afterEach, beforeEach, expect, it } from 'vitest';
import { rowsOf } from '../features/rows.ts';
import { at, type Calendar, dayMs, hourMs, openCalendar } from './support.ts';

let calendar: Calendar;
beforeEach(async () => {
  calendar = await openCalendar('2030-01-01T00:30:00Z');
});
afterEach(() => calendar.close());

const verified = async (): Promise<readonly (number | null)[]> => {
  const tasks = calendar.db.selectFrom('tasks').select('copy_id').where('task_type', '=', 'verify');
  return (await tasks.orderBy('id').execute()).map((task) => task.copy_id);
};

async function copyOf(ruleId: number, columns: object): Promise<number> {
  const storage = await calendar.db.selectFrom('storages').selectAll().executeTakeFirstOrThrow();
  return rowsOf(calendar.db).copy(
    { poolId: storage.pool_id, storageId: storage.id },
    { strategy_rule_id: ruleId, created_ms: at('2030-01-01T00:00:00Z'), ...columns },
  );
}

it('copies whose last verification is longer ago than verify_period get a verify task, one at a time', async () => {
  const { strategy, rule, look, clock, db } = calendar;
  const id = await rule(await strategy({ verify_period: 7 }));
  const other = await rule(await strategy({}));
  const never = await copyOf(id, {});
  const later = await copyOf(id, { verified_ms: at('2030-01-05T00:00:00Z') });
  await copyOf(other, {});
  await copyOf(id, { deleting: 1 });
  clock.set(at('2030-01-07T23:00:00Z'));
  await look();
  expect(await verified()).toEqual([]);
  clock.set(at('2030-01-08T00:00:00Z'));
  await look();
  expect(await verified()).toEqual([never]);
  // Still waiting a month later; the other copy has come due meanwhile.
  clock.advance(30 * dayMs);
  await look();
  expect(await verified()).toEqual([never, later]);
  await db.updateTable('copies').set({ verified_ms: clock.now() }).execute();
  await calendar.endTasks();
  clock.advance(6 * dayMs);
  await look();
  expect(await verified()).toHaveLength(2);
  clock.advance(dayMs);
  await look();
  expect(await verified()).toEqual([never, later, never, later]);
});

it('a verification that could not be done is tried again a day later', async () => {
  const { strategy, rule, look, clock, endTasks } = calendar;
  await copyOf(await rule(await strategy({ verify_period: 1 })), {});
  clock.advance(2 * dayMs);
  await look();
  await endTasks('error');
  clock.advance(23 * hourMs);
  await look();
  expect(await verified()).toHaveLength(1);
  clock.advance(hourMs);
  await look();
  expect(await verified()).toHaveLength(2);
});

it('none is made in service mode, for a strategy that is off, or for a copy that is being moved', async () => {
  const { strategy, rule, look, clock, good, db } = calendar;
  const strategyId = await strategy({ verify_period: 1 });
  const copyId = await copyOf(await rule(strategyId), {});
  clock.advance(2 * dayMs);
  await good('PATCH', '/global_configuration/service_mode', { service_mode: true });
  await look();
  expect(await verified()).toEqual([]);
  await good('PATCH', '/global_configuration/service_mode', { service_mode: false });
  await good('PATCH', `/strategies/${strategyId}`, { data: { enabled: false } });
  await look();
  expect(await verified()).toEqual([]);
  await good('PATCH', `/strategies/${strategyId}`, { data: { enabled: true } });
  const move = await rowsOf(db).task({ status: 'suspended', copyId });
  await db.updateTable('tasks').set({ task_type: 'move' }).where('id', '=', move).execute();
  clock.advance(hourMs);
  await look();
  expect(await verified()).toEqual([]);
  await db.updateTable('tasks').set({ status: 'killed' }).where('id', '=', move).execute();
  clock.advance(hourMs);
  await look();
  expect(await verified()).toEqual([copyId]);
});

it('a copy on tape is verified after ninety days at the earliest, and only while all its cartridges are inside', async () => {
  const { strategy, rule, look, clock, db } = calendar;
  const ruleId = await rule(await strategy({ verify_period: 7 }));
  const [server] = await db.selectFrom('media_servers').selectAll().execute();
  const owner = { media_server_id: server?.id ?? 0, created_ms: 0 };
  const tapes = await calendar.good<{ id: number }>('POST', '/pools', {
    data: { pool_name: 'Tapes', pool_type: 'Tape library', media_server: server?.name },
  });
  const library = await db
    .insertInto('tape_libraries')
    .values({ ...owner, pool_id: tapes.id, slots_count: 2, status: 'ready' })
    .returning('id')
    .executeTakeFirstOrThrow();
  const onTape = async (barcode: string, location: string): Promise<number> => {
    const { id: cartridge } = await db
      .insertInto('cartridges')
      .values({
        tape_library_id: library.id,
        pool_id: tapes.id,
        barcode,
        state: 'labelled',
        location,
        created_ms: 0,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    const id = await rowsOf(db).copy(
      { poolId: tapes.id },
      { strategy_rule_id: ruleId, uuid: barcode, created_ms: at('2030-01-01T00:00:00Z') },
    );
    const part = { cartridge_id: cartridge, copy_uuid: barcode, number: 1, file: 1, bytes: 1 };
    await db
      .insertInto('tape_parts')
      .values({ ...part, is_last: 1, state: 'stored', facts: null })
      .execute();
    return id;
  };
  const inside = await onTape('SR0001L8', 'storage');
  await onTape('SR0002L8', 'outside');
  clock.set(at('2030-03-31T00:00:00Z'));
  await look();
  expect(await verified()).toEqual([]);
  clock.set(at('2030-04-01T00:00:00Z'));
  await look();
  expect(await verified()).toEqual([inside]);
});
