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
  /** What decodes frames as far as they are needed; to be closed. */
  readonly stepper: () => FrameStepper;
  /** Whether the frame gives back just this. */
  readonly reads: (stored: Buffer, raw: Buffer) => boolean;
  /** Gives back at once what `encode` or `decode` made; it must not be used any more. */
  readonly release: (made: Buffer) => void;
}

/**
 * Decodes one frame after the other, each no further than it is needed: what was decoded just before is still in the cache of the
 * processor when it is hashed and written, while a frame of 8 MiB is not.
 */
export interface FrameStepper {
  /** Both memories are used until the next call. Throws `corrupt` for what is no whole frame of that length. */
  readonly begin: (stored: Buffer, into: Buffer) => void;
  /** At least so many bytes of the frame are there; answers how many. Throws `corrupt` when it cannot be decoded so far. */
  readonly upTo: (length: number) => number;
  readonly close: () => void;
}

/** For codecs that decode nothing but whole frames. */
export function wholeStepper(decodeInto: FrameCodec['decodeInto']): FrameStepper {
  let decoded = 0;
  return {
    begin: (stored, into) => {
      decodeInto(stored, into);
      decoded = into.length;
    },
    upTo: () => decoded,
    close: () => undefined,
  };
}

/** All that reads, by an addon that decodes into memory of its own. `check` throws before it is asked for more than is expected. */
export function readingBy(
  check: (stored: Buffer, rawLength: number) => void,
  decodeAll: (stored: Buffer) => Buffer,
): Omit<FrameCodec, 'encode'> {
  const decode: FrameCodec['decode'] = (stored, rawLength) => {
    check(stored, rawLength);
    return ofLength(
      madeBy(() => decodeAll(stored)),
      rawLength,
    );
  };
  const decodeInto: FrameCodec['decodeInto'] = (stored, into) => {
    const back = decode(stored, into.length);
    back.copy(into);
    releaseBuffer(back);
  };
  return {
    leavesBuffers: true,
    decode,
    decodeInto,
    stepper: () => wholeStepper(decodeInto),
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

/** What an addon makes of a frame; whatever it throws says that the frame is damaged. */
function madeBy(decode: () => Buffer): Buffer {
  try {
    return decode();
  } catch (error) {
    throw damagedFrame(error instanceof Error ? error.message : 'it cannot be decompressed');
  }
}
