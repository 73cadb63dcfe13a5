import type { z } from 'zod';
import type { Copy, CopyDamage, CopyPatch, CopyStatus } from '../../../contract/repository/copy.ts';
import { parseClientText } from '../../../contract/words.ts';
import type { Db, Dialect, ListRequest, Page, Tx } from '../../db/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { invalidField, notFound, Refusal } from '../../platform/errors.ts';
import { fromWireTime } from '../../platform/wire-time.ts';
import { distinctIds, requireAllFound } from '../bulk.ts';
import type { ConfigurationService } from '../configuration/configuration-service.ts';
import type { Groups } from '../own-clients-store.ts';
import { createBaseStore } from './base-store.ts';
import { asChained, findPredecessors } from './chain-rows.ts';
import type { CopyAnnouncements } from './copy-announcements.ts';
import { isOnTape, type StoredCopy } from './copy-query-store.ts';
import { toRecord } from './copy-record.ts';
import type { CopyRemoval, RemoveOptions } from './copy-removal.ts';
import { type NewCopy, newRow, type Transferred, transferredRow } from './copy-rows.ts';
import { createCopyStore } from './copy-store.ts';
import { endsBefore, type KeptCopy, storeUntil, whyEndIsRefused } from './retention-rules.ts';
import { whyTransferIsRefused } from './transfer-rules.ts';

export type { NewCopy, Transferred } from './copy-rows.ts';
export type { RestoreInput } from './restore-input.ts';

/** What a task needs to work with a copy. */
export interface TaskCopy {
  readonly id: number;
  readonly uuid: string;
  /** Null on tape. */
  readonly storageId: number | null;
  /** Of a copy on tape: empty, until it was brought to a disk. */
  readonly storagePath: string;
  readonly isOnTape: boolean;
  /** Its data are to be overwritten when they are removed. */
  readonly zeroing: boolean;
  readonly poolId: number | null;
  readonly clientId: number | null;
  readonly resource: string;
  readonly crypto: string;
  /** Where the key of an encrypted copy lives. */
  readonly clientHwid: string;
  /** Bytes of its files. */
  readonly sizeBytes: number;
  readonly storedBytes: number;
  /** The copies that it builds on, oldest first; none for a full copy. */
  readonly chain: readonly ChainedCopy[];
  /** One of them is known to be damaged. */
  readonly isChainDamaged: boolean;
}

/** A copy of a chain, and where its folder lies. */
export interface ChainedCopy {
  readonly copyId: string;
  readonly storagePath: string;
}

/** What a new copy can build on. */
export interface FoundBase {
  readonly id: number;
  /** It and what it builds on itself, oldest first. */
  readonly copies: readonly ChainedCopy[];
}

export interface CopyServiceDeps {
  readonly db: Db;
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly configuration: Pick<ConfigurationService, 'read'>;
  readonly tell: CopyAnnouncements;
  readonly removal: CopyRemoval;
  /** The copy's file list is about to go: nobody may keep it open. */
  readonly closeFiles: (id: number) => Promise<void>;
}

export type CopyService = ReturnType<typeof createCopyService>;

