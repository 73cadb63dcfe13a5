import type { ConnectionState } from '../../contract/desktop/connection.ts';
import type { FailedTask, OverdueRun } from '../../contract/desktop/fleet.ts';
import { problemOf } from '../platform/problem-error.ts';
import type { CallServer } from './server-look.ts';

type Account = Pick<ConnectionState, 'permissions' | 'extensions' | 'roles'>;
type Failed = Omit<FailedTask, 'isForOthers'> & { readonly ruleId: number | null };
type Overdue = Omit<OverdueRun, 'isForOthers'>;

/** A server has few strategies; what is beyond is told to all. */
const lookedAt = 500;

/**
 * Marks what strategies want users of other roles told of. Where that cannot be known (no right to see strategies, a rule that
 * is gone, another kind of server) it is for everybody: a notice too many is better than one that nobody gets.
 */
export async function markAddressees(
  call: CallServer,
  { permissions, extensions, roles }: Account,
  failed: readonly Failed[],
  overdue: readonly Overdue[],
): Promise<{ readonly failed: readonly FailedTask[]; readonly overdue: readonly OverdueRun[] }> {
  const mayLook = extensions.includes('strategies') && permissions.includes('strategies.read');
  const ruleIds = [...new Set(failed.flatMap(({ ruleId }) => ruleId ?? []))];
  const others =
    mayLook && (ruleIds.length > 0 || overdue.length > 0) ? await strategiesOfOthers(call, roles) : [];
  const names = new Set(others.map(({ name }) => name));
  const rules =
    others.length > 0 && permissions.includes('strategy_rules.read')
      ? await rulesOf(call, ruleIds, names)
      : new Set<number>();
  return {
    failed: failed.map(({ ruleId, ...task }) => ({
      ...task,
      isForOthers: ruleId !== null && rules.has(ruleId),
    })),
    overdue: overdue.map((run) => ({ ...run, isForOthers: names.has(run.strategy) })),
  };
}

async function strategiesOfOthers(call: CallServer, roles: readonly string[]) {
  const { items } = await call('strategies.list', { query: { page: 1, limit: lookedAt } });
  return items.filter(
    ({ notification_user_groups: told }) => told?.length && !told.some((role) => roles.includes(role)),
  );
}

async function rulesOf(
  call: CallServer,
  ruleIds: readonly number[],
  strategies: ReadonlySet<string>,
): Promise<ReadonlySet<number>> {
  const found = await Promise.all(
    ruleIds.map(async (id) => {
      try {
        const { strategy_name: strategy } = await call('strategyRules.get', { params: { id } });
        return strategy !== null && strategies.has(strategy) ? [id] : [];
      } catch (error) {
        if (problemOf(error)?.status === 404) return [];
        throw error;
      }
    }),
  );
  return new Set(found.flat());
}
