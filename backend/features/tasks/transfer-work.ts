import { randomUUID } from 'node:crypto';
import type { Db } from '../../db/index.ts';
import {
  type ClientKey,
  type Compression,
  DeviceError,
  type MemoryLimit,
  removeCopy,
  type StoreThread,
  startProof,
  startRepack,
  startTransfer,
  startVerify,
} from '../../engine/index.ts';
import { CommitRefused, type Work, type WorkContext, type WorkEnd, WorkStopped } from '../../jobs/index.ts';
import { isFolderThere } from '../../platform/disk-space.ts';
import type { BlockPoolService, BlocksForCopy } from '../block-pools/block-pool-service.ts';
import { counted } from '../bulk.ts';
import type { ClientKeys } from '../client-keys.ts';
import type { ConfigurationService } from '../configuration/configuration-service.ts';
import type { CopyService, TaskCopy } from '../repository/copy-service.ts';
import type { TapeCopyService } from '../tape-libraries/tape-copy-service.ts';
import { logHealed } from './backup-log.ts';
import { clientCapacityRefusal } from './client-capacity.ts';
import type { CopyPlace, CopyPlaces } from './copy-place.ts';
import { onBlocks } from './copy-source.ts';
import { endFor, firstBytes, follow } from './engine-bridge.ts';
import { frameBytesOf } from './frame-bytes.ts';
import { type BackupFolder, type BackupTrace, readTrace, traceOf } from './left-over-store.ts';
import type { CopyMemoryLimits } from './memory-limit-store.ts';
import type { createPlacementStore } from './placement-store.ts';
import { commitOrRefuse, toTape } from './tape-transfer.ts';
import { removeUnfinished, type UnfinishedCopyDeps } from './unfinished-copy.ts';

export interface TransferWorkDeps extends UnfinishedCopyDeps {
  readonly db: Db;
  readonly configuration: Pick<ConfigurationService, 'read'>;
  readonly copies: CopyService;
  readonly copyPlaces: CopyPlaces;
  readonly places: ReturnType<typeof createPlacementStore>;
  readonly blockPools: BlockPoolService;
  readonly keys: Pick<ClientKeys, 'demand'>;
  readonly tapes: TapeCopyService;
  readonly memory: CopyMemoryLimits;
}

/** The folder and its entries take a little too. */
const spareBytes = 1024 * 1024;

/**
 * Brings a full copy to another pool: as a second copy, or (`move`) away from where it was. The source stays untouched
 * until what arrived has been read back and its row is committed.
 */
