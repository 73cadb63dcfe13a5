import type { NearlyFullPool } from '../../../contract/desktop/fleet.ts';
import { t, textsOf } from '../../texts/index.ts';
import { cutMiddle, formatBytes, formatCount, formatServerTime, showHidden } from '../../ui/index.ts';

export const words = textsOf('fleet');

/** Of these all servers are well. */
export const wellText = (servers: number): string => t('fleet.well', { count: servers });

export function toldText(told: number, servers: number): string {
  return t('fleet.toldBy', { count: told, servers: t('common.counts.servers', { count: servers }) });
}

export function lookText(count: number, servers: number): string {
  return servers === 1 ? t('fleet.lookOne') : t('fleet.look', { count, servers });
}

export function failedText(task: {
  readonly type: string;
  readonly resource: string;
  readonly reason: string;
}): string {
  const { type, reason } = task;
  const resource = cutMiddle(showHidden(task.resource), 60);
  return reason === ''
    ? t('fleet.failed', { type, resource })
    : t('fleet.failedReason', { type, resource, reason: showHidden(reason) });
}

export function overdueText(run: {
  readonly resource: string;
  readonly client: string;
  readonly strategy: string;
  readonly due: string;
}): string {
  return t('fleet.overdue', {
    resource: cutMiddle(showHidden(run.resource), 60),
    client: showHidden(run.client),
    strategy: showHidden(run.strategy),
    time: showHidden(formatServerTime(run.due)),
  });
}

export function fullText(pool: NearlyFullPool): string {
  return t('fleet.full', {
    name: showHidden(pool.name),
    free: formatBytes(pool.freeBytes),
    total: formatBytes(pool.totalBytes),
  });
}

export function countText(count: number, isMore = false): string {
  return `${formatCount(count)}${isMore ? '+' : ''}`;
}
