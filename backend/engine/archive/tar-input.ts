import type { ByteString } from '../../platform/byte-path.ts';
import { DeviceError } from '../device-error.ts';
import { padded, TAR_BLOCK } from './tar-header.ts';

/** The header of one member of a tar stream that another program makes. */
export interface TarInputMember {
  /** Relative, without slashes at its ends. */
  readonly path: ByteString;
  readonly type: 'f' | 'd';
  readonly sizeBytes: number;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly userName: ByteString;
  readonly groupName: ByteString;
  readonly mtimeSeconds: number;
}

/** What is done with the members, in the order in which they come. */
export interface TarInputSink {
  begin(member: TarInputMember): void;
  data(bytes: Buffer): void;
  end(): void;
}

/**
 * Takes a ustar stream apart as it arrives, in pieces of any size. Only files and folders are known: a member of any
 * other type, a name that leads out of the top, or a wrong checksum ends it with `corrupt`.
 */
export class TarInput {
  readonly #sink: TarInputSink;
  readonly #header = Buffer.alloc(TAR_BLOCK);
  #filled = 0;
  /** Bytes of the member at hand that are still to come, and those of its padding. */
  #left = 0;
  #padding = 0;
  #isOpen = false;
  #isEnded = false;

  constructor(sink: TarInputSink) {
    this.#sink = sink;
  }

  push(bytes: Buffer): void {
    let at = 0;
    while (at < bytes.length) {
      if (this.#isEnded) return;
      if (this.#left > 0) {
        const count = Math.min(this.#left, bytes.length - at);
        this.#sink.data(bytes.subarray(at, at + count));
        this.#left -= count;
        at += count;
        this.#closeIfDone();
      } else if (this.#padding > 0) {
        const count = Math.min(this.#padding, bytes.length - at);
        this.#padding -= count;
        at += count;
      } else {
        const count = Math.min(TAR_BLOCK - this.#filled, bytes.length - at);
        bytes.copy(this.#header, this.#filled, at, at + count);
        this.#filled += count;
        at += count;
        if (this.#filled === TAR_BLOCK) this.#member();
      }
    }
  }

  /** Nothing follows. Throws `corrupt` when the stream was cut off. */
  end(): void {
    if (!this.#isEnded) throw damaged('it was cut off');
  }

  #member(): void {
    this.#filled = 0;
    const header = this.#header;
    if (header.every((byte) => byte === 0)) {
      this.#isEnded = true;
      return;
    }
    if (checksumOf(header) !== octal(header, 148, 8)) throw damaged('the checksum of a header is wrong');
    const type = typeOf(header[156] ?? 0);
    const sizeBytes = type === 'd' ? 0 : numberAt(header, 124, 12);
    this.#sink.begin({
      path: pathOf(header),
      type,
      sizeBytes,
      // Another host must not make programs here that run with the rights of their owner.
      mode: octal(header, 100, 8) & 0o777,
      uid: numberAt(header, 108, 8),
      gid: numberAt(header, 116, 8),
      userName: text(header, 265, 32),
      groupName: text(header, 297, 32),
      mtimeSeconds: numberAt(header, 136, 12),
    });
    this.#left = sizeBytes;
    this.#padding = padded(sizeBytes) - sizeBytes;
    this.#isOpen = true;
    this.#closeIfDone();
  }

  #closeIfDone(): void {
    if (!this.#isOpen || this.#left > 0) return;
    this.#isOpen = false;
    this.#sink.end();
  }
}

function typeOf(flag: number): 'f' | 'd' {
  const letter = String.fromCharCode(flag);
  if (letter === '0' || flag === 0) return 'f';
  if (letter === '5') return 'd';
  throw damaged(`it has a member of the type ${JSON.stringify(letter)}, which is not expected here`);
}

function pathOf(header: Buffer): ByteString {
  const prefix = text(header, 345, 155);
  const name = text(header, 0, 100);
  const parts = `${prefix === '' ? '' : `${prefix}/`}${name}`
    .split('/')
    .filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) throw damaged('a name in it leads out of its folder');
  return parts.join('/');
}

function text(header: Buffer, at: number, width: number): ByteString {
  const bytes = header.subarray(at, at + width);
  const end = bytes.indexOf(0);
  return bytes.toString('latin1', 0, end < 0 ? width : end);
}

/** Octal digits, or what is too large for them as a big-endian number whose first bit is set. */
function numberAt(header: Buffer, at: number, width: number): number {
  const first = header[at] ?? 0;
  if ((first & 0x80) === 0) return octal(header, at, width);
  let value = first & 0x7f;
  for (let i = 1; i < width; i += 1) value = value * 256 + (header[at + i] ?? 0);
  if (!Number.isSafeInteger(value)) throw damaged('a number in it is too large');
  return value;
}

function octal(header: Buffer, at: number, width: number): number {
  const digits = text(header, at, width).trim();
  if (digits === '') return 0;
  if (!/^[0-7]+$/.test(digits)) throw damaged('a number in it cannot be read');
  return Number.parseInt(digits, 8);
}

function checksumOf(header: Buffer): number {
  let sum = 0;
  for (const [index, byte] of header.entries()) sum += index >= 148 && index < 156 ? 0x20 : byte;
  return sum;
}

function damaged(what: string): DeviceError {
  return new DeviceError('corrupt', `The stream of the backup program cannot be used: ${what}.`);
}
