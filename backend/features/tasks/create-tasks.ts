import { type Db, type Dialect, keepSearched } from '../../db/index.ts';
import { createRunner, type LogLevel, type QueuedTask, type Work } from '../../jobs/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { readHostFacts } from '../../platform/host-facts.ts';
import { type ReadHostCounters, readLinuxCounters } from '../../platform/host-load.ts';
import { createLoadHistory } from '../../platform/load-history.ts';
import type { Log } from '../../platform/log.ts';
import type { SecretBox } from '../../platform/secret-box.ts';
import type { Announce } from '../announce.ts';
import type { BlockPoolService } from '../block-pools/block-pool-service.ts';
import type { BandwidthService } from '../client-bandwidth/bandwidth-service.ts';
import { createClientKeys } from '../client-keys.ts';
import { type ConfigurationService, isCleaningDue } from '../configuration/configuration-service.ts';
import type { CopyProofService } from '../repository/copy-proof-service.ts';
import type { CopyService } from '../repository/copy-service.ts';
import type { CartridgeService } from '../tape-libraries/cartridge-service.ts';
import type { TapeCopyService } from '../tape-libraries/tape-copy-service.ts';
import { createBackupSnapshots } from './backup-snapshot.ts';
import { createBackupWork } from './backup-work.ts';
import { createLabelWork, createScanWork } from './cartridge-work.ts';
import { onlyWithClient } from './client-presence.ts';
import { createCopyPlaces } from './copy-place.ts';
import { createLeftOverStore } from './left-over-store.ts';
import { createLeftOvers } from './left-overs.ts';
import { createLiveProgress } from './live-progress.ts';
import { createCopyMemoryLimits } from './memory-limit-store.ts';
import { createPlacementStore } from './placement-store.ts';
import { createPoolPlacement } from './pool-placement.ts';
import { createProofScratch } from './proof-scratch.ts';
import { createRestoreProofWork } from './restore-proof-work.ts';
import { createRestoreWork } from './restore-work.ts';
import { createTaskHandlers } from './task-handlers.ts';
import { duePurges } from './task-purge.ts';
import { createTaskScripts } from './task-scripts.ts';
import { createTaskService, type TaskServiceDeps } from './task-service.ts';
import { createTaskStore } from './task-store.ts';
import { createTrafficLimits } from './traffic-limits.ts';
import { createTransferWork } from './transfer-work.ts';
import { createUpkeep, type RegularWork } from './upkeep.ts';
import { createVerifyWork } from './verify-work.ts';

export interface TasksDeps {
  readonly db: Db;
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly log: Log;
  /** Absolute path of the data directory. */
  readonly dataDir: string;
  readonly configuration: ConfigurationService;
  readonly bandwidth: BandwidthService;
  readonly announce: Announce;
  readonly copies: CopyService;
  readonly proofs: CopyProofService;
  /** Absolute path: where samples of copies are restored to be compared. */
  readonly scratchDir: string;
  readonly blockPools: BlockPoolService;
  readonly tapes: TapeCopyService;
  readonly cartridges: CartridgeService;
  readonly secrets: SecretBox;
  readonly ruleParameters: TaskServiceDeps['ruleParameters'];
  /** Of other features, done beside the tasks. */
  readonly regularWork: readonly RegularWork[];
  /** Where the load of this host is read: the counters of the system unless told. */
  readonly readHostCounters?: ReadHostCounters | undefined;
  /** How long the script of a rule may run: ten minutes unless told. */
  readonly scriptTimeoutMs?: number | undefined;
  /** How many tasks run at the same time: two unless told. */
  readonly tasksAtOnce?: number | undefined;
}

const minuteMs = 60_000;

