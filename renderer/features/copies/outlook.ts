import type { CopyOutlook } from '../../../contract/repository/retention-preview.ts';
import { type Caller, problemOf } from '../../bridge.ts';
import { localZone } from '../../shell/zone-times.ts';
import { dayMs, momentAfter, momentNow, serverTextOf } from './moments.ts';

/** What is there of the copies of one resource of one client. */
export interface OutlookGroup {
  readonly key: string;
  readonly client: string;
  readonly resource: string;
  readonly copies: readonly CopyOutlook[];
  readonly kept: number;
  readonly keptBytes: number;
}

export interface Outlook {
  readonly copies: readonly CopyOutlook[];
  /** Of the server; more than `copies` when there are very many. */
  readonly total: number;
}

const pageSize = 500;
const mostPages = 5;

/** The copies at a moment to come, in the order of their ids; null: now. */
export async function loadOutlook(call: Caller, at: string | null, signal: AbortSignal): Promise<Outlook> {
  const copies: CopyOutlook[] = [];
  for (let page = 1; ; page += 1) {
    const query = { page, limit: pageSize, ...(at === null ? {} : { at }) };
    const answer = await call('repository.retentionPreview', { query }, signal);
    copies.push(...answer.items);
    const isAll = answer.items.length < pageSize || copies.length >= answer.total;
    if (isAll || page === mostPages) return { copies, total: answer.total };
  }
}

export interface Horizon {
  /** What the clocks of the server show now. */
  readonly nowMs: number;
  /** As far as the slider goes. */
  readonly endMs: number;
  /** Moments at which copies go, in order. */
  readonly changes: readonly number[];
}

const leastAheadMs = 30 * dayMs;
const mostAheadMs = 3650 * dayMs;

/** From now to the moment after which no further copy goes, ten years at most. */
export async function loadHorizon(
  call: Caller,
  options: { readonly asksZone: boolean; readonly nowMs: number },
  signal: AbortSignal,
): Promise<Horizon> {
  const zone = options.asksZone ? await serverZone(call, signal) : localZone();
  const nowMs = momentNow(zone, options.nowMs);
  const last = await loadOutlook(call, serverTextOf(nowMs + mostAheadMs), signal);
  const found = last.copies.flatMap((copy) => momentAfter(copy.goes) ?? []).filter((ms) => ms > nowMs);
  const changes = [...new Set(found)].sort((one, other) => one - other);
  const farthest = (changes.at(-1) ?? nowMs) + dayMs;
  return { nowMs, endMs: Math.max(nowMs + leastAheadMs, farthest), changes };
}

/** Who may not see strategies is shown the times of this computer. */
async function serverZone(call: Caller, signal: AbortSignal): Promise<string> {
  try {
    return (await call('strategies.preview', { query: {} }, signal)).server_time_zone;
  } catch (error) {
    if (problemOf(error).status === 403) return localZone();
    throw error;
  }
}

/** By client and resource, those that lose copies first. */
export function groupsOf(copies: readonly CopyOutlook[]): readonly OutlookGroup[] {
  const groups = new Map<string, CopyOutlook[]>();
  for (const copy of copies) {
    const key = JSON.stringify([copy.client, copy.resource_type, copy.resource]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [copy]);
    else group.push(copy);
  }
  return [...groups]
    .map(([key, own]) => {
      const kept = own.filter((copy) => copy.kept);
      const { client = '', resource = '' } = own[0] ?? {};
      return { key, client, resource, copies: own, kept: kept.length, keptBytes: bytesOf(kept) };
    })
    .sort((one, other) => rankOf(one) - rankOf(other) || compareNames(one, other));
}

export function bytesOf(copies: readonly CopyOutlook[]): number {
  return copies.reduce((sum, copy) => sum + copy.real_size, 0);
}

/** Nothing left before something gone before all there. */
function rankOf(group: OutlookGroup): number {
  if (group.kept === 0) return 0;
  return group.kept < group.copies.length ? 1 : 2;
}

function compareNames(one: OutlookGroup, other: OutlookGroup): number {
  return one.client.localeCompare(other.client) || one.resource.localeCompare(other.resource);
}
