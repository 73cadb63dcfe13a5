import { join } from 'node:path';

const hooks = join(import.meta.dirname, 'built-workers.mjs');

/** The arguments for Node that run a TypeScript program of a test; its worker threads are the built ones. */
export function sourceProgram(program: string, ...args: readonly string[]): readonly string[] {
  return ['--import', hooks, program, ...args];
}
