import { ProblemError } from '../platform/problem-error.ts';
import { t } from '../texts/index.ts';

/** The tools that open a copy without this product. */
const manuals: readonly (readonly [origin: string, path: string])[] = [
  ['https://www.gnu.org', '/software/tar/'],
  ['https://facebook.github.io', '/zstd/'],
];
const apiPage = '/api/v1';

/**
 * The address to hand to the system's browser: a manual, or the interactive page of a saved server. Only https; any
 * other scheme could start a program there.
 */
export function allowedLink(text: string, savedAddresses: readonly string[]): string {
  let url: URL;
  try {
    url = new URL(text);
  } catch (error) {
    throw refused(error);
  }
  if (url.protocol !== 'https:' || url.username !== '' || url.password !== '') throw refused();
  const isManual = manuals.some(([origin, path]) => url.origin === origin && url.pathname.startsWith(path));
  const isApiPage = savedAddresses.some((address) => `${address}${apiPage}` === url.href.replace(/\/$/, ''));
  if (!isManual && !isApiPage) throw refused();
  return url.href;
}

function refused(cause?: unknown): ProblemError {
  return new ProblemError(
    {
      kind: 'refused',
      code: 'link',
      message: t('calls.noLink'),
      errors: { url: t('calls.linkField') },
    },
    { cause },
  );
}
