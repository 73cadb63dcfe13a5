import type { Entry } from '../archive/entry.ts';
import type { FrameStream } from '../archive/frame-stream.ts';
import { SparseMapParser } from '../archive/tar-parse.ts';
import type { TarOutput } from '../backup/tar-output.ts';
import { DeviceError } from '../device-error.ts';
import type { Control } from '../job/control.ts';

/** Brings the tar stream over from where it stands to wherever it is asked to. */
export class Passing {
  readonly #stream: FrameStream;
  readonly #output: TarOutput;
  readonly #control: Control;
  /** What lies before was made by an earlier attempt. */
  readonly #begun: number;

  constructor(stream: FrameStream, output: TarOutput, control: Control) {
    this.#begun = output.position;
    this.#stream = stream;
    this.#output = output;
    this.#control = control;
  }

  /** `look` sees the bytes. Throws `corrupt` where they are not what was written; `what` is then named. */
  async to(end: number, what: string, look: (bytes: Buffer) => void = () => undefined): Promise<void> {
    if (end <= this.#begun) return;
    const from = this.#output.position;
    if (end < from) throw damaged(what);
    for await (const { bytes } of this.#stream.pieces(from, end - from)) {
      this.#control.check();
      if (bytes === null) throw damaged(what);
      look(bytes);
      this.#output.write(bytes);
      this.#control.add('bytesDone', bytes.length);
    }
  }

  cut(): void {
    this.#output.cut();
  }

  end(): void {
    this.#output.flush();
  }

  /** The map of a sparse file, which stands before its data and tells itself how long it is. */
  async map(entry: Entry, start: number, what: string): Promise<void> {
    const parser = new SparseMapParser(entry.sizeBytes);
    let length = 0;
    for await (const { bytes } of this.#stream.pieces(start, entry.storedBytes)) {
      if (bytes === null) throw damaged(what);
      length += parser.push(bytes);
      if (parser.extents !== null) break;
    }
    await this.to(start + length, what);
    this.cut();
  }
}

export function damaged(what: string): DeviceError {
  return new DeviceError(
    'corrupt',
    `The copy is damaged (${what}). Nothing was changed; verify the copy where it is.`,
  );
}
