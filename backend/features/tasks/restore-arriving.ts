import { join } from 'node:path';
import {
  ArchiveArrival,
  type ArrivingArchive,
  DeviceError,
  type EngineJob,
  type RestoreResult,
  takeNoMore,
  wasLost,
} from '../../engine/index.ts';
import { type WorkContext, type WorkEnd, WorkStopped } from '../../jobs/index.ts';
import type { TaskCopy } from '../repository/copy-service.ts';
import type { TapeCopyService } from '../tape-libraries/tape-copy-service.ts';
import { endFor, followRestore } from './engine-bridge.ts';
import { tapeActs, tapeEnd } from './tape-follow.ts';

/** Where a copy is restored from that is read from tape meanwhile. */
export interface ArrivingCopy {
  /** Has the copy's folder, with all but its archive. */
  readonly storagePath: string;
  readonly arriving: ArrivingArchive;
}

/**
 * Restores a copy while it is read from tape. Answers once both are done, so that every byte was compared with the hashes on the tape
 * then; how the task ends when one of them failed; and null when it has to be read first and restored then.
 */
export async function restoreArriving(
  deps: { readonly tapes: TapeCopyService },
  context: WorkContext,
  copy: TaskCopy,
  start: (from: ArrivingCopy) => Promise<EngineJob<RestoreResult>>,
): Promise<RestoreResult | WorkEnd | null> {
  const { tapes } = deps;
  const lists = await tapes.listToFollow(copy.uuid);
  if (lists === null) return null;
  const spool = await tapes.spool();
  try {
    const folder = join(spool.path, copy.uuid);
    const arriving = { memory: ArchiveArrival.memory(), folder, bytes: copy.storedBytes };
    const read = (work: Parameters<TapeCopyService['recall']>[2]): Promise<void> =>
      tapes.recallInto(arriving, copy.uuid, spool.path, work);
    const both = await runBoth(
      context,
      read,
      () => start({ storagePath: lists, arriving }),
      () => takeNoMore(arriving.memory),
    );
    if (both !== 'listDamaged') {
      if ('kind' in both) return both;
      const isListRight = both.problemsTotal === 0 || (await tapes.isListRight(copy.uuid, spool.path));
      if (isListRight && !wasLost(arriving.memory)) return both;
      if (isListRight) {
        const what =
          'Not all was restored in the order of the tape: the copy is read first and restored then.';
        context.log('server', 'info', what);
        return null;
      }
    }
    await tapes.dropList(copy.uuid);
    context.log('server', 'warning', 'The kept file list of the copy is damaged; that of the tape is taken.');
    return null;
  } finally {
    await spool.remove();
  }
}

/** Whichever fails first ends the other one. Neither is left running. */
async function runBoth(
  context: WorkContext,
  read: (work: Parameters<TapeCopyService['recall']>[2]) => Promise<void>,
  start: () => Promise<EngineJob<RestoreResult>>,
  onRestored: () => void,
): Promise<RestoreResult | WorkEnd | 'listDamaged'> {
  const { ending, acts, held } = tapeActs();
  let job: EngineJob<RestoreResult> | null = null;
  let isStopped = false;
  let failed: { readonly isTape: boolean; readonly error: unknown } | null = null;
  const fail = (isTape: boolean) => (error: unknown) => {
    failed ??= { isTape, error };
    ending.abort();
    job?.stop();
  };
  const stop = (): void => {
    isStopped = true;
    acts.stop();
  };
  context.attach({ ...acts, stop });

  const restore = async (): Promise<RestoreResult> => {
    const begun = await start();
    job = begun;
    if (ending.signal.aborted) begun.stop();
    const result = await followRestore(context, {
      ...begun,
      pause: () => {
        acts.pause();
        begun.pause();
      },
      resume: () => {
        acts.resume();
        begun.resume();
      },
      stop: () => {
        stop();
        begun.stop();
      },
    });
    onRestored();
    return result;
  };
  let restoring: Promise<RestoreResult | null> | null = null;
  const reading = read({
    signal: ending.signal,
    log: (level, message) => context.log('server', level, message),
    onBytes: held,
    onReading: () => {
      restoring ??= restore().catch((error: unknown) => {
        fail(false)(error);
        return null;
      });
    },
  });
  await reading.catch(fail(true));
  const result = await restored(restoring);
  if (isStopped || context.isStopping()) throw new WorkStopped();
  if (failed !== null) return endOf(context, failed, restoring !== null);
  if (result !== null) return result;
  throw new Error('a copy was read from tape, and nothing was restored from it');
}

// What a callback has set is not seen to change otherwise.
const restored = async (restoring: Promise<RestoreResult | null> | null): Promise<RestoreResult | null> =>
  restoring;

function endOf(
  context: WorkContext,
  { isTape, error }: { readonly isTape: boolean; readonly error: unknown },
  isBegun: boolean,
): WorkEnd | 'listDamaged' {
  if (isTape) {
    if (isBegun) {
      context.log('client', 'warning', 'What was restored until then is a part of the copy only.');
    }
    return tapeEnd(error);
  }
  if (error instanceof WorkStopped) throw error;
  // All that is read without the tape is the list.
  if (error instanceof DeviceError && error.kind === 'corrupt') return 'listDamaged';
  return endFor(error, { waitsForSpace: false });
}
