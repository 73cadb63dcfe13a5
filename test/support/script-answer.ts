import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** The project's root folder. */
export const projectRoot = join(import.meta.dirname, '..', '..');

/**
 * What one of the project's scripts answers: `code` runs as a module in the project's folder, by a Node of its own as the scripts are for `npm run`,
 * and prints JSON.
 */
export function scriptAnswer<T>(code: string, env: Readonly<Record<string, string>> = {}): T {
  const text = execFileSync(process.execPath, ['--input-type=module', '-e', code], {
    cwd: projectRoot,
    encoding: 'utf8',
    env: { ...process.env, ...env },
    maxBuffer: 64 * 1024 * 1024,
  });
  return JSON.parse(text) as T;
}
