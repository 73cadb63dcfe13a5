import type { Copy } from '../../contract/repository/copy.ts';
import { textsOf, wordFor } from '../texts/index.ts';
import type { Meaning } from '../ui/index.ts';
import { showHidden } from '../ui/index.ts';

const meanings: Readonly<Record<string, Meaning>> = {
  Trusted: 'ok',
  Suspicious: 'warning',
  Broken: 'error',
  'Not Verified': 'idle',
};

const words = textsOf('status');

export function verificationWord(status: string): string {
  return showHidden(wordFor(words.verification, status));
}

/** `full`, `differential`, `incremental`: how much a copy holds. */
export function kindWord(kind: string): string {
  return showHidden(wordFor(words.kinds, kind));
}

/** The same for narrow places. */
export function shortKindWord(kind: string): string {
  return showHidden(wordFor(words.kindsShort, kind));
}

export function verificationMeaning(status: string): Meaning {
  return meanings[status] ?? 'idle';
}

/** The name of the resource: the last part of its path. */
export function copyName(copy: Pick<Copy, 'resource'>): string {
  const parts = copy.resource.split('/').filter((part) => part !== '');
  return parts.at(-1) ?? copy.resource;
}

/** Verification found that not all of it is there as it was stored. */
export function isDamaged({ status }: { readonly status: string }): boolean {
  return status === 'Broken' || status === 'Suspicious';
}
