import { ProblemError } from '../platform/problem-error.ts';
import { t } from '../texts/index.ts';

/** Where a backup server for other hosts listens unless told otherwise. */
const usualPort = 5656;

/**
 * Base address without `/api/v1` and without a slash at the end. Without a scheme: https, and the usual port if none
 * is given. Plain http is accepted for this computer only, since passwords and tokens would travel in clear.
 */
export function parseAddress(text: string): string {
  const given = text.trim();
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(given);
  const url = tryUrl(hasScheme ? given : `https://${given}`);
  if (!url || url.hostname === '') throw wrong(t('address.noAddress'));
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw wrong(t('address.noHttps'));
  if (url.username !== '' || url.password !== '') throw wrong(t('address.hasUser'));
  if (url.search !== '' || url.hash !== '') throw wrong(t('address.hasQuery'));
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) throw wrong(t('address.inClear'));
  if (!hasScheme && !/:\d+$/.test(hostPart(given))) url.port = String(usualPort);
  const path = url.pathname.replace(/\/+$/, '').replace(/\/api\/v1$/, '');
  return `${url.origin}${path}`;
}

export function isLoopback(hostname: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\]|::1)$/i.test(hostname);
}

function hostPart(text: string): string {
  return text.split('/', 1)[0] ?? '';
}

function tryUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    // Not an address: the caller says so.
    return null;
  }
}

function wrong(reason: string): ProblemError {
  return new ProblemError({
    kind: 'refused',
    message: t('address.unusable'),
    code: 'address',
    errors: { address: reason },
  });
}
