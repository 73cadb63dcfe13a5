import { releaseOwnBuffer } from '../../platform/collect-garbage.ts';

/** Ends a decryption; false when its tag does not fit, which is the only thing that `final` can say. */
export function tagFits(decipher: { final(): Buffer }): boolean {
  try {
    decipher.final();
    return true;
  } catch {
    return false;
  }
}

/** Copies what a cipher made, gives its memory back (in a tight loop it would pile up until V8 looks), and answers its length. */
export function moved(made: Buffer, into: Buffer, at: number): number {
  const length = made.copy(into, at);
  releaseOwnBuffer(made);
  return length;
}
