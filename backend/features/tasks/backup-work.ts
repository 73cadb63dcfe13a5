import { randomUUID } from 'node:crypto';
import { parseClientText } from '../../../contract/words.ts';
import type { Db } from '../../db/index.ts';
import {
  type BackupResult,
  type ClientKey,
  type Compression,
  DeviceError,
  namesOfCopy,
  type Snapshot,
  startBackup,
  startVerify,
} from '../../engine/index.ts';
import { CommitRefused, type Work, type WorkContext, type WorkEnd } from '../../jobs/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { SecretBox } from '../../platform/secret-box.ts';
import type { BlockPoolService, BlocksForCopy, BlocksRefused } from '../block-pools/block-pool-service.ts';
import type { ClientKeys } from '../client-keys.ts';
import type { ConfigurationService } from '../configuration/configuration-service.ts';
import type { CopyService } from '../repository/copy-service.ts';
import { isWorthWaiting, TakenAndLost, type TapeCopyService } from '../tape-libraries/tape-copy-service.ts';
import { type BackupBase, findBackupBase, findCopyBefore, whyBaseIsGone } from './backup-base.ts';
import { logBlocks, logHealed, logOutcome } from './backup-log.ts';
import type { BackupSnapshots } from './backup-snapshot.ts';
import { type BackupSource, backupSource } from './backup-source.ts';
import type { CopyPlaces } from './copy-place.ts';
import { endFor, firstBytes, follow, trafficOf } from './engine-bridge.ts';
import { frameBytesOf } from './frame-bytes.ts';
import { type BackupTrace, readTrace, type TracedSnapshot, traceOf } from './left-over-store.ts';
import { backupLimit, parametersKept } from './memory-limits.ts';
import { againAfterPause, endedByPause } from './pause-ends.ts';
import type { PlacementCandidate } from './placement-rules.ts';
import type { createPlacementStore } from './placement-store.ts';
import { planProof } from './proof-plan.ts';
import { capacityRefusal } from './strategy-capacity.ts';
import { checkOnTape, feedFor, followOntoTape, noteFullOnly, writeToTape } from './tape-backup.ts';
import { tapeEnd } from './tape-follow.ts';
import type { CommonParameterValues, ModuleParameterValues } from './task-parameters.ts';
import type { TaskService } from './task-service.ts';
import type { TrafficLimits } from './traffic-limits.ts';
import { removeUnfinished, type UnfinishedCopyDeps } from './unfinished-copy.ts';
import { verificationOf } from './verify-work.ts';

export interface BackupWorkDeps extends UnfinishedCopyDeps {
  readonly db: Db;
  readonly places: ReturnType<typeof createPlacementStore>;
  readonly copies: CopyService;
  readonly configuration: ConfigurationService;
  readonly copyPlaces: CopyPlaces;
  readonly blockPools: BlockPoolService;
  readonly tapes: TapeCopyService;
  readonly traffic: TrafficLimits;
  readonly snapshots: BackupSnapshots;
  readonly keys: ClientKeys;
  readonly secrets: Pick<SecretBox, 'open'>;
  readonly clock: Clock;
  readonly dataDir: string;
  readonly hostname: string;
  /** Where samples of copies lie while they are compared: never part of a backup. */
  readonly scratchFolders: () => Promise<readonly string[]>;
  /** A task was made that proves the new copy. */
  readonly tellProof: TaskService['tellMade'];
}

/** Where the copy is made: a storage, or (`id` null) a folder from which it goes to tape. */
type BackupPlace = PlacementCandidate | { readonly id: null; readonly path: string };

const mostWorkers = 64;

