import { DeviceError } from '../../engine/index.ts';
import { type WorkContext, type WorkEnd, WorkStopped } from '../../jobs/index.ts';
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
  const ending = new AbortController();
  let held: { readonly until: Promise<void>; readonly go: () => void } | null = null;
  const goOn = (): void => {
    held?.go();
    held = null;
  };
  context.attach({
    pause: () => {
      if (held !== null) return;
      let go = (): void => undefined;
      const until = new Promise<void>((resolve) => {
        go = resolve;
      });
      held = { until, go };
    },
    resume: goOn,
    stop: () => {
      ending.abort();
      goOn();
    },
  });
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
        await held?.until;
      },
    });
  } catch (error) {
    if (ending.signal.aborted) throw new WorkStopped();
    throw error;
  } finally {
    tell();
  }
}

/** What a failure at the tapes means for the task. Bugs pass on and are logged by the runner. */
export function tapeEnd(error: unknown): WorkEnd {
  if (!(error instanceof DeviceError)) throw error;
  return { kind: isWorthWaiting(error) ? 'waiting' : 'error', message: error.message };
}
