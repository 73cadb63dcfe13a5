const MOST_BYTES = 67_108_864;
const LEAST_FRAMES = 4;

/**
 * The frames that were decoded last, for copies whose members do not stand in the order in which they are read. It keeps
 * its memory and copies into it: what a codec gives is not there any more after the next frame.
 */
export class FrameCache {
  readonly #frameBytes: number;
  readonly #most: number;
  /** By number of the frame; the one used last stands at the end. */
  readonly #frames = new Map<number, { readonly memory: Buffer; readonly length: number }>();

  constructor(frameBytes: number) {
    this.#frameBytes = frameBytes;
    this.#most = Math.max(LEAST_FRAMES, Math.floor(MOST_BYTES / frameBytes));
  }

  /** Valid until the next one is kept. */
  find(index: number): Buffer | null {
    const found = this.#frames.get(index);
    if (found === undefined) return null;
    this.#frames.delete(index);
    this.#frames.set(index, found);
    return found.memory.subarray(0, found.length);
  }

  keep(index: number, bytes: Buffer): Buffer {
    const memory = this.#free();
    bytes.copy(memory);
    this.#frames.set(index, { memory, length: bytes.length });
    return memory.subarray(0, bytes.length);
  }

  #free(): Buffer {
    const [oldest] = this.#frames;
    if (oldest === undefined || this.#frames.size < this.#most) return Buffer.alloc(this.#frameBytes);
    this.#frames.delete(oldest[0]);
    return oldest[1].memory;
  }
}