export function createTransferWork(kind: 'copy' | 'move', deps: TransferWorkDeps): Work {
  const { copies, keys } = deps;

  /** A second copy counts against the limit of its client like a backup; a move adds nothing. */
  async function isCapacityLimited(): Promise<boolean> {
    return kind === 'copy' && (await deps.configuration.read()).clients_capacity_limits;
  }

  /** Brings the copy over as it is; it has its name when all of it was read back. */
  async function bring(
    context: WorkContext,
    from: CopyPath,
    to: CopyPath,
    { memory }: Ways,
  ): Promise<Arrived> {
    const job = startTransfer({ from, to, isResumable: true, memory });
    const moved = firstBytes(job).then(() => context.moveTo('transmission'));
    // A task that is over fails here and at the job; the job's failure is the one that is looked at.
    moved.catch(() => job.stop());
    const { bytes, sentBytes } = await follow(context, job, 'server');
    await moved;
    await context.moveTo('at_server');
    const { path } = await follow(context, startProof(to, { isResumable: true, memory }), 'server');
    return { path, bytes, sentBytes };
  }

  /** The same copy in another form, since blocks are on one side or on both. */
  async function pack(context: WorkContext, from: CopyPath, to: CopyPath, blocks: Ways): Promise<Arrived> {
    const { task } = context;
    const pool = task.pool_id === null ? null : await deps.places.pool(task.pool_id);
    const usual = blocks.target === null ? 'None' : 'Optimal';
    const compression = (pool?.compression_type ?? usual) as Compression;
    const target = blocks.target?.store ?? null;
    const frameBytes = frameBytesOf((await deps.configuration.read()).file_transfer_block_size);
    const job = startRepack({
      from,
      to,
      compression,
      frameBytes,
      source: blocks.source,
      target,
      key: blocks.key,
      memory: blocks.memory,
      isResumable: true,
    });
    const moved = firstBytes(job).then(() => context.moveTo('transmission'));
    moved.catch(() => job.stop());
    const { path, archiveBytes, manifestBytes, sentBytes } = await follow(context, job, 'server');
    await moved;
    await context.moveTo('at_server');
    if (blocks.target !== null) logHealed(context, await blocks.target.noteStored(), blocks.target.device);
    const { status, findings } = await follow(
      context,
      startVerify({ ...to, blocks: target, key: blocks.key, memory: blocks.memory }),
      'server',
    );
    const bytes = archiveBytes + manifestBytes;
    if (status === 'trusted') return { path, bytes, sentBytes };
    const [first] = findings;
    const what = first === undefined ? '' : ` (${first.item}: ${first.message})`;
    throw new DeviceError(
      'corrupt',
      `What arrived is not what was once backed up${what}. Nothing was changed.`,
    );
  }

  /** A tape holds whole files: data in blocks are put together in a folder of their own first, which goes with the end of the task. */
  async function blocksToTape(context: WorkContext, copy: TaskCopy, source: StoreThread): Promise<WorkEnd> {
    const wanted = await keyFor(copy, true);
    if ('kind' in wanted) return wanted;
    const { task } = context;
    const pool = task.pool_id === null ? null : await deps.places.pool(task.pool_id);
    const spool = await deps.tapes.spool();
    const to = { storagePath: spool.path, copyId: randomUUID() };
    try {
      const { archiveBytes, manifestBytes } = await follow(
        context,
        startRepack({
          from: { storagePath: copy.storagePath, copyId: copy.uuid },
          to,
          compression: (pool?.compression_type ?? 'Optimal') as Compression,
          frameBytes: frameBytesOf((await deps.configuration.read()).file_transfer_block_size),
          source,
          target: null,
          key: wanted.key,
        }),
        'server',
      );
      return await toTape({ ...deps, kind }, context, copy, {
        ...to,
        storedBytes: archiveBytes + manifestBytes,
      });
    } catch (error) {
      return endFor(error, { waitsForSpace: false });
    } finally {
      await spool.remove();
    }
  }

  /** What is packed anew is opened and sealed with the client's key; without it the task ends before any work. */
  async function keyFor(
    copy: TaskCopy,
    isPackedAnew: boolean,
  ): Promise<{ readonly key: ClientKey | null } | WorkEnd> {
    try {
      return { key: isPackedAnew ? await keys.demand(copy) : null };
    } catch (error) {
      return endFor(error, { waitsForSpace: false });
    }
  }

  async function run(
    context: WorkContext,
    copy: TaskCopy,
    place: ChosenPlace,
    blocks: Ways,
  ): Promise<WorkEnd> {
    const { task } = context;
    const { storage, uuid } = place;
    const isAsItIs = blocks.source === null && blocks.target === null;
    // Kept with the task, so that a crash leaves nothing behind: neither half of the new folder, nor, once a move is
    // committed, the old one. A folder that is a copy's is never cleaned up.
    const target = { copyUuid: uuid, storageId: storage.id };
    const old = kind === 'move' ? traceOf(copy) : [];
    const folders = withOnce(readTrace(task.input).folders, [target, ...old]);
    // Blocks that are in a store are not sent again.
    const isResumable = isAsItIs || blocks.target === null;
    const arriving = isResumable ? { ...target, from: copy.uuid } : null;
    await context.remember({ folders, arriving } satisfies BackupTrace);
    await context.moveTo('execution');
    const from = { storagePath: copy.storagePath, copyId: copy.uuid };
    const to = { storagePath: storage.path, copyId: uuid };
    const remove = (): Promise<void> => removeUnfinished(deps, context, to);
    try {
      const { path, bytes, sentBytes } = isAsItIs
        ? await bring(context, from, to, blocks)
        : await pack(context, from, to, blocks);
      context.log(
        'server',
        'info',
        `${counted(bytes, 'byte')} were written to ${path}, read back and are right.`,
      );
      const isLimited = await isCapacityLimited();
      const arrived = {
        copyId: copy.id,
        uuid,
        storageId: storage.id,
        storedBytes: bytes,
        task,
        isVerified: true,
      };
      return {
        kind: 'done',
        skippedItems: null,
        transferredBytes: sentBytes,
        undo: async () => {
          await remove();
          await blocks.target?.giveUp(null);
        },
        commit: (tx) =>
          commitOrRefuse(async () => {
            const overLimit = await clientCapacityRefusal(tx, task, { isLimited, addedBytes: bytes });
            if (overLimit !== null) throw new CommitRefused(`${overLimit} The new copy was removed.`);
            if (kind === 'copy') return { copyId: await copies.registerTransferred(tx, arrived) };
            await copies.relocate(tx, arrived);
            return {};
          }),
        after: async () => {
          await blocks.target?.end();
          if (kind === 'copy') return copies.announceCreated(uuid);
          await copies.announceRelocated(copy.id);
          // What fails here is done later, by the trace that the task keeps. What was on tape stays there until its room is used.
          if (copy.isOnTape) await deps.tapes.forgetList(copy.uuid);
          else await removeCopy({ ...from, zeroing: copy.zeroing });
        },
      };
    } catch (error) {
      const away = await awayOf(error, [copy.storagePath, storage.path]);
      const goesOn = away !== null || (error instanceof WorkStopped && context.isStopping());
      if (!isResumable || !goesOn) {
        await remove();
        // The next attempt takes another folder: this one may still be on its way out.
        await context.remember({ folders, arriving: null } satisfies BackupTrace);
      }
      await blocks.target?.giveUp(error);
      return away ?? endFor(error, { waitsForSpace: place.waitsForSpace });
    }
  }

  /** Where an earlier attempt was cut off, or a new place. */
  async function choosePlace(
    { task }: WorkContext,
    copy: TaskCopy,
    source: StoreThread | null,
  ): Promise<ChosenPlace | WorkEnd> {
    const { arriving } = readTrace(task.input);
    if (arriving !== null && arriving.from === copy.uuid && !(await deps.isCopy(arriving.copyUuid))) {
      const again = await deps.copyPlaces.again(task, arriving.storageId);
      if (again !== null) return { ...again, uuid: arriving.copyUuid };
    }
    const found = await deps.copyPlaces.find(task, neededBytes(copy, source) + spareBytes);
    return found.kind === 'place' ? { ...found, uuid: randomUUID() } : found;
  }

  return onBlocks(deps, async (context, copy, source) => {
    const { task } = context;
    const isLimited = await isCapacityLimited();
    const refusal =
      (await copies.whyNoTransfer(kind, task)) ??
      (await clientCapacityRefusal(deps.db, task, { isLimited, addedBytes: 0 }));
    if (refusal !== null) return { kind: 'error', message: refusal };
    const pool = task.pool_id === null ? null : await deps.places.pool(task.pool_id);
    if (pool?.pool_type === 'Tape library') {
      const { storagePath, uuid: copyId, storedBytes } = copy;
      if (source !== null) return blocksToTape(context, copy, source);
      return toTape({ ...deps, kind }, context, copy, { storagePath, copyId, storedBytes });
    }
    const place = await choosePlace(context, copy, source);
    if (place.kind !== 'place') return place;
    const { storage, warning } = place;
    if (warning !== null) context.log('server', 'warning', warning);
    context.log('server', 'info', `Storage ${storage.path} of pool ${task.pool_name} was chosen.`);
    const { pool_id: poolId } = task;
    const target =
      poolId === null ? null : await deps.blockPools.openForBackup({ id: task.id, poolId }, null);
    if (target?.kind === 'refused') {
      return { kind: target.waits ? 'waiting' : 'error', message: target.message };
    }
    if (target !== null) context.log('server', 'info', `Blocks go to the block device ${target.device}.`);
    let end: WorkEnd | null = null;
    try {
      const memory = await deps.memory.ofCopy(copy.id);
      const key = await keyFor(copy, source !== null || target !== null);
      end = 'kind' in key ? key : await run(context, copy, place, { source, target, key: key.key, memory });
      return end;
    } finally {
      if (end === null) await target?.giveUp(null);
    }
  });
}

