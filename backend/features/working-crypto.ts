/** What encrypts a copy on this server: offered for backups and restores alike. */
export const workingCrypto: readonly string[] = ['nocrypt'];
