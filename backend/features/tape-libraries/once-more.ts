import { DeviceError } from '../../engine/index.ts';
import type { TapeWork } from './tape-work.ts';

const mostTries = 3;

/** For what changes nothing, or nothing that is not so already: after a lost connection or a reset it is done once more, and `words` say so. */
export async function onceMore<R>(
  act: () => Promise<R>,
  { signal, log }: Pick<TapeWork, 'signal' | 'log'>,
  words: string,
): Promise<R> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await act();
    } catch (error) {
      const isPassing = error instanceof DeviceError && error.kind === 'transient';
      if (!isPassing || signal.aborted || attempt === mostTries) throw error;
      log('warning', `${error.message} ${words}`);
    }
  }
}
