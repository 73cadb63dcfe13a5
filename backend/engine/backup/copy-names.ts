import { archiveName, type Compression } from '../archive/codec.ts';
import { MANIFEST_NAME } from '../archive/manifest-format.ts';
import type { CopyCipher } from '../crypto/client-key.ts';
import { storedName } from '../crypto/copy-secret.ts';
import { LOCK_NAME } from '../crypto/lock-name.ts';
import { SUMS_NAME } from '../crypto/stored-sums.ts';

/** The files that a copy will have whose data go to no block store. Pure. */
export function namesOfCopy(compression: Compression, cipher: CopyCipher | null): readonly string[] {
  const stored = [archiveName(compression), MANIFEST_NAME].map((name) => storedName(name, cipher));
  return cipher === null ? stored : [...stored, LOCK_NAME, SUMS_NAME];
}
