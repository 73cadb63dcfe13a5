/**
 * Where sessions survive the end of the app. The one implementation uses the keychain of the operating system through
 * keytar; another store can follow behind the same interface.
 *
 * - `unknown`: not asked yet
 * - `ok`: it keeps and gives back
 * - `absent`: there is none (no service, no bus, library missing)
 * - `locked`: there is one, but it is closed, or the person dismissed its question
 * - `hung`: it does not answer
 */
export type KeychainState = 'unknown' | 'ok' | 'absent' | 'locked' | 'hung';

export interface KeychainStatus {
  readonly state: KeychainState;
  /** One sentence for a person, in the language of the moment; empty while all is well. */
  readonly message: string;
}

export type SecretRead =
  | { readonly kind: 'found'; readonly value: string }
  /** Surely not there: the store works and has no such entry. */
  | { readonly kind: 'none' }
  /** It may be there but cannot be read now. Never to be taken for a sign-out. */
  | { readonly kind: 'failed'; readonly status: KeychainStatus };

export interface SecretStore {
  readonly status: () => KeychainStatus;
  readonly onStatus: (listener: (status: KeychainStatus) => void) => () => void;
  /** Writes, reads and removes a probe entry. Also the way back after `locked` or `hung`. */
  readonly probe: () => Promise<KeychainStatus>;
  readonly get: (account: string) => Promise<SecretRead>;
  /** False when it could not be kept: the session then lives in memory only. */
  readonly set: (account: string, value: string) => Promise<boolean>;
  /** False when it may still be there. */
  readonly remove: (account: string) => Promise<boolean>;
  readonly close: () => void;
}
