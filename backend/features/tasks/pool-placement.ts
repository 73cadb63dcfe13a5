import type { Db } from '../../db/index.ts';
import type { Admit, QueuedTask } from '../../jobs/index.ts';
import { blockDeviceOf } from '../../platform/device-of.ts';
import { readDiskSpace } from '../../platform/disk-space.ts';
import type { LoadHistory, MeasuredLoad } from '../../platform/load-history.ts';
import { leastFreeBytes } from './placement-rules.ts';
import { choosePool, type PlacementMember } from './pool-placement-rules.ts';
import { createPoolPlacementStore, type StoredGroup, type StoredMember } from './pool-placement-store.ts';

/** Tasks that write to their pool; the others go where their copy lies. */
const copying = ['copy', 'move'];
const placed = ['backup_urgent', 'backup_strategy', 'backup_global', 'backup_local', ...copying];

const untold: MeasuredLoad = { kind: 'untold' };
/** Tasks that were told why they wait; more than this are told again. */
const mostRemembered = 10_000;

export interface PoolPlacementDeps {
  readonly db: Db;
  readonly loads: Pick<LoadHistory, 'over'>;
  readonly tell: (taskId: number, line: string) => Promise<void>;
}

/**
 * Chooses the pool of a task that is addressed to a member of a dynamic pool group, just before it leaves `new`.
 * When no member can take it, it stays there, and so does every other task that would be asked the same.
 */
export function createPoolPlacement(deps: PoolPlacementDeps): Admit {
  const store = createPoolPlacementStore(deps.db);
  const told = new Set<number>();

  const tellOnce = async (task: QueuedTask, line: string): Promise<void> => {
    if (told.has(task.id)) return;
    if (told.size >= mostRemembered) told.clear();
    told.add(task.id);
    await deps.tell(task.id, line);
  };

  const look = async (group: StoredGroup, member: StoredMember): Promise<PlacementMember> => {
    const { limits } = group;
    const { folders, devices } = await store.pathsOf(member.poolId);
    const isMeasured = member.isLocal && (limits.maxReads > 0 || limits.maxWrites > 0);
    const [spaces, found] = await Promise.all([
      member.isLocal ? Promise.all(folders.map(readDiskSpace)) : [],
      isMeasured ? Promise.all([...folders, ...devices].map(blockDeviceOf)) : [],
    ]);
    const least = member.ignoresFreeSpace ? 0 : leastFreeBytes;
    const hasFolder = spaces.some((space) => space !== null && space.freeBytes >= least);
    return {
      ...member,
      load: member.isLocal ? deps.loads.over(group.calculationPeriodSeconds) : untold,
      devices: [...new Set(found.flatMap((device) => device ?? []))],
      hasRoom: hasFolder || devices.length > 0,
    };
  };

  return async (task) => {
    if (task.pool_id === null || !placed.includes(task.task_type)) {
      return { kind: 'start', place: null, reason: null };
    }
    const group = await store.groupOf(task.pool_id);
    if (group === null) return { kind: 'start', place: null, reason: null };
    const isCopying = copying.includes(task.task_type);
    // A copy made beside its origin would be none.
    const allowed = group.members.filter((one) => !isCopying || one.poolId !== task.source_pool_id);
    const members = await Promise.all(allowed.map((member) => look(group, member)));
    const choice = choosePool(group.limits, members, task.pool_id);
    if (choice.kind === 'none') {
      await tellOnce(task, choice.reason);
      const poolIds = group.members.map((member) => member.poolId);
      return {
        kind: 'wait',
        andLike: isCopying ? null : { taskTypes: placed.filter((type) => !copying.includes(type)), poolIds },
      };
    }
    told.delete(task.id);
    const { member, reason } = choice;
    const place = {
      pool_id: member.poolId,
      pool_name: member.poolName,
      media_server_id: member.mediaServerId,
      media_server_name: member.mediaServerName,
    };
    return { kind: 'start', place, reason };
  };
}
