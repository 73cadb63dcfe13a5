import fs from 'node:fs';
import path from 'node:path';
import { workerData } from 'node:worker_threads';
import { toDeviceError } from '../device-error.ts';
import { Control } from '../job/control.ts';
import { finishWorker, runWorker, sendLog } from '../job/worker-side.ts';
import { goodPrefix } from '../transfer/kept-bytes.ts';
import {
  type BegunArchive,
  type BegunFrame,
  JOURNAL_NAME,
  type JournalHead,
  readJournal,
  shortenJournal,
} from './begun-archive.ts';

/** Reads back what an earlier attempt has made of an archive, and leaves what is right of it. The result is a `BegunArchive` or null. */
export interface BegunInput {
  readonly control: SharedArrayBuffer;
  readonly partialPath: string;
  readonly archiveName: string;
  readonly head: JournalHead;
}

const input = workerData as BegunInput;
const control = new Control(input.control);

runWorker(control, () => finishWorker(begun()));

function begun(): BegunArchive | null {
  const { partialPath, archiveName, head } = input;
  const archive = path.join(partialPath, archiveName);
  try {
    const noted = readNoted();
    const bytes = noted.length === 0 ? 0 : goodPrefix(archive, noted, () => control.check());
    if (bytes === 0) return null;
    const good = framesWithin(noted, bytes);
    for (const name of fs.readdirSync(partialPath)) {
      if (name !== archiveName && name !== JOURNAL_NAME)
        fs.rmSync(path.join(partialPath, name), { recursive: true });
    }
    fs.truncateSync(archive, bytes);
    shortenJournal(partialPath, head, good);
    sendLog(
      'info',
      `${bytes} bytes were made before, were read back and are right; they are not made again.`,
    );
    return { frames: good.length, bytes };
  } catch (error) {
    throw toDeviceError(error, `The storage ${path.dirname(partialPath)} cannot be read`);
  }
}

/** A journal that was torn is no loss: the archive is made anew. */
function readNoted(): readonly BegunFrame[] {
  try {
    return readJournal(input.partialPath, input.head) ?? [];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

function framesWithin(frames: readonly BegunFrame[], bytes: number): readonly BegunFrame[] {
  let end = 0;
  const after = frames.findIndex(({ length }) => {
    end += length;
    return end > bytes;
  });
  return after < 0 ? frames : frames.slice(0, after);
}
