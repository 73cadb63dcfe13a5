import type { Copy } from '../../contract/repository/copy.ts';
import type { Meaning } from '../ui/index.ts';

const meanings: Readonly<Record<string, Meaning>> = {
  Trusted: 'ok',
  Suspicious: 'warning',
  Broken: 'error',
  'Not Verified': 'idle',
};

export function verificationWord(status: string): string {
  return status === 'Not Verified' ? 'Not verified' : status;
}

export function verificationMeaning(status: string): Meaning {
  return meanings[status] ?? 'idle';
}

/** The name of the resource: the last part of its path. */
export function copyName(copy: Pick<Copy, 'resource'>): string {
  const parts = copy.resource.split('/').filter((part) => part !== '');
  return parts.at(-1) ?? copy.resource;
}
