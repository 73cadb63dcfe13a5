import type { Entry } from '../archive/entry.ts';
import { StoreClient } from '../blocks/store-client.ts';
import type { StoreLink } from '../blocks/store-requests.ts';
import type { Control } from '../job/control.ts';
import type { PreviousCopy } from './previous-copy.ts';
import type { TarOutput } from './tar-output.ts';

const HASHES_AT_ONCE = 1024;

/**
 * The content of files that have not changed since the copy before: its blocks are named again and the files are not
 * read. The new copy needs no other one for it.
 */
export class KnownBlocks {
  readonly #previous: PreviousCopy;
  readonly #store: StoreClient;
  readonly #output: TarOutput;

  constructor(previous: PreviousCopy, link: StoreLink, control: Control, output: TarOutput) {
    this.#previous = previous;
    this.#store = new StoreClient(link, control);
    this.#output = output;
  }

  /** Whether the store has all of it; from then on it stays there. False when the file is to be read. */
  hasAll(old: Entry): boolean {
    let hashes: Buffer[] = [];
    let isComplete = true;
    const ask = (): void => {
      const found = this.#store.call('has', { hashes: Uint8Array.from(Buffer.concat(hashes)) });
      isComplete &&= found.every((flag) => flag === 1);
      hashes = [];
    };
    for (const frame of this.#previous.blocksOf(old)) {
      if (frame === null) return false;
      hashes.push(Buffer.from(frame.hash, 'base64'));
      if (hashes.length === HASHES_AT_ONCE) ask();
      if (!isComplete) return false;
    }
    if (hashes.length > 0) ask();
    return isComplete;
  }

  /** Puts the content into the tar stream. Only after `hasAll` has said that it is there. */
  write(old: Entry): void {
    for (const frame of this.#previous.blocksOf(old)) {
      if (frame === null) throw new Error('a block was there a moment ago');
      this.#output.known(frame.rawLength, frame.hash);
    }
  }
}
