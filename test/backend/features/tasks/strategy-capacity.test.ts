import { expect, it } from 'vitest';
import { capacityRefusal } from '../../../../backend/features/tasks/strategy-capacity.ts';
import { calendarOfTest, hourMs } from '../../scheduler/support.ts';
import { rowsOf } from '../rows.ts';

const open = calendarOfTest();
const gb = 1024 ** 3;

it('a copy that would pass the capacity of its strategy less the reserve is refused; one that reaches it is not', async () => {
  const { db, clock, strategy, rule, look } = await open('2030-01-01T00:00:30Z');
  const strategyId = await strategy({ full_schedule: '0 * * * *', capacity: 4 });
  const [first, second] = [await rule(strategyId), await rule(strategyId)];
  await look();
  clock.advance(hourMs);
  await look();
  const task = await db
    .selectFrom('tasks')
    .selectAll()
    .where('strategy_rule_id', '=', first)
    .executeTakeFirstOrThrow();
  // Copies of all rules of the strategy count.
  await rowsOf(db).copy({ realSize: 2 * gb }, { strategy_rule_id: second });
  const asked = async (addedBytes: number, isLimited = true): Promise<string | null> =>
    capacityRefusal(db, task, {
      settings: {
        clients_capacity_limits: false,
        backup_strategies_capacity_limits: isLimited,
        strategy_storage_capacity_reserve: 25,
      },
      addedBytes,
    });
  expect(await asked(gb)).toBeNull();
  expect(await asked(gb + 1)).toMatch(
    /^The copies of the strategy .* would pass its capacity of 4 GB less the reserve of 25 %/,
  );
  expect(await asked(gb + 1, false)).toBeNull();
  expect(await asked(0)).toBeNull();
  await rowsOf(db).copy({ realSize: gb }, { strategy_rule_id: first });
  expect(await asked(0)).toContain('have reached its capacity of 4 GB');
});
