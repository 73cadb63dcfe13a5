import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const built = pathToFileURL(join(import.meta.dirname, '../../out/backend/'));

/**
 * Takes the place of `backend/platform/worker-url.ts` in tests: the worker threads as they ship. One of them starts from
 * source in a second of CPU, for it compiles the whole engine, and from the bundle in an eighth of it.
 */
export function workerUrl(_moduleUrl: string, name: string): URL {
  return new URL(`${name}.js`, built);
}
