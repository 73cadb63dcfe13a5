import { z } from 'zod';
import type { Tokens } from '../api/session.ts';

const Stored = z.tuple([z.string().min(1), z.string()]);

/**
 * What the keychain keeps of a session: the refresh token, and the access token beside it, since a renewal has to show
 * both (the second may have expired). Never the password, never the CSRF token. Printable characters only.
 */
export function toStored(tokens: Tokens): string {
  return JSON.stringify([tokens.refresh, tokens.access]);
}

/** Null when it is not what `toStored` writes. */
export function fromStored(value: string): Tokens | null {
  try {
    const [refresh, access] = Stored.parse(JSON.parse(value));
    return { refresh, access, csrf: '' };
  } catch {
    // An entry of someone else or of another version: as good as none.
    return null;
  }
}
