import { protocol } from 'electron';
import type { Log } from '../platform/log.ts';
import type { PageAnswer } from './page-files.ts';

/**
 * Puts the page's files behind the scheme of the window. Electron's newer way with `Request` and `Response` brings Node's
 * whole `fetch` into main before the first byte is served, a tenth of the whole start; this one hands over bytes.
 */
export function servePage(
  answer: (request: { readonly method: string; readonly url: string }) => Promise<PageAnswer>,
  log: Log,
): void {
  const isServed = protocol.registerBufferProtocol('app', (request, respond) => {
    answer(request).then(
      ({ status, headers, body }) => respond({ statusCode: status, headers: { ...headers }, data: body }),
      (error: unknown) => {
        log.error('a file of the page could not be read', { url: request.url.slice(0, 200), error });
        respond({ error: netFailed });
      },
    );
  });
  if (!isServed) throw new Error('the scheme of the window is taken by something else');
}

/** Chromium's `ERR_FAILED`. */
const netFailed = -2;
