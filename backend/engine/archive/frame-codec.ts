import { releaseBuffer } from '../../platform/collect-garbage.ts';
import { DeviceError } from '../device-error.ts';

/**
 * Turns blocks into independent standard frames and back. `decode` and `decodeInto` never make more than they are told to
 * expect, and throw `corrupt` for anything but a whole frame of that.
 */
export interface FrameCodec {
  /** What it makes is memory of an addon, of which V8 sees small handles only: a thread that makes much collects now and then. */
  readonly leavesBuffers: boolean;
  /** What it gives holds until the next call of any encoder of the thread. */
  readonly encode: (raw: Buffer) => Buffer;
  readonly decode: (stored: Buffer, rawLength: number) => Buffer;
  /** Fills all of `into`. */
  readonly decodeInto: (stored: Buffer, into: Buffer) => void;
  /** Whether the frame gives back just this. */
  readonly reads: (stored: Buffer, raw: Buffer) => boolean;
  /** Gives back at once what `encode` or `decode` made; it must not be used any more. */
  readonly release: (made: Buffer) => void;
}

/** All that reads, by what decodes into memory of its own. */
export function readingBy(
  decode: FrameCodec['decode'],
): Pick<FrameCodec, 'leavesBuffers' | 'decode' | 'decodeInto' | 'reads' | 'release'> {
  return {
    leavesBuffers: true,
    decode,
    decodeInto: (stored, into) => {
      const back = decode(stored, into.length);
      back.copy(into);
      releaseBuffer(back);
    },
    reads: (stored, raw) => {
      try {
        const back = decode(stored, raw.length);
        const isSame = back.equals(raw);
        releaseBuffer(back);
        return isSame;
      } catch {
        // The error is the answer: it does not read back.
        return false;
      }
    },
    release: releaseBuffer,
  };
}

export function ofLength(raw: Buffer, rawLength: number): Buffer {
  if (raw.length !== rawLength) throw damagedFrame(`${raw.length} bytes where ${rawLength} are recorded`);
  return raw;
}

export function damagedFrame(what: string): DeviceError {
  return new DeviceError('corrupt', `Damaged frame: ${what}.`);
}