/** `groups`: the client groups that the caller is limited to; null = all. */
export function createCopyService(deps: CopyServiceDeps) {
  const { db, dialect, clock, tell, removal } = deps;
  const store = createCopyStore(db);

  const load = async (id: number, groups: Groups): Promise<StoredCopy> => {
    const copy = await store.get(id, groups);
    if (copy === null) throw notFound('Copy', id);
    return copy;
  };

  return {
    list: async (list: ListRequest, groups: Groups): Promise<Page<Copy>> => {
      const { rows, total } = await store.list(list, groups, dialect);
      return { rows: rows.map(toRecord), total };
    },

    get: async (id: number, groups: Groups): Promise<Copy> => toRecord(await load(id, groups)),

    dependencies: async (
      given: readonly number[],
      groups: Groups,
    ): Promise<{ readonly id: number; readonly dependencies: number[] }[]> => {
      const ids = distinctIds(given);
      const found = await store.getMany(ids, groups);
      requireAllFound(
        'Copy',
        ids,
        found.map(({ id }) => id),
      );
      const dependants = await store.dependants(ids);
      return ids.map((id) => ({ id, dependencies: [...(dependants.get(id) ?? [])] }));
    },

    /** Changes until when a copy is kept; what it builds on is kept at least as long. */
    update: async (id: number, patch: z.output<typeof CopyPatch>, groups: Groups): Promise<Copy> => {
      const text = patch.store_until;
      const copy = await load(id, groups);
      if (text === undefined) return toRecord(copy);
      const untilMs = text === null ? null : fromWireTime(text);
      const settings = await deps.configuration.read();
      const changed = await db.transaction().execute(async (tx) => {
        const inside = createCopyStore(tx);
        const dependants = (await inside.dependants([id])).get(id) ?? [];
        const reason = whyEndIsRefused(keptCopy(await inside.get(id, groups), id), untilMs, {
          dependants: (await inside.getMany(dependants, null)).map((row) => keptCopy(row, row.id)),
          settings: {
            mandatoryStorageDays: settings.mandatory_storage_time,
            immutableArchives: settings.immutable_archives,
          },
          nowMs: clock.now(),
        });
        if (reason !== null) throw invalidField('store_until', reason);
        await inside.setStoreUntil([id], { ms: untilMs, text });
        return [id, ...(await prolongPredecessors(inside, id, { ms: untilMs, text }))];
      });
      for (const row of await store.getMany(changed, null)) tell.copy('changed', row);
      return toRecord(await load(id, groups));
    },

    /** All or nothing; answers all that went, dependants included. */
    removeCopies: (ids: readonly number[], options: RemoveOptions) => removal.remove(ids, options),

    expireDue: removal.expireDue,

    finishDeletions: removal.finish,

    /**
     * The row of a copy whose bytes are on the disk. Belongs into the transaction that ends its task; tell of it with
     * `announceCreated` once that is committed.
     */
    registerCopy: async (tx: Tx, copy: NewCopy): Promise<number> => {
      const inside = createCopyStore(tx);
      if (copy.referenceId !== undefined && (await inside.get(copy.referenceId, null)) === null) {
        throw new Refusal('object.notFound', { message: baseGone });
      }
      const untilMs = storeUntil(copy.createdMs, copy.task.storage_duration);
      const id = await inside.insert(newRow(copy, untilMs));
      const [first] = copy.referenceId === undefined ? [] : (await inside.predecessors(id)).slice(-1);
      await inside.setChain(id, first ?? id);
      await prolongPredecessors(inside, id, { ms: untilMs, text: null });
      return id;
    },

    /** The newest copy that a task's incremental copy can build on, or full copy for a differential one. */
    findBase: async (task: NewCopy['task']): Promise<FoundBase | null> => {
      const clientHwid = parseClientText(task.client_text ?? '')?.hwid ?? '';
      if (task.pool_id === null || clientHwid === '') return null;
      const series = {
        clientHwid,
        resourceType: task.resource_type ?? '',
        resource: task.resource ?? '',
        crypto: task.crypto ?? 'nocrypt',
        poolId: task.pool_id,
        ruleId: task.rule_id,
        strategyRuleId: task.strategy_rule_id,
      };
      const isFull = task.backup_type === 'differential';
      const id = await createBaseStore(db).newest(series, { isFull });
      if (id === null) return null;
      const chain = [...(await findPredecessors(store, id)), ...(await store.getMany([id], null))];
      return { id, copies: chain.flatMap(asChained) };
    },

    announceCreated: async (uuid: string): Promise<void> => {
      const copy = await store.byUuid(uuid);
      if (copy !== null) tell.copy('created', copy);
    },

    /** Asked when the work begins: what was found at the request may have changed since. Null: it may go on. */
    whyNoTransfer: async (
      kind: 'copy' | 'move',
      task: { readonly id: number; readonly copy_id: number | null; readonly pool_id: number | null },
    ): Promise<string | null> => {
      const copy = await store.get(task.copy_id ?? -1, null);
      const pool = await store.poolById(task.pool_id ?? -1);
      if (copy === null || pool === null) return null;
      const refusal = whyTransferIsRefused(kind, {
        backupType: copy.backup_type,
        sourcePoolId: copy.pool_id,
        crypto: copy.crypto,
        pool: { id: pool.id, type: pool.pool_type },
        isThere: copy.storage_path !== null || isOnTape(copy),
        dependants: ((await store.dependants([copy.id])).get(copy.id) ?? []).length,
        activeTasks: othersThan(task, await store.tasksOn(copy.id)),
      });
      if (refusal === null) return null;
      return `The ${refusal.field === 'id' ? 'copy' : `pool ${pool.name}`} ${refusal.reason}.`;
    },

    /**
     * The row of a second copy, in the transaction that ends its task. It is as old as what it is a copy of; how long
     * it is kept is the target pool's to say, else as the origin.
     */
    registerTransferred: async (tx: Tx, arrived: Transferred): Promise<number> => {
      const inside = createCopyStore(tx);
      const origin = await inside.get(arrived.copyId, null);
      if (origin === null) throw new Refusal('object.notFound', { message: goneMeanwhile });
      const period = await inside.retentionOfPool(arrived.task.pool_id);
      const end =
        period === null
          ? { store_until_ms: origin.store_until_ms, store_until_text: origin.store_until_text }
          : { store_until_ms: storeUntil(clock.now(), period), store_until_text: null };
      const id = await inside.insert({
        ...transferredRow(origin, arrived),
        ...end,
        verified_ms: arrived.isVerified ? clock.now() : null,
      });
      await inside.setChain(id, id);
      return id;
    },

    /** The same copy in another place, in the transaction that ends its task. */
    relocate: async (tx: Tx, arrived: Transferred): Promise<void> => {
      const inside = createCopyStore(tx);
      const dependants = (await inside.dependants([arrived.copyId])).get(arrived.copyId) ?? [];
      if (dependants.length > 0) {
        const message = 'Another copy has come to build on this one meanwhile; it stays where it was.';
        throw new Refusal('state.notAllowed', { message });
      }
      const [user] = othersThan(arrived.task, await inside.tasksOn(arrived.copyId));
      if (user !== undefined) {
        const message = `Task ${user.id} has come to use this copy meanwhile; it stays where it was.`;
        throw new Refusal('state.notAllowed', { message });
      }
      const isMoved = await inside.relocate(arrived.copyId, {
        uuid: arrived.uuid,
        storageId: arrived.storageId,
        poolId: arrived.task.pool_id,
        storedBytes: arrived.storedBytes,
        verifiedMs: arrived.isVerified ? clock.now() : null,
      });
      if (!isMoved) throw new Refusal('object.notFound', { message: goneMeanwhile });
    },

    announceRelocated: async (id: number): Promise<void> => {
      await deps.closeFiles(id);
      const copy = await store.get(id, null);
      if (copy !== null) tell.copy('changed', copy);
    },

    /** Null when the copy is gone, is being deleted, or is on no storage of this server. */
    readCopyForTask: async (id: number): Promise<TaskCopy | null> => {
      const copy = await store.get(id, null);
      if (copy === null || (copy.storage_path === null && !isOnTape(copy))) return null;
      const { uuid, resource, crypto } = copy;
      const predecessors = await findPredecessors(store, id);
      const settings = await deps.configuration.read();
      return {
        id,
        uuid,
        storageId: copy.storage_id,
        zeroing: settings.delete_archives_with_zeroing,
        storagePath: copy.storage_path ?? '',
        isOnTape: isOnTape(copy),
        poolId: copy.pool_id,
        clientId: copy.client_id,
        resource,
        crypto,
        clientHwid: copy.client_hwid,
        sizeBytes: copy.size,
        storedBytes: copy.real_size,
        chain: predecessors.flatMap(asChained),
        isChainDamaged: predecessors.some(({ status }) => status === 'Suspicious' || status === 'Broken'),
      };
    },

    /** Ids of the copies that build on it, older ones first. */
    dependantsOf: async (id: number): Promise<readonly number[]> =>
      (await store.dependants([id])).get(id) ?? [],

    storeVerification: async (
      id: number,
      found: { readonly status: CopyStatus; readonly damage: readonly CopyDamage[] },
    ): Promise<void> => {
      if (!(await store.setVerification(id, found, clock.now()))) return;
      const copy = await store.get(id, null);
      if (copy !== null) tell.copy('changed', copy);
    },
  };
}

function keptCopy(row: StoredCopy | null, id: number): KeptCopy {
  if (row === null) throw notFound('Copy', id);
  return { id: row.id, createdMs: row.created_ms, storeUntilMs: row.store_until_ms };
}

/** A copy may not end before those that build on it. Answers the ids that were changed. */
async function prolongPredecessors(
  store: ReturnType<typeof createCopyStore>,
  id: number,
  end: { readonly ms: number | null; readonly text: string | null },
): Promise<readonly number[]> {
  const predecessors = await store.getMany(await store.predecessors(id), null);
  const shorter = predecessors.filter((row) => endsBefore(row.store_until_ms, end.ms)).map((row) => row.id);
  await store.setStoreUntil(shorter, end);
  return shorter;
}

/** Who stands in a task's way. Of two moves that were restarted together the earlier one goes on. */
function othersThan<T extends { readonly id: number; readonly task_type: string }>(
  own: { readonly id: number },
  tasks: readonly T[],
): readonly T[] {
  return tasks.filter((task) => task.id !== own.id && (task.task_type !== 'move' || task.id < own.id));
}

const baseGone = 'The copy that this one builds on has been deleted meanwhile.';
const goneMeanwhile = 'The copy has been deleted meanwhile.';