interface CopyPath {
  readonly storagePath: string;
  readonly copyId: string;
}

interface Arrived {
  readonly path: string;
  /** That lie there now. */
  readonly bytes: number;
  /** Of those, brought by this attempt. */
  readonly sentBytes: number;
}

interface ChosenPlace extends CopyPlace {
  /** Name of the new copy's folder. */
  readonly uuid: string;
}

/** Where the blocks of the copy are, where they go (null where there are none), and what the work may use. */
interface Ways {
  readonly source: StoreThread | null;
  readonly target: BlocksForCopy | null;
  /** Of an encrypted copy that is packed anew; what goes as it is needs none. */
  readonly key: ClientKey | null;
  /** Null: as much as it takes. */
  readonly memory: MemoryLimit | null;
}

/** A storage that is lost may come back: the task waits for it and says which. Null when all are there. */
async function awayOf(error: unknown, storagePaths: readonly string[]): Promise<WorkEnd | null> {
  if (!(error instanceof DeviceError)) return null;
  for (const path of storagePaths) {
    if (await isFolderThere(path)) continue;
    return { kind: 'waiting', message: `The storage ${path} cannot be reached any more.` };
  }
  return null;
}

function withOnce(known: readonly BackupFolder[], more: readonly BackupFolder[]): readonly BackupFolder[] {
  const isNew = ({ copyUuid, storageId }: BackupFolder): boolean =>
    !more.some((each) => each.copyUuid === copyUuid && each.storageId === storageId);
  return [...known.filter(isNew), ...more];
}

/** What was new to a store says nothing of what a copy takes elsewhere. */
function neededBytes(copy: TaskCopy, source: StoreThread | null): number {
  return source === null ? copy.storedBytes : copy.sizeBytes;
}
