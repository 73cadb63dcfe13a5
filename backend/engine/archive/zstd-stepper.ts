import type { ZstdSteps } from '../../platform/system-zstd.ts';
import { damagedFrame, type FrameStepper } from './frame-codec.ts';
import { checkZstdFrame } from './zstd-frame.ts';

/**
 * Decoded at once, which the cache of a core has room for. Measured with the restore of two trees: a block of 128 KiB at a time costs small files
 * 5 % (what the decoder keeps in the cache is gone each time), whole frames of 8 MiB cost large ones 25 %: the system copies them to the files
 * from memory rather than from the cache.
 */
const BYTES_AT_ONCE = 524_288;

/** By the library of the system, block by block (128 KiB at most). */
export function zstdStepper(steps: ZstdSteps): FrameStepper {
  let frame: Buffer = Buffer.alloc(0);
  let memory: Buffer = frame;
  let at = 0;
  let done = 0;
  const next = (): void => {
    const wanted = steps.wanted();
    const piece = frame.subarray(at, at + wanted);
    if (wanted === 0 || piece.length < wanted) throw damagedFrame('the frame ends early');
    const came = steps.step(piece, memory.subarray(done));
    if (came < 0) throw damagedFrame('it cannot be decompressed');
    at += wanted;
    done += came;
  };
  return {
    begin: (stored, into) => {
      done = 0;
      at = 0;
      frame = stored;
      memory = into;
      checkZstdFrame(stored, into.length);
      steps.begin();
    },
    upTo: (length) => {
      if (length <= done) return done;
      const end = Math.min(Math.max(length, done + BYTES_AT_ONCE), memory.length);
      while (done < end) next();
      // What is behind the last byte tells whether this was all of it.
      while (done === memory.length && at < frame.length) next();
      return done;
    },
    close: steps.free,
  };
}
