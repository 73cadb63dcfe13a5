import {
  type GroupFigure,
  groupFigureDefaults,
  groupFigures,
} from '../../../contract/dynamic-pool-groups/dynamic-pool-group.ts';
import type { PoolToJoin } from './dynamic-pool-member-store.ts';

type Given = { readonly [F in GroupFigure]?: number | null | undefined };
type Figures = Readonly<Record<GroupFigure, number>>;

/** The figures of a new group: what was not said has its default. */
export function completeFigures(given: Given): Figures {
  return { ...groupFigureDefaults, ...changedFigures(given) };
}

/** The figures that a caller changes; null goes back to the default. */
export function changedFigures(given: Given): Partial<Figures> {
  const sent = groupFigures.filter((name) => given[name] !== undefined);
  return Object.fromEntries(sent.map((name) => [name, given[name] ?? groupFigureDefaults[name]]));
}

/** Why the pool cannot join a group whose members have `groupType` (null: it has none yet), or null. */
export function whyPoolCannotJoin(pool: PoolToJoin, groupType: string | null): string | null {
  if (pool.groupName !== null) {
    return `is in the dynamic pool group \`${pool.groupName}\` already; a pool is in one group at most`;
  }
  if (groupType === null || groupType === pool.type) return null;
  return `is of type \`${pool.type}\`, but the pools of this group are of type \`${groupType}\``;
}
