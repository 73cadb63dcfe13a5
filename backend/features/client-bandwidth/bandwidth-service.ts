import type {
  ClientBandwidth,
  ClientBandwidthDraft,
  ClientBandwidthPatch,
} from '../../../contract/client-bandwidth/client-bandwidth.ts';
import type { Db, Dialect, ListRequest, Page } from '../../db/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { invalidField, notFound, Refusal } from '../../platform/errors.ts';
import type { Announce } from '../announce.ts';
import { distinctIds, requireAllFound } from '../bulk.ts';
import { describeWindow, isWithin, overlap, secondOfDay } from '../daily-window.ts';
import type { Groups } from '../own-clients-store.ts';
import { unknownReference } from '../references.ts';
import { type BandwidthLimit, type BandwidthStore, createBandwidthStore } from './bandwidth-store.ts';

/** KB/s, 0 = no limit. */
export interface ClientLimit {
  readonly backup: number;
  readonly restore: number;
}

/** `groups`: the client groups that the caller is limited to; null = all. Others do not exist for the caller. */
export interface BandwidthService {
  list(list: ListRequest, groups: Groups): Promise<Page<ClientBandwidth>>;
  get(id: number, groups: Groups): Promise<ClientBandwidth>;
  create(draft: ClientBandwidthDraft, groups: Groups): Promise<{ readonly id: number }>;
  update(id: number, patch: ClientBandwidthPatch, groups: Groups): Promise<ClientBandwidth>;
  /** All or nothing. */
  remove(ids: readonly number[], groups: Groups): Promise<{ readonly ids: number[] }>;
  /** For the tasks: what holds right now, by client. A client without a limit is missing. */
  limitsNow(clientIds: readonly number[]): Promise<ReadonlyMap<number, readonly ClientLimit[]>>;
}

export function createBandwidthService(deps: {
  readonly db: Db;
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly announce: Announce;
}): BandwidthService {
  const { clock } = deps;
  const store = createBandwidthStore(deps.db);
  // A limit is a property of its client: whoever shows the client reads again.
  const tell = (id: number, clientGroupId: number) =>
    deps.announce({ kind: 'client', action: 'changed', id, clientGroupId });

  const load = async (id: number, groups: Groups) => {
    const limit = await store.get(id, groups);
    if (limit === null) throw notFound('Bandwidth limit', id);
    return limit;
  };
  const clientNamed = async (text: string, groups: Groups) => {
    const client = await store.clientByText(text, groups);
    if (client === null) throw unknownReference('client', `client \`${text}\``);
    return client;
  };

  return {
    list: (list, groups) => store.list(list, groups, deps.dialect),
    get: async (id, groups) => (await load(id, groups)).record,

    create: async (draft, groups) => {
      const client = await clientNamed(draft.client, groups);
      const limit: BandwidthLimit = {
        client_id: client.id,
        backup_bandwidth: draft.backup_bandwidth ?? 0,
        restore_bandwidth: draft.restore_bandwidth ?? 0,
        window_start: draft.window_start ?? null,
        window_end: draft.window_end ?? null,
      };
      // Look and write in one step: of two callers with the same window one is told that it is taken.
      const id = await deps.db.transaction().execute(async (tx) => {
        const inside = createBandwidthStore(tx);
        await requireFreeWindow(inside, limit, null);
        return inside.insert(limit, clock.now());
      });
      tell(client.id, client.client_group_id);
      return { id };
    },

    update: async (id, patch, groups) => {
      const before = await load(id, groups);
      if (patch.id !== undefined && patch.id !== id) {
        throw invalidField('id', `must be the id in the path, ${id}`);
      }
      const client = await clientNamed(patch.client ?? before.record.client, groups);
      if (patch.client_hwid !== undefined && patch.client_hwid !== client.hwid) {
        throw invalidField('client_hwid', `must be that of the client, ${client.hwid}`);
      }
      await deps.db.transaction().execute(async (tx) => {
        const inside = createBandwidthStore(tx);
        const current = await inside.get(id, groups);
        if (current === null) throw notFound('Bandwidth limit', id);
        const changed = changedLimit(current.record, patch, client.id);
        await requireFreeWindow(inside, changed, id);
        await inside.update(id, changed);
      });
      if (before.clientId !== client.id) tell(before.clientId, before.clientGroupId);
      tell(client.id, client.client_group_id);
      return (await load(id, groups)).record;
    },

    remove: async (given, groups) => {
      const ids = distinctIds(given);
      const removed = await deps.db.transaction().execute(async (tx) => {
        const inside = createBandwidthStore(tx);
        const found = await inside.getMany(ids, groups);
        requireAllFound(
          'Bandwidth limit',
          ids,
          found.map(({ record }) => record.id),
        );
        await inside.remove(ids);
        return found;
      });
      for (const { clientId, clientGroupId } of removed) tell(clientId, clientGroupId);
      return { ids: [...ids] };
    },

    limitsNow: async (clientIds) => {
      const second = secondOfDay(clock.now());
      const limits = new Map<number, ClientLimit[]>();
      for (const row of await store.limitsOf(clientIds)) {
        if (!isWithin({ start: row.window_start, end: row.window_end }, second)) continue;
        const limit = { backup: row.backup_bandwidth, restore: row.restore_bandwidth };
        limits.set(row.client_id, [...(limits.get(row.client_id) ?? []), limit]);
      }
      return limits;
    },
  };
}

function changedLimit(
  record: ClientBandwidth,
  patch: ClientBandwidthPatch,
  clientId: number,
): BandwidthLimit {
  const figure = (sent: number | null | undefined, known: number) =>
    sent === undefined ? known : (sent ?? 0);
  return {
    client_id: clientId,
    backup_bandwidth: figure(patch.backup_bandwidth, record.backup_bandwidth),
    restore_bandwidth: figure(patch.restore_bandwidth, record.restore_bandwidth),
    window_start: patch.window_start === undefined ? record.window_start : patch.window_start,
    window_end: patch.window_end === undefined ? record.window_end : patch.window_end,
  };
}

/** At every second of the day at most one limit of a client holds. */
async function requireFreeWindow(
  inside: BandwidthStore,
  limit: BandwidthLimit,
  own: number | null,
): Promise<void> {
  await inside.holdClient(limit.client_id);
  const window = { start: limit.window_start, end: limit.window_end };
  const others = (await inside.limitsOf([limit.client_id])).filter(({ id }) => id !== own);
  const taken = others
    .map((row) => ({ id: row.id, start: row.window_start, end: row.window_end }))
    .find((other) => overlap(window, other));
  if (taken === undefined) return;
  const reason = `overlaps with limit ${taken.id} of this client, which holds ${describeWindow(taken)}; choose another window or change that one`;
  throw new Refusal('request.invalid', {
    message: `The window ${describeWindow(window)} ${reason}.`,
    errors: { window_start: reason, window_end: reason },
  });
}
