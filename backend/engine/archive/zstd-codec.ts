import { releaseBuffer } from '../../platform/collect-garbage.ts';
import { QUICKEST, type SystemZstd, systemZstd, type ZstdSettings } from '../../platform/system-zstd.ts';
import { damagedFrame, type FrameCodec, wholeStepper } from './frame-codec.ts';
import { addonZstdCodec } from './zstd-addon.ts';
import {
  checkWindowHeader,
  checkZstdFrame,
  longestZstdFrame,
  SIZED_HEADER_BYTES,
  WINDOW_HEADER_BYTES,
  writeSizedHeader,
} from './zstd-frame.ts';
import { zstdStepper } from './zstd-stepper.ts';

/** Half of a file list are hashes, which no level makes shorter: 9 saves a twentieth for seven times the time. */
export const manifestSettings = (): ZstdSettings => QUICKEST;

/**
 * The quickest search with the table of level 3, and a window that has room for a whole frame of an archive: who decodes it takes memory for all of
 * it anyway. That takes a sixth to a fifth less time than level 3, for frames that are as long for texts and a system, 2 % longer for programs in a
 * language of scripts. Repeats of five letters, looked for too, cost time and bytes: the table forgets longer ones for them.
 */
const TUNED: ZstdSettings = { level: 3, strategy: 1, windowLog: 23, hashLog: 17, minMatch: 6 };
/** With a table that has room for all of it, from 16 KiB on: a hundredth shorter, and less time, than with that of level 1. */
const SMALL: ZstdSettings = { level: 1, hashLog: 17 };
/** What is found twice goes, the rest stays as it is: to make a code for so few letters takes longer than all else. */
const TINY: ZstdSettings = { level: -1 };
const LEVEL_9: ZstdSettings = { level: 9, windowLog: 23 };

/** Less is a block of a store, or the rest at the end of an archive; a level more takes twice the time for a hundredth. */
const TUNED_FROM_BYTES = 32_768;
/** A tar header and what fills up the last block of the member in front of it: every second block of many small files. */
const HEADER_BYTES = 512;
const HEADER_BELOW_BYTES = 1024;

export function optimalSettings(rawLength: number): ZstdSettings {
  if (rawLength >= TUNED_FROM_BYTES) return TUNED;
  return rawLength >= HEADER_BYTES && rawLength < HEADER_BELOW_BYTES ? TINY : SMALL;
}

export const bestSettings = (): ZstdSettings => LEVEL_9;

/** By the library of the system where there is one, else by the addon: what either makes the other one reads. */
export function zstdCodec(
  settingsFor: (rawLength: number) => ZstdSettings,
  zstd: SystemZstd | null = systemZstd(),
): FrameCodec {
  return zstd === null ? addonZstdCodec(settingsFor) : systemCodec(zstd, settingsFor);
}

/** The header that takes the place of the encoder's is so much longer: what is compressed begins behind it at once. */
const AHEAD_BYTES = SIZED_HEADER_BYTES - WINDOW_HEADER_BYTES;

/** One for the thread: what is made is copied or written before the next is made. */
let made = Buffer.alloc(0);
let madeBehind = made;
let back = Buffer.alloc(0);

function makeRoom(bytes: number): void {
  if (made.length >= bytes) return;
  made = Buffer.allocUnsafeSlow(bytes);
  madeBehind = made.subarray(AHEAD_BYTES);
}

function systemCodec(zstd: SystemZstd, settingsFor: (rawLength: number) => ZstdSettings): FrameCodec {
  const fill = (stored: Buffer, into: Buffer): void => {
    if (zstd.decompress(stored, into) !== into.length) throw damagedFrame('it cannot be decompressed');
  };
  const decodeInto = (stored: Buffer, into: Buffer): void => {
    checkZstdFrame(stored, into.length);
    fill(stored, into);
  };
  return {
    leavesBuffers: false,
    encode: (raw) => {
      makeRoom(AHEAD_BYTES + longestZstdFrame(raw.length));
      const length = zstd.compress(settingsFor(raw.length), raw, madeBehind);
      if (length < 0) throw damagedFrame('the encoder made none');
      checkWindowHeader(madeBehind);
      writeSizedHeader(made, raw.length);
      return made.subarray(0, AHEAD_BYTES + length);
    },
    decode: (stored, rawLength) => {
      // Before any memory is taken for what the frame only claims to hold.
      checkZstdFrame(stored, rawLength);
      const raw = Buffer.allocUnsafeSlow(rawLength);
      fill(stored, raw);
      return raw;
    },
    decodeInto,
    stepper: () => {
      const steps = zstd.steps();
      return steps === null ? wholeStepper(decodeInto) : zstdStepper(steps);
    },
    reads: (stored, raw) => {
      if (back.length < raw.length) back = Buffer.allocUnsafeSlow(raw.length);
      const into = back.subarray(0, raw.length);
      try {
        decodeInto(stored, into);
      } catch {
        // The error is the answer: it does not read back.
        return false;
      }
      return into.equals(raw);
    },
    release: (bytes) => {
      if (bytes.buffer !== made.buffer) releaseBuffer(bytes);
    },
  };
}
