import { DeviceError } from '../../engine/index.ts';
import { type RunningWork, type WorkContext, type WorkEnd, WorkStopped } from '../../jobs/index.ts';
import { isWorthWaiting, type TapeWork } from '../tape-libraries/tape-copy-service.ts';

const tellEveryMs = 200;

/**
 * Work with tapes that a person can pause, continue and kill, and sees going on. A pause takes hold between two blocks; the cartridge
 * stays in its drive meanwhile.
 */
export async function followTape<R>(
  context: WorkContext,
  bytesTotal: number,
  run: (work: TapeWork) => Promise<R>,
): Promise<R> {
  const { ending, acts, held } = tapeActs();
  context.attach(acts);
  let bytesDone = 0;
  let toldMs = Number.NEGATIVE_INFINITY;
  const tell = (): void => {
    toldMs = performance.now();
    const counts = { bytesDone, bytesTotal, transferredBytes: bytesDone };
    context.progress({ ...counts, filesDone: 0, filesTotal: null, currentPath: null });
  };
  try {
    return await run({
      signal: ending.signal,
      log: (level, message) => context.log('server', level, message),
      onBytes: async (bytes) => {
        bytesDone += bytes;
        if (performance.now() - toldMs >= tellEveryMs) tell();
        await held();
      },
    });
  } catch (error) {
    if (ending.signal.aborted) throw new WorkStopped();
    throw error;
  } finally {
    tell();
  }
}

/** What a person can do with work at tapes. `held` is waited for after each block; `ending` tells of a stop. */
export function tapeActs() {
  const ending = new AbortController();
  let hold: { readonly until: Promise<void>; readonly go: () => void } | null = null;
  const goOn = (): void => {
    hold?.go();
    hold = null;
  };
  const acts: RunningWork = {
    pause: () => {
      if (hold !== null) return;
      let go = (): void => undefined;
      const until = new Promise<void>((resolve) => {
        go = resolve;
      });
      hold = { until, go };
    },
    resume: goOn,
    stop: () => {
      ending.abort();
      goOn();
    },
  };
  return { ending, acts, held: async (): Promise<void> => hold?.until };
}

/** What a failure at the tapes means for the task. Bugs pass on and are logged by the runner. */
export function tapeEnd(error: unknown): WorkEnd {
  if (!(error instanceof DeviceError)) throw error;
  return { kind: isWorthWaiting(error) ? 'waiting' : 'error', message: error.message };
}
