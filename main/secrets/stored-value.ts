import { createHash } from 'node:crypto';

/** Windows keeps 2,560 bytes in one entry at most; longer values are kept in parts. */
const partChars = 2_000;
const mostParts = 16;
const headerPattern = /^v1:(\d{1,2}):([0-9a-f]{64})$/;

/** Keychains cut or change other characters without an error, and a token has none. */
export function isStorable(value: string): boolean {
  return /^[\x21-\x7e]+$/.test(value) && value.length <= partChars * mostParts;
}

export interface Parts {
  readonly header: string;
  readonly parts: readonly string[];
}

/** A long value in parts; null when it fits in one entry and needs none. */
export function splitValue(value: string): Parts | null {
  if (value.length <= partChars && !headerPattern.test(value)) return null;
  const parts = value.match(new RegExp(`.{1,${partChars}}`, 'gs')) ?? [];
  return { header: `v1:${parts.length}:${digest(value)}`, parts };
}

/** How many parts belong to this entry; 0 when the entry is the value itself. */
export function partCount(entry: string): number {
  const count = Number(headerPattern.exec(entry)?.[1] ?? 0);
  return count <= mostParts ? count : 0;
}

/** The whole value, or null when a part is missing or belongs to another value: never a piece of a token. */
export function joinParts(header: string, parts: readonly (string | null)[]): string | null {
  const value = parts.every((part) => part !== null) ? parts.join('') : null;
  return value !== null && digest(value) === headerPattern.exec(header)?.[2] ? value : null;
}

export function partAccount(account: string, index: number): string {
  return `${account}#${index}`;
}

function digest(value: string): string {
  return createHash('sha256').update(value).digest('hex');
}
