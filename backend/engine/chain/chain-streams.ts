import { FrameStream } from '../archive/frame-stream.ts';
import { FRAME_DAMAGED, FRAME_GOOD, FRAME_MISSING } from '../archive/stream.ts';
import { DeviceError } from '../device-error.ts';
import type { Control } from '../job/control.ts';
import { ManifestReader } from '../manifest/manifest-reader.ts';
import type { ChainLink } from './links.ts';

/** An earlier copy of the chain, open for reading. */
export interface OpenLink {
  readonly reader: ManifestReader;
  readonly stream: FrameStream;
}

/** An earlier copy that cannot be read: is it gone or damaged, and why. */
export interface LinkFault {
  readonly status: number;
  readonly reason: string;
}

/** Each holds two frames in memory; more than this many are closed and opened again. */
const MOST_OPEN = 8;

/** The archives of a chain: the data of a copy lie in its own and in those of the copies that it builds on. */
export class ChainStreams {
  readonly #own: FrameStream;
  readonly #links: readonly ChainLink[];
  readonly #control: Control;
  readonly #open = new Map<number, OpenLink>();
  readonly #faults = new Map<number, LinkFault>();

  constructor(own: FrameStream, links: readonly ChainLink[], control: Control) {
    this.#own = own;
    this.#links = links;
    this.#control = control;
  }

  /** The stream in which an item's data lie; null when that copy cannot be read. */
  streamOf(heldBy: number | null): FrameStream | null {
    return heldBy === null ? this.#own : (this.link(heldBy)?.stream ?? null);
  }

  link(index: number): OpenLink | null {
    if (this.#faults.has(index)) return null;
    const known = this.#open.get(index);
    this.#open.delete(index);
    const link = known ?? this.#tryOpen(index);
    if (link === null) return null;
    // The one used last stands at the end.
    this.#open.set(index, link);
    this.#closeSurplus();
    return link;
  }

  /** Of a link that cannot be read. */
  fault(index: number): LinkFault {
    return this.#faults.get(index) ?? { status: FRAME_GOOD, reason: '' };
  }

  idOf(index: number): string {
    return this.#links[index]?.copyId ?? `number ${index}`;
  }

  close(): void {
    for (const { reader, stream } of this.#open.values()) {
      stream.close();
      reader.close();
    }
    this.#open.clear();
  }

  #tryOpen(index: number): OpenLink | null {
    const link = this.#links[index];
    if (link === undefined) {
      this.#faults.set(index, { status: FRAME_DAMAGED, reason: 'The file list names no such copy.' });
      return null;
    }
    if (link.fault !== null) {
      this.#faults.set(index, { status: FRAME_DAMAGED, reason: link.fault });
      return null;
    }
    try {
      const reader = new ManifestReader(link.copyPath, link.secret);
      return { reader, stream: new FrameStream(reader, this.#control) };
    } catch (error) {
      if (!(error instanceof DeviceError) || error.kind === 'cancelled') throw error;
      const status = error.kind === 'corrupt' ? FRAME_DAMAGED : FRAME_MISSING;
      this.#faults.set(index, { status, reason: error.message });
      return null;
    }
  }

  #closeSurplus(): void {
    for (const [index, { reader, stream }] of this.#open) {
      if (this.#open.size <= MOST_OPEN) break;
      stream.close();
      reader.close();
      this.#open.delete(index);
    }
  }
}
