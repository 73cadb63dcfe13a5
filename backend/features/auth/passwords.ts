import { createHash, timingSafeEqual } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import { Refusal } from '../../platform/errors.ts';

/** argon2id with 19 MiB and two passes: what OWASP asks for at least. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
const atOnce = 2;
const waitingAtMost = 64;
/** Longer ones are refused when they are set, so they cannot be right. */
export const passwordMaxBytes = 1024;

/** Composed and decomposed letters are the same password, whatever keyboard it was typed on. */
export function normalisePassword(password: string): string {
  return password.normalize('NFC');
}

export interface PasswordHasher {
  hash(password: string): Promise<string>;
  verify(storedHash: string, password: string): Promise<boolean>;
  /** Takes as long as `verify` and is never right: for accounts that do not exist. */
  verifyNothing(password: string): Promise<false>;
}

/**
 * Hashes passwords, two at a time, so that logins never take all threads. When too many wait, the next one is
 * refused with "try again" instead of piling up.
 */
export function createPasswordHasher(): PasswordHasher {
  const limited = limiter();
  let dummy: Promise<string> | undefined;
  const matches = (stored: string, password: string): Promise<boolean> => {
    const text = normalisePassword(password);
    // The work is done for a password of any length, but never on more than it may have.
    return limited(() => verify(stored, Buffer.from(text).subarray(0, passwordMaxBytes))).then(
      (right) => right && Buffer.byteLength(text) <= passwordMaxBytes,
    );
  };
  return {
    hash: (password) => limited(() => hash(normalisePassword(password), cost)),
    verify: matches,
    verifyNothing: async (password) => {
      dummy ??= hash('an account that does not exist', cost);
      await matches(await dummy, password);
      return false;
    },
  };
}

function limiter(): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running >= atOnce) {
      if (waiting.length >= waitingAtMost) {
        throw new Refusal('server.busy', { message: 'Too many logins at once: try again in a moment.' });
      }
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else {
      running += 1;
    }
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}

/** Compares without telling by its duration where the texts differ. */
export function sameSecret(left: string, right: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(left), digest(right));
}
