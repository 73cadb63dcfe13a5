/** Ends a decryption; false when its tag does not fit, which is the only thing that `final` can say. */
export function tagFits(decipher: { final(): Buffer }): boolean {
  try {
    decipher.final();
    return true;
  } catch {
    return false;
  }
}
