import type { MeasuredLoad } from '../../platform/load-history.ts';
import { counted } from '../bulk.ts';

/** Limits of a dynamic pool group; 0 = none. */
export interface GroupLimits {
  readonly name: string;
  readonly maxPoolTasks: number;
  readonly maxMediaServerTasks: number;
  /** Percent. */
  readonly maxCpuUsage: number;
  /** Device reads and writes in a second. */
  readonly maxReads: number;
  readonly maxWrites: number;
}

/** A pool of the group, as it is now. */
export interface PlacementMember {
  readonly poolId: number;
  readonly poolName: string;
  readonly mediaServerId: number;
  readonly mediaServerName: string;
  readonly isEnabled: boolean;
  /** Tasks that have begun and are not over. */
  readonly poolTasks: number;
  readonly mediaServerTasks: number;
  /** Of its media server. */
  readonly load: MeasuredLoad;
  /** `major:minor` of what its storages lie on. */
  readonly devices: readonly string[];
  /** Whether a copy finds a storage there now. */
  readonly hasRoom: boolean;
}

export type PoolChoice =
  | { readonly kind: 'pool'; readonly member: PlacementMember; readonly reason: string }
  | { readonly kind: 'none'; readonly reason: string };

/**
 * The pool that takes a task: of the enabled members under all limits the one with the fewest tasks, then the one
 * whose media server has the fewest, then the one whose processors are least busy; the addressed one when all that
 * is equal. A pool without room is taken only when no other fits. Pure.
 */
export function choosePool(
  limits: GroupLimits,
  members: readonly PlacementMember[],
  addressedPoolId: number,
): PoolChoice {
  const fitting = members.filter((member) => whyNot(limits, member) === null);
  const withRoom = fitting.filter((member) => member.hasRoom);
  const [member] = [...(withRoom.length > 0 ? withRoom : fitting)].sort(
    (a, b) =>
      a.poolTasks - b.poolTasks ||
      a.mediaServerTasks - b.mediaServerTasks ||
      cpuOf(a) - cpuOf(b) ||
      Number(b.poolId === addressedPoolId) - Number(a.poolId === addressedPoolId) ||
      a.poolId - b.poolId,
  );
  if (member !== undefined) return { kind: 'pool', member, reason: whyChosen(limits, member) };
  const reasons = members.map((one) => `${one.poolName} ${whyNot(limits, one)}`).join('; ');
  const reason = `No pool of the dynamic pool group ${limits.name} can take the task now: ${reasons}. The task stays new until one can.`;
  return { kind: 'none', reason };
}

function cpuOf(member: PlacementMember): number {
  return member.load.kind === 'measured' ? Math.round(member.load.averages.cpuPercent) : 0;
}

function whyChosen(limits: GroupLimits, member: PlacementMember): string {
  const { load } = member;
  const cpu = load.kind === 'measured' ? `, processors at ${cpuOf(member)} %` : '';
  const tasks = `${counted(member.poolTasks, 'active task')} on it, ${member.mediaServerTasks} on media server ${member.mediaServerName}`;
  return `Pool ${member.poolName} was chosen in the dynamic pool group ${limits.name}: ${tasks}${cpu}.`;
}

/** Why the member cannot take a task now, or null. */
function whyNot(limits: GroupLimits, member: PlacementMember): string | null {
  if (!member.isEnabled) return 'is not enabled';
  if (isReached(limits.maxPoolTasks, member.poolTasks)) {
    return `has ${counted(member.poolTasks, 'active task')} (limit ${limits.maxPoolTasks})`;
  }
  if (isReached(limits.maxMediaServerTasks, member.mediaServerTasks)) {
    return `is on media server ${member.mediaServerName}, which has ${counted(member.mediaServerTasks, 'active task')} (limit ${limits.maxMediaServerTasks})`;
  }
  return whyTooBusy(limits, member);
}

function whyTooBusy(limits: GroupLimits, member: PlacementMember): string | null {
  if (limits.maxCpuUsage === 0 && limits.maxReads === 0 && limits.maxWrites === 0) return null;
  const { load } = member;
  // What a system does not tell cannot be limited.
  if (load.kind === 'untold') return null;
  if (load.kind === 'unmeasured') return 'has not been measured yet';
  if (isReached(limits.maxCpuUsage, load.averages.cpuPercent)) {
    return `is on a media server with processors at ${Math.round(load.averages.cpuPercent)} % (limit ${limits.maxCpuUsage} %)`;
  }
  const figures = member.devices.flatMap((device) => load.averages.devices.get(device) ?? []);
  const reads = Math.max(0, ...figures.map((one) => one.readsPerSecond));
  if (isReached(limits.maxReads, reads)) {
    return `is on a device with ${Math.round(reads)} reads in a second (limit ${limits.maxReads})`;
  }
  const writes = Math.max(0, ...figures.map((one) => one.writesPerSecond));
  if (!isReached(limits.maxWrites, writes)) return null;
  return `is on a device with ${Math.round(writes)} writes in a second (limit ${limits.maxWrites})`;
}

const isReached = (limit: number, value: number): boolean => limit > 0 && value >= limit;