/** The task queue, put together: what people ask of it, what runs in it, and the regular work beside it. */
export function createTasks(deps: TasksDeps) {
  const { db, clock, log, configuration, announce, copies, blockPools, tapes, dataDir } = deps;
  const { hostname } = readHostFacts();
  const store = createTaskStore(db);
  const places = createPlacementStore(db);
  const live = createLiveProgress();
  const traffic = createTrafficLimits(deps);
  const telling = new Set<Promise<void>>();

  const tell = async (task: Pick<QueuedTask, 'id' | 'client_id'>): Promise<void> => {
    try {
      const clientGroupId = await store.clientGroupOf(task.client_id);
      announce({ kind: 'task', action: 'changed', id: task.id, clientGroupId });
    } catch (error) {
      log.error('a change of a task could not be told', { task: task.id, error });
    }
  };
  const changed = (task: QueuedTask): void => {
    const told = tell(task).finally(() => telling.delete(told));
    telling.add(told);
  };

  const writeLog = (taskId: number, side: 'client' | 'server', level: LogLevel, message: string) =>
    store.addLog(taskId, side, { level, source: hostname, message }, clock.now());
  const loads = createLoadHistory({ clock, read: deps.readHostCounters ?? readLinuxCounters });

  const copyPlaces = createCopyPlaces({ places, configuration, now: clock.now });

  const withClient = (work: Work): Work => onlyWithClient({ places, configuration }, work);
  const keys = createClientKeys(dataDir);
  const scratch = createProofScratch(deps);
  const { isCopy } = createLeftOverStore(db);
  const memory = createCopyMemoryLimits(db);
  const transfers = {
    db,
    configuration,
    copies,
    copyPlaces,
    places,
    blockPools,
    tapes,
    keys,
    isCopy,
    memory,
  };
  const scripts = createTaskScripts({
    db,
    log,
    places,
    writeLog: (taskId, level, message) => writeLog(taskId, 'client', level, message),
    timeoutMs: deps.scriptTimeoutMs,
  });
  const snapshots = createBackupSnapshots({ clock, scripts });
  const backup = withClient(
    createBackupWork({
      db,
      places,
      copies,
      copyPlaces,
      blockPools,
      tapes,
      isCopy,
      configuration,
      traffic,
      snapshots,
      keys,
      secrets: deps.secrets,
      clock,
      dataDir,
      hostname,
      scratchFolders: scratch.there,
      tellProof: (made) => service.tellMade(made),
    }),
  );
  const restore = scripts.afterRestore(
    createRestoreWork({ copies, places, dataDir, traffic, keys, blockPools, tapes }),
  );
  const runner = createRunner({
    db,
    clock,
    log,
    work: {
      backup_urgent: backup,
      backup_strategy: backup,
      verify: createVerifyWork({ copies, keys, blockPools, tapes, configuration, memory }),
      restore: withClient(restore),
      restore_proof: createRestoreProofWork({
        copies,
        proofs: deps.proofs,
        keys,
        blockPools,
        tapes,
        scratch,
        memory,
      }),
      copy: createTransferWork('copy', transfers),
      move: createTransferWork('move', transfers),
      tape_label: createLabelWork(deps.cartridges),
      tape_scan: createScanWork(deps.cartridges),
    },
    settings: async () => {
      const settings = await configuration.read();
      return {
        serviceMode: settings.service_mode,
        restartSuspendedAfterMs: settings.suspended_task_restart_period * minuteMs,
      };
    },
    admit: createPoolPlacement({
      db,
      loads,
      tell: (taskId, line) => writeLog(taskId, 'server', 'info', line),
    }),
    writeLog,
    changed,
    ended: scripts.ended,
    live,
    mostAtOnce: deps.tasksAtOnce,
  });
  const leftOvers = createLeftOvers({ db, clock, log, places, running: runner.running });
  const service = createTaskService({ ...deps, live, wake: runner.wake, control: runner });

  const purge = async (): Promise<void> => {
    const settings = await configuration.read();
    if (settings.service_mode) return;
    for (const { statuses, endedBeforeMs } of duePurges(settings, clock.now())) {
      const removed = await store.purge(statuses, endedBeforeMs);
      if (removed > 0) announce({ kind: 'task', action: 'removed', id: null });
    }
  };
  /** What cut-off work left on the storages goes, in the service window and while nothing is written. */
  const cleanStorages = async (): Promise<void> => {
    const settings = await configuration.read();
    const { filesystems_clean_period: periodHours, filesystems_clean_last_time: lastTime } = settings;
    if (!isCleaningDue(settings, { periodHours, lastTime }, clock.now())) return;
    const isDone = await runner.quietly(leftOvers.onStorages);
    if (isDone) await configuration.noteCleaning('filesystems_clean_last_time', clock.now());
  };
  let cleaningBlocks: Promise<void> | null = null;
  /** Backups may run meanwhile. */
  const cleanBlocks = async (): Promise<void> => {
    const settings = await configuration.read();
    if (settings.dedup_clean_unused_blocks !== 'yes') return;
    const { dedup_clean_period: periodHours, dedup_clean_last_time: lastTime } = settings;
    const isDue = isCleaningDue(settings, { periodHours, lastTime }, clock.now());
    if (!isDue || cleaningBlocks !== null) return;
    // It can take hours, so other regular work does not wait for it.
    cleaningBlocks = blockPools
      .clean()
      .then(() => configuration.noteCleaning('dedup_clean_last_time', clock.now()))
      .catch((error: unknown) => log.error('unused blocks could not be freed', { error }))
      .finally(() => {
        cleaningBlocks = null;
      });
  };
  const cleanAfterTasks = async (): Promise<void> => {
    if ((await configuration.read()).service_mode) return;
    await leftOvers.ofTasks();
    await tapes.sweepSpools(leftOvers.mayGoOn);
  };
  const upkeep = createUpkeep({
    clock,
    log,
    jobs: [
      {
        name: 'remove expired copies',
        run: async () => void (await copies.expireDue(clock.now())),
        usesStorages: true,
      },
      { name: 'finish deletions', run: copies.finishDeletions, usesStorages: true },
      { name: 'remove what cut-off backups left', run: cleanAfterTasks, usesStorages: true },
      { name: 'clean the storages', run: cleanStorages, usesStorages: true },
      { name: 'free unused blocks', run: cleanBlocks },
      { name: 'remove old tasks', run: purge },
      ...deps.regularWork,
      {
        name: 'add and merge what is searched',
        run: () => keepSearched(deps.db, deps.dialect),
        knowsWhenDue: true,
      },
    ],
  });

  let isStarted = false;
  return {
    handlers: createTaskHandlers(service),
    createTask: service.createTask,
    /** For the scheduler. */
    insertPlanned: service.insertPlanned,
    insertOfRules: service.insertOfRules,
    tellPlanned: service.tellPlanned,
    /** Repairs what an earlier process left, then begins to run; once. */
    start: async (): Promise<void> => {
      if (isStarted) return;
      isStarted = true;
      // Before anything runs: what is found now was left by an earlier process.
      await leftOvers.onStorages();
      await leftOvers.ofTasks();
      await scratch.clean();
      await tapes.cleanUp();
      await tapes.sweepSpools(leftOvers.mayGoOn);
      await copies.finishDeletions();
      loads.start();
      await runner.start();
      upkeep.start();
    },
    /** No new work starts; running work stops at a safe point and waits for the next start. */
    stop: async (): Promise<void> => {
      blockPools.stopCleaning();
      tapes.stop();
      await Promise.all([runner.stop(), scripts.stop(), upkeep.stop(), loads.stop()]);
      // Tasks that came to their end while everything stopped: their logs say that the script was not run.
      await scripts.stop();
      await cleaningBlocks;
      await Promise.all(telling);
    },
  };
}
