import { COPY_CIPHERS } from '../engine/index.ts';

/** What encrypts a copy on this server: offered for backups and restores alike. */
export const workingCrypto: readonly string[] = ['nocrypt', ...COPY_CIPHERS];
