import { readFileSync, rmSync } from 'node:fs';
import { writeAllSync } from '../../platform/files.ts';
import { errorCode } from '../../platform/native.ts';
import { toDeviceError } from '../device-error.ts';
import { replaceFile } from './replace-file.ts';

/** More would only make the count of healed ones too small. */
const MOST_BLOCKS = 100_000;

/**
 * The blocks that were found damaged and that nobody has stored anew since, so that it can be told when somebody does. Kept
 * over restarts in a file beside the saved index: the uuid of the store, then a hash a line.
 */
export class DamagedBlocks {
  readonly #hashes = new Set<string>();
  readonly #file: string | null;
  readonly #uuid: string;
  #healed = 0;
  #isChanged = false;

  constructor(indexFile: string | null, uuid: Buffer) {
    this.#file = indexFile === null ? null : `${indexFile}.damaged`;
    this.#uuid = uuid.toString('hex');
    for (const hash of this.#saved()) this.#hashes.add(hash);
  }

  add(hash: Buffer): void {
    if (this.#hashes.size >= MOST_BLOCKS) return;
    this.#hashes.add(hash.toString('hex'));
    this.#isChanged = true;
  }

  /** A block was stored; of a whole store that costs nothing. */
  noteStored(hash: Buffer): void {
    if (this.#hashes.size === 0 || !this.#hashes.delete(hash.toString('hex'))) return;
    this.#healed += 1;
    this.#isChanged = true;
  }

  /** How many were stored anew since this was asked last. */
  takeHealed(): number {
    const healed = this.#healed;
    this.#healed = 0;
    return healed;
  }

  save(): void {
    if (this.#file === null || !this.#isChanged) return;
    if (this.#hashes.size === 0) removeFile(this.#file);
    else {
      const text = `${[this.#uuid, ...this.#hashes].join('\n')}\n`;
      replaceFile(this.#file, (fd) => writeAllSync(fd, Buffer.from(text)));
    }
    this.#isChanged = false;
  }

  /** A file that is cut short or of another store tells of nothing; it is no more than a help. */
  #saved(): readonly string[] {
    if (this.#file === null) return [];
    try {
      const [uuid, ...hashes] = readFileSync(this.#file, 'latin1').split('\n');
      if (uuid !== this.#uuid) return [];
      return hashes.filter((hash) => /^[0-9a-f]+$/.test(hash)).slice(0, MOST_BLOCKS);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return [];
      throw toDeviceError(error, this.#file);
    }
  }
}

function removeFile(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch (error) {
    throw toDeviceError(error, path);
  }
}
