import { createHash, randomBytes, randomUUID } from 'node:crypto';

/** A random 128-bit name (lower case hex with dashes). */
export const newUuid = (): string => randomUUID();

/** Unguessable text of `bytes` random bytes (base64url). */
export const newSecret = (bytes = 32): string => randomBytes(bytes).toString('base64url');

/** What is kept of a secret: SHA-256 (base64url). Enough for secrets that nobody can guess. */
export const secretDigest = (secret: string): string =>
  createHash('sha256').update(secret).digest('base64url');

/** A short name under which an unexpected failure stands in the log, e.g. `7c1f-03ab-99d2`. */
export function newIncidentId(): string {
  const hex = randomBytes(6).toString('hex');
  return `${hex.slice(0, 4)}-${hex.slice(4, 8)}-${hex.slice(8)}`;
}
