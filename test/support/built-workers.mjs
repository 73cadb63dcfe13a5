// node --import ./built-workers.mjs PROGRAM.ts: a program of a test runs from source, its worker threads as they are built.
import { enableCompileCache, registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const built = pathToFileURL(join(import.meta.dirname, 'built-worker-url.ts')).href;

// A program that meets a fault at each of its calls in turn is compiled once, not a hundred times.
enableCompileCache(join(import.meta.dirname, '../../.cache/compiled'));
registerHooks({
  resolve: (specifier, context, next) =>
    next(/(^|\/)worker-url\.ts$/.test(specifier) ? built : specifier, context),
});
