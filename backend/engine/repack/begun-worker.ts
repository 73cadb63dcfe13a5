import fs from 'node:fs';
import path from 'node:path';
import { workerData } from 'node:worker_threads';
import { FileSums } from '../crypto/stored-sums.ts';
import { toDeviceError } from '../device-error.ts';
import { Control } from '../job/control.ts';
import { finishWorker, runWorker, sendLog } from '../job/worker-side.ts';
import { goodPrefix } from '../transfer/kept-bytes.ts';
import {
  type BegunArchive,
  type BegunFrame,
  JOURNAL_NAME,
  type JournalHead,
  type Noted,
  readJournal,
  shortenJournal,
} from './begun-archive.ts';

/** Reads back what earlier attempts have made of an archive, and leaves what is right of it. The result is a `BegunArchive` or null. */
export interface BegunInput {
  readonly control: SharedArrayBuffer;
  readonly partialPath: string;
  readonly archiveName: string;
  readonly head: JournalHead;
}

/** Each attempt adds its key to the lock of the copy, which is a small file. */
const MOST_KEYS = 400;

const input = workerData as BegunInput;
const control = new Control(input.control);

runWorker(control, () => finishWorker(begun()));

function begun(): BegunArchive | null {
  const { partialPath, archiveName, head } = input;
  const archive = path.join(partialPath, archiveName);
  try {
    const { frames: noted, keys } = readNoted();
    const sums = head.keyId === null ? null : new FileSums(archiveName);
    const look = (part: Buffer): void => sums?.add(part);
    const bytes = noted.length === 0 ? 0 : goodPrefix(archive, noted, () => control.check(), look);
    if (bytes === 0) return null;
    const frames = framesWithin(noted, bytes);
    const good = { frames, keys: keys.filter(({ first }) => first < frames.length) };
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
    return { frames: frames.length, bytes, keys: good.keys, sums: sums?.whole ?? [] };
  } catch (error) {
    throw toDeviceError(error, `The storage ${path.dirname(partialPath)} cannot be read`);
  }
}

/** A journal that was torn, or does not tell the keys of all frames, is no loss: the archive is made anew. */
function readNoted(): Noted {
  const { partialPath, head } = input;
  const nothing = { frames: [], keys: [] };
  try {
    const noted = readJournal(partialPath, head) ?? nothing;
    const isSealed = head.keyId !== null;
    const isOpen = !isSealed || (noted.keys[0]?.first === 0 && noted.keys.length < MOST_KEYS);
    return isOpen ? noted : nothing;
  } catch (error) {
    if (error instanceof SyntaxError) return nothing;
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
