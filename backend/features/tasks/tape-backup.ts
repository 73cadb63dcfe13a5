import { statfs } from 'node:fs/promises';
import { parseClientText } from '../../../contract/words.ts';
import {
  type ArchiveFeed,
  type BackupResult,
  type CopyFacts,
  type CopyRest,
  type EngineJob,
  FEED_WINDOW_BYTES,
  type FedArchive,
  FeedWindow,
} from '../../engine/index.ts';
import { type QueuedTask, type WorkContext, WorkStopped } from '../../jobs/index.ts';
import { counted } from '../bulk.ts';
import type { TapeCopyService } from '../tape-libraries/tape-copy-service.ts';
import { follow } from './engine-bridge.ts';
import { followTape, tapeActs } from './tape-follow.ts';

interface Made {
  readonly task: QueuedTask;
  readonly result: BackupResult;
  readonly createdMs: number;
  readonly isFileListAvailable: boolean;
}

/** What may wait for the tape, at most. */
const MOST_WAITING_BYTES = 8_589_934_592;

/** Where an archive goes through on its way to a tape, when it is written while it is made; `folder`: of the task. */
export async function feedFor(folder: string, isMemoryBound: boolean): Promise<ArchiveFeed> {
  const { bavail, bsize } = await statfs(folder);
  return {
    memory: FeedWindow.memoryFor(isMemoryBound ? 0 : FEED_WINDOW_BYTES),
    folder,
    bytes: Math.min(MOST_WAITING_BYTES, Math.floor((bavail * bsize) / 2)),
  };
}

/** What would build on a copy on tape would need that tape for each restore. */
export function noteFullOnly({ task, log }: WorkContext): void {
  if (task.backup_type === 'full') return;
  log('server', 'info', 'Copies on tape build on no other one: this one is full.');
}

/** The new copy goes from its folder to tape. */
export async function writeToTape(
  tapes: TapeCopyService,
  context: WorkContext,
  copy: { readonly folder: string; readonly uuid: string; readonly made: Made },
): Promise<void> {
  const { folder, uuid, made } = copy;
  const poolId = context.task.pool_id ?? -1;
  const wish = { from: folder, uuid, facts: factsOf(made), poolId };
  const { bytes } = await followTape(context, storedBytes(made), (tape) => tapes.write(wish, tape));
  tellWritten(context, bytes);
}

/** The new copy goes to tape while it is made. Whichever fails first ends the other one; neither is left running. */
export async function followOntoTape(
  tapes: TapeCopyService,
  context: WorkContext,
  job: EngineJob<BackupResult>,
  copy: {
    readonly uuid: string;
    readonly archive: FedArchive;
    readonly without: ReadonlySet<number>;
    /** With what is not known before the end, of the copy that was made. */
    readonly madeOf: (result: BackupResult) => Made;
    readonly begunMs: number;
  },
): Promise<BackupResult> {
  const { ending, acts, held } = tapeActs();
  let isStopped = false;
  let failed: { readonly error: unknown } | null = null;
  const fail = (error: unknown): void => {
    failed ??= { error };
    ending.abort();
    job.stop();
  };
  const stop = (): void => {
    isStopped = true;
    acts.stop();
    job.stop();
  };
  const pause = (): void => {
    acts.pause();
    job.pause();
  };
  const resume = (): void => {
    acts.resume();
    job.resume();
  };
  let tellRest: (rest: CopyRest) => void = () => undefined;
  const rest = new Promise<CopyRest>((resolve) => {
    tellRest = resolve;
  });
  const { uuid, archive, without } = copy;
  const facts = factsBefore(context.task, copy.begunMs);
  const wish = { uuid, poolId: context.task.pool_id ?? -1, facts, without, from: { ...archive, rest } };
  const writing = tapes
    .write(wish, {
      signal: ending.signal,
      log: (level, message) => context.log('server', level, message),
      onBytes: held,
    })
    .then(({ bytes }) => tellWritten(context, bytes))
    .catch(fail);
  let made: BackupResult | null = null;
  try {
    made = await follow(context, { ...job, pause, resume, stop }, 'client');
    tellRest({ folder: made.path, facts: factsOf(copy.madeOf(made)) });
  } catch (error) {
    fail(error);
  }
  await writing;
  if (isStopped || context.isStopping()) throw new WorkStopped();
  const { error } = failedOf(failed) ?? {};
  if (error !== undefined) throw error;
  if (made === null) throw new Error('a backup to tape ended with nothing');
  return made;
}

// What a callback has set is not seen to change otherwise.
const failedOf = (failed: { readonly error: unknown } | null) => failed;

/** Reads the new copy back from tape. */
export async function checkOnTape(
  tapes: TapeCopyService,
  context: WorkContext,
  copy: { readonly uuid: string; readonly made: Made },
): Promise<void> {
  await followTape(context, storedBytes(copy.made), (tape) => tapes.check(copy.uuid, tape));
  context.log('server', 'info', 'All of it was read back from tape and is right.');
}

function tellWritten(context: WorkContext, bytes: number): void {
  context.log('server', 'info', `The copy is on tape (${counted(bytes, 'byte')}).`);
}

const storedBytes = ({ result }: Made): number => result.archiveBytes + result.manifestBytes;

/** As the catalogue will know it. */
function factsOf(made: Made): CopyFacts {
  const { task, result, createdMs, isFileListAvailable } = made;
  return {
    ...factsBefore(task, createdMs),
    size: result.totals.sourceBytes,
    real_size: storedBytes(made),
    file_list_available: isFileListAvailable ? 1 : 0,
    skipped_items: result.totals.skipped,
    files_count: result.totals.files,
  };
}

/** What is known before anything was read. */
function factsBefore(
  task: Pick<QueuedTask, 'resource_type' | 'resource' | 'client_text' | 'crypto'>,
  createdMs: number,
): CopyFacts {
  const clientText = task.client_text ?? '';
  return {
    resource_type: task.resource_type ?? '',
    resource: task.resource ?? '',
    client_text: clientText,
    client_hwid: parseClientText(clientText)?.hwid ?? '',
    backup_type: 'full',
    crypto: task.crypto ?? 'nocrypt',
    created_ms: createdMs,
    description: null,
  };
}
