import { COPY_CIPHERS } from '../engine/index.ts';

/** What encrypts a copy on this server: offered for backups and restores alike. */
export const workingCrypto: readonly string[] = ['nocrypt', ...COPY_CIPHERS];

/** Why copies cannot be encrypted so in a pool of this type, or null. Pure. */
export function whyCryptoDoesNotFit(poolType: string, crypto: string): string | null {
  if (poolType !== 'Block device' || crypto !== 'age') return null;
  return 'must be aes-256-gcm or nocrypt for a pool of type Block device, since age seals whole files and so has no blocks to share; or choose a pool of type File system';
}
