import { randomBytes } from 'node:crypto';
import { readFile, realpath } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import { contentPolicy } from './content-policy.ts';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.json': 'application/json; charset=utf-8',
};

export interface PageAnswer {
  readonly status: number;
  /** Names in small letters. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/**
 * Answers requests of the window's own scheme with the built page and nothing else. `__NONCE__` in a page becomes the
 * nonce of this very load, and the page's language the one of the window, where the page's script can read them.
 *
 * Plain bytes, not a `Response`: Node's own takes longer to load than the whole page to be read.
 */
export function createPageFiles(folder: string, language: () => string) {
  const root = once(() => realpath(folder));
  return async (request: { readonly method: string; readonly url: string }): Promise<PageAnswer> => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return plain(405, 'only reading');
    const file = await findFile(root, request.url);
    if (!file) return plain(404, 'not found');
    const type = types[extname(file)];
    if (!type) return plain(404, 'not found');
    const nonce = randomBytes(16).toString('base64');
    const content = await readFile(file);
    const body = type.startsWith('text/html')
      ? Buffer.from(
          content
            .toString('utf8')
            .replaceAll('__NONCE__', nonce)
            .replace('<html lang="en">', `<html lang="${language()}">`),
          'utf8',
        )
      : content;
    return {
      status: 200,
      headers: {
        'content-type': type,
        'content-security-policy': contentPolicy(nonce),
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'cache-control': 'no-store',
      },
      body: request.method === 'HEAD' ? Buffer.alloc(0) : body,
    };
  };
}

/** The file that an address names, if it is really inside the folder (links included). */
async function findFile(realRoot: () => Promise<string>, address: string): Promise<string | null> {
  try {
    const { protocol, host, pathname } = new URL(address);
    if (protocol !== 'app:' || host !== 'bundle') return null;
    const path = decodeURIComponent(pathname);
    if (path.includes('\0') || path.includes('\\')) return null;
    const root = await realRoot();
    const file = await realpath(join(root, path === '/' ? 'index.html' : path));
    return file.startsWith(root + sep) ? file : null;
  } catch {
    // No such file, or no address at all: both are "not found".
    return null;
  }
}

/** What went well is not asked again. */
function once(ask: () => Promise<string>): () => Promise<string> {
  let known: string | null = null;
  return async () => {
    known ??= await ask();
    return known;
  };
}

function plain(status: number, text: string): PageAnswer {
  return {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    body: Buffer.from(text, 'utf8'),
  };
}
