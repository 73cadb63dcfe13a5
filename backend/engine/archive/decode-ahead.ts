import type { Control } from '../job/control.ts';
import { Ring, type Slot } from '../job/ring.ts';
import type { Frame } from '../manifest/frame-table.ts';
import { KIND_ARCHIVE } from './stream.ts';

/** What is handed to the thread that reads a copy when another one decodes for it. */
export interface AheadInput {
  readonly ring: SharedArrayBuffer;
  readonly slotCount: number;
  /** The file that is decoded, as it is called when nothing encrypts it. */
  readonly archiveName: string;
}

/**
 * Frames that another thread decodes before they are asked for. They are expected one behind the other; whoever jumps
 * loses those that were on their way.
 */
export class DecodeAhead {
  readonly archiveName: string;
  readonly #ring: Ring;
  /** Frames on their way, oldest first; the oldest has the sequence number `#next`. */
  #queue: number[] = [];
  #next = 0;
  #sent = 0;
  /** Its slot is being read. */
  #held: number | null = null;

  constructor(input: AheadInput, control: Control) {
    this.archiveName = input.archiveName;
    this.#ring = new Ring(input.ring, input.slotCount, control);
  }

  /** The frame of this number; `frameAt` answers null where none is known. The slot is valid until the next call. */
  load(frame: Frame, frameAt: (index: number) => Frame | null): Slot {
    this.#release();
    while (this.#queue.length > 0 && this.#queue[0] !== frame.index) {
      this.#take();
      this.#release();
    }
    if (this.#queue.length === 0) this.#send(frame);
    this.#sendAhead(frameAt);
    return this.#take();
  }

  /** Nothing more is asked for; the other thread ends. */
  close(): void {
    this.#ring.close();
  }

  #sendAhead(frameAt: (index: number) => Frame | null): void {
    while (this.#ring.isFree(this.#sent)) {
      const frame = frameAt((this.#queue.at(-1) ?? -1) + 1);
      if (frame === null) return;
      this.#send(frame);
    }
  }

  #send({ index, offset, length, rawLength, hash }: Frame): void {
    const slot = this.#ring.acquire(this.#sent);
    slot.kind = KIND_ARCHIVE;
    slot.first = offset;
    slot.second = index;
    slot.length = length;
    slot.rawLength = rawLength;
    slot.hash = hash;
    this.#ring.publish(this.#sent);
    this.#sent += 1;
    this.#queue.push(index);
  }

  #take(): Slot {
    const slot = this.#ring.take(this.#next);
    this.#held = this.#next;
    this.#next += 1;
    this.#queue.shift();
    return slot;
  }

  #release(): void {
    if (this.#held !== null) this.#ring.release(this.#held);
    this.#held = null;
  }
}
