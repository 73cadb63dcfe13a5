import type { TapeLibrary } from '../../../contract/tape-libraries/tape-library.ts';
import { t, textsOf, wordFor } from '../../texts/index.ts';
import type { Meaning } from '../../ui/index.ts';
import { showHidden } from '../../ui/index.ts';

const meanings: Readonly<Record<string, Meaning>> = {
  Online: 'ok',
  Sync: 'running',
  Error: 'error',
  Offline: 'error',
};

const words = textsOf('tapeLibraries');

export const statusWord = (status: string): string => showHidden(wordFor(words.statuses, status));
export const driveStatusWord = (status: string): string => showHidden(wordFor(words.driveStatuses, status));
export const libraryMeaning = (status: string): Meaning => meanings[status] ?? 'idle';

export const libraryName = ({ vendor, model, serial, pool }: TapeLibrary): string =>
  t('tapeLibraries.name', {
    model: showHidden(`${vendor} ${model}`),
    serial: showHidden(serial),
    pool: showHidden(pool),
  });