/** A copy of a resource of this host: a full one, or one that builds on an earlier copy. */
export function createBackupWork(deps: BackupWorkDeps): Work {
  const { places, copies, configuration } = deps;

  async function run(
    context: WorkContext,
    storage: BackupPlace,
    key: ClientKey | null,
    blocks: BlocksForCopy | null,
    failedTapes: Set<number> = new Set(),
  ): Promise<WorkEnd | 'anew'> {
    const { task } = context;
    const pool = task.pool_id === null ? null : await places.pool(task.pool_id);
    const module = parametersKept<ModuleParameterValues>(task.module_extensions);
    const common = parametersKept<CommonParameterValues>(task.common_modules_extensions);
    const copyUuid = randomUUID();
    // Kept with the task, so that a crash leaves nothing behind.
    const before = readTrace(task.input);
    const trace = traceOf({ uuid: copyUuid, storageId: storage.id, zeroing: false });
    const folders = [...before.folders, ...trace];
    const { snapshots } = before;
    await context.remember({ folders, snapshots } satisfies BackupTrace);
    await context.moveTo('at_client');
    let source: BackupSource;
    try {
      source = await backupSource(context, module, { copyUuid, secrets: deps.secrets });
    } catch (error) {
      return endFor(error, { waitsForSpace: false });
    }
    const isOnTape = storage.id === null;
    if (isOnTape) noteFullOnly(context);
    const base = isOnTape ? noBase : await baseFor(context, source, key, blocks);
    await context.moveTo('execution');
    const excludes = [deps.dataDir, ...(await deps.scratchFolders()), ...(await places.allStoragePaths())];
    const settings = await configuration.read();
    const frameBytes = frameBytesOf(settings.file_transfer_block_size);
    const traffic = trafficOf(context, 'backup');
    const compression = (pool?.compression_type ?? (blocks === null ? 'None' : 'Optimal')) as Compression;
    const isVerified = settings.verify_archive_after_creation === 'yes';
    // What is verified is decoded too, and what a pause ends begins anew: both need all of it on the disk.
    const feed =
      isOnTape && !isVerified && !source.isEndedByPause
        ? await feedFor(storage.path, backupLimit(common) !== null)
        : null;
    let madeMs: number | null = null;
    /** The tape and the catalogue say the same of it. */
    const madeOf = (result: BackupResult) => {
      madeMs ??= deps.clock.now();
      return { task, result, createdMs: madeMs, isFileListAvailable: module.file_list ?? true };
    };
    const start = (snapshot: Snapshot | null) =>
      startBackup({
        snapshot,
        source: task.resource ?? '',
        origin: source.origin,
        storagePath: storage.path,
        copyId: copyUuid,
        // Pools of block devices have none of their own; what does not become smaller is kept as it is.
        compression,
        excludes,
        numericOwner: module.numeric_owner ?? false,
        workerParallelism: Math.min(common.worker_parallelism ?? 8, blocks?.parallelWorkers ?? mostWorkers),
        sendParallelism: common.enable_multithreading === true ? (common.network_parallelism ?? 8) : 1,
        memory: backupLimit(common),
        frameBytes,
        key,
        base: base.chain ?? base.takenFrom,
        blocks: blocks?.store ?? null,
        // From the spool it goes to tape; what a crash leaves there is removed.
        isPassing: isOnTape,
        feed,
      });
    const read = async (snapshot: Snapshot | null): Promise<BackupResult> => {
      const job = await deps.traffic.limited(traffic, () => start(snapshot));
      const moved = firstBytes(job).then(() => context.moveTo('transmission'));
      // A task that is over fails here and at the job; the job's failure is the one that is looked at.
      moved.catch(() => job.stop());
      const result =
        feed === null
          ? await follow(context, source.isEndedByPause ? endedByPause(job) : job, 'client')
          : await followOntoTape(deps.tapes, context, job, {
              uuid: copyUuid,
              archive: { feed, names: namesOfCopy(compression, key?.cipher ?? null) },
              without: failedTapes,
              madeOf,
              begunMs: deps.clock.now(),
            });
      await moved;
      return result;
    };
    const keep = (snapshot: TracedSnapshot) =>
      context.remember({ folders, snapshots: [...snapshots, snapshot] } satisfies BackupTrace);
    /** Only folders are read from snapshots; of the other kinds each sees to its own moment. */
    const readAll = (): Promise<BackupResult> => {
      if (source.origin.kind === 'tree')
        return deps.snapshots.reading({ context, module, copyUuid, keep }, read);
      return source.isEndedByPause ? againAfterPause(context, () => read(null)) : read(null);
    };
    const remove = () => removeUnfinished(deps, context, { storagePath: storage.path, copyId: copyUuid });
    try {
      const result = await readAll();
      logOutcome(context, result, blocks !== null);
      if (blocks !== null) {
        logBlocks(context, result, blocks.device);
        logHealed(context, await blocks.noteStored(), blocks.device);
      }
      const onTape = madeOf(result);
      const { createdMs } = onTape;
      if (isOnTape && feed === null)
        await writeToTape(deps.tapes, context, { folder: result.path, uuid: copyUuid, made: onTape });
      if (isOnTape && isVerified) await checkOnTape(deps.tapes, context, { uuid: copyUuid, made: onTape });
      await context.moveTo('at_server');
      const made = { result, key, module, base: base.chain, blocks, createdMs };
      return await register(context, storage, copyUuid, made, remove);
    } catch (failure) {
      const error = source.explain(failure);
      await remove();
      const isDeviceFull = (await blocks?.giveUp(error)) ?? false;
      if (isOnTape) await deps.tapes.giveUp(copyUuid);
      if (error instanceof TakenAndLost) {
        failedTapes.add(error.cartridgeId);
        context.log('server', 'warning', 'What it had taken is not kept: the backup begins anew.');
        return 'anew';
      }
      if (
        error instanceof DeviceError &&
        error.bytesNeeded !== null &&
        !isDeviceFull &&
        storage.id !== null
      ) {
        deps.copyPlaces.noteShortage(task.id, storage, error.bytesNeeded);
      }
      if (isOnTape && isWorthWaiting(error)) return tapeEnd(error);
      const gone = isMissing(error) ? await whyBaseIsGone(copies, task, base.chain ?? base.takenFrom) : null;
      if (gone !== null) return { kind: 'waiting', message: `${gone} It is made anew.` };
      return endFor(error, { waitsForSpace: pool?.ignore_free_space_check !== 1 });
    }
  }

  /** What the new copy builds on, or takes over from; nothing of both for a full copy. */
  async function baseFor(
    context: WorkContext,
    { fullBecause }: BackupSource,
    key: ClientKey | null,
    blocks: BlocksForCopy | null,
  ): Promise<{ readonly chain: BackupBase | null; readonly takenFrom: BackupBase | null }> {
    const { backup_type: kind } = context.task;
    if (fullBecause !== null) {
      if (kind !== 'full') {
        context.log('server', 'info', `In place of the ${kind} copy a full one is made: ${fullBecause}.`);
      }
      return { chain: null, takenFrom: null };
    }
    if (blocks === null) return { chain: await findBackupBase(copies, context, key), takenFrom: null };
    return { chain: null, takenFrom: await findCopyBefore(copies, context, key) };
  }

  /** A device for the copy's blocks; null for a pool of another type. */
  async function openBlocks({ task }: WorkContext): Promise<BlocksForCopy | BlocksRefused | null> {
    const poolId = task.pool_id;
    if (poolId === null) return null;
    const [before] = (await copies.findBase(task))?.copies.slice(-1) ?? [];
    const copyBefore = before === undefined ? null : `${before.storagePath}/${before.copyId}`;
    return deps.blockPools.openForBackup({ id: task.id, poolId }, copyBefore);
  }

  async function register(
    context: WorkContext,
    storage: BackupPlace,
    copyUuid: string,
    made: {
      readonly result: BackupResult;
      readonly key: ClientKey | null;
      readonly module: Partial<ModuleParameterValues>;
      readonly base: BackupBase | null;
      readonly blocks: BlocksForCopy | null;
      readonly createdMs: number;
    },
    undo: () => Promise<void>,
  ): Promise<WorkEnd> {
    const { task } = context;
    const { result, key, module, base, blocks, createdMs } = made;
    const chain = base?.copies ?? [];
    const settings = await configuration.read();
    const isVerified = settings.verify_archive_after_creation === 'yes';
    const verification = isVerified
      ? verificationOf(
          await follow(
            context,
            startVerify({
              storagePath: storage.path,
              copyId: copyUuid,
              key,
              chain,
              blocks: blocks?.store ?? null,
            }),
            'server',
          ),
        )
      : null;
    if (verification !== null && verification.status !== 'Trusted') {
      await undo();
      await blocks?.giveUp(null);
      if (storage.id === null) await deps.tapes.giveUp(copyUuid);
      return {
        kind: 'error',
        message: 'The new copy could not be read back as it was written; it was removed.',
      };
    }
    const storedBytes = result.archiveBytes + result.manifestBytes;
    let proofTask: number | null = null;
    if (storage.id !== null) {
      context.log('server', 'info', `The copy is stored in ${result.path} (${storedBytes} bytes).`);
    }
    return {
      kind: 'done',
      skippedItems: result.totals.skipped,
      transferredBytes: result.archiveBytes,
      undo: async () => {
        await undo();
        await blocks?.giveUp(null);
        if (storage.id === null) await deps.tapes.giveUp(copyUuid);
      },
      commit: async (tx) => {
        // Again, since other backups of the client or strategy may have ended while this one ran.
        const refusal = await capacityRefusal(tx, task, { settings, addedBytes: storedBytes });
        if (refusal !== null) throw new CommitRefused(`${refusal} The new copy was removed.`);
        if (storage.id === null) await deps.tapes.settle(tx, copyUuid);
        const copyId = await copies.registerCopy(tx, {
          uuid: copyUuid,
          storageId: storage.id,
          task,
          ...(base === null ? {} : { referenceId: base.referenceId }),
          sizeBytes: result.totals.sourceBytes,
          storedBytes,
          filesCount: result.totals.files,
          skippedItems: result.totals.skipped,
          isFileListAvailable: module.file_list ?? true,
          isVerified: verification !== null,
          createdMs,
        });
        const backupType = base === null ? 'full' : (task.backup_type ?? 'full');
        proofTask = await planProof(tx, task, { id: copyId, backupType }, deps.clock.now());
        return { copyId };
      },
      after: async () => {
        await blocks?.end();
        await copies.announceCreated(copyUuid);
        if (proofTask !== null) await deps.tellProof({ id: proofTask, client_id: task.client_id });
      },
    };
  }

  /** Tapes: the copy goes through a folder of its own, all of it or what the drive does not take at once. Ends, since each attempt takes other cartridges. */
  async function overSpool(context: WorkContext): Promise<WorkEnd> {
    const failedTapes = new Set<number>();
    for (;;) {
      const spool = await deps.tapes.spool();
      try {
        const key = await keyFor(deps.keys, context);
        const end = await run(context, { id: null, path: spool.path }, key, null, failedTapes);
        if (end !== 'anew') return end;
      } finally {
        await spool.remove();
      }
    }
  }

  return async (context) => {
    const settings = await configuration.read();
    const refusal = await capacityRefusal(deps.db, context.task, { settings, addedBytes: 0 });
    if (refusal !== null) return { kind: 'error', message: refusal };
    const pool = context.task.pool_id === null ? null : await places.pool(context.task.pool_id);
    if (pool?.pool_type === 'Tape library') return overSpool(context);
    let key: ClientKey | null;
    const place = await deps.copyPlaces.find(context.task);
    if (place.kind !== 'place') return place;
    const { storage, warning } = place;
    if (warning !== null) context.log('server', 'warning', warning);
    context.log('server', 'info', `Storage ${storage.path} of pool ${context.task.pool_name} was chosen.`);
    try {
      key = await keyFor(deps.keys, context);
    } catch (error) {
      return endFor(error, { waitsForSpace: false });
    }
    const blocks = await openBlocks(context);
    if (blocks !== null && blocks.kind === 'refused') {
      return { kind: blocks.waits ? 'waiting' : 'error', message: blocks.message };
    }
    if (blocks !== null) context.log('server', 'info', `Blocks go to the block device ${blocks.device}.`);
    let end: WorkEnd | 'anew' | null = null;
    try {
      end = await run(context, storage, key, blocks);
      if (end === 'anew') throw new Error('a copy that is on no tape was lost by one');
      return end;
    } finally {
      // What ends otherwise than by `run` itself: a stop of the server, or a bug.
      if (end === null) await blocks?.giveUp(null);
    }
  };
}

/** The key of the task's client, null without encryption; whoever gets the first one is told to keep it safe. */
async function keyFor(keys: ClientKeys, context: WorkContext): Promise<ClientKey | null> {
  const { crypto, client_text: clientText } = context.task;
  const clientHwid = parseClientText(clientText ?? '')?.hwid ?? '';
  const made = await keys.ensure({ crypto: crypto ?? 'nocrypt', clientHwid });
  if (made === null) return null;
  if (made.isNew) {
    context.log(
      'client',
      'warning',
      `A new key was made for the encrypted copies of this client: ${made.file}. Keep a copy of this file in a safe place: without it nobody can restore them. What was encrypted with a former key needs that one.`,
    );
  }
  return made.key;
}

const noBase = { chain: null, takenFrom: null } as const;

function isMissing(error: unknown): boolean {
  return error instanceof DeviceError && error.kind === 'notFound';
}
