// node scripts/electron-runtime.mjs: makes sure that an Electron runtime is there and prints its executable's path as the last
// line of standard output. First come ELECTRON_OVERRIDE_DIST_PATH and the official binary; else a substitute for development.
import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fetchOfficial, findOfficial } from './electron/official.mjs';
import { findSubstitute, makeSubstitute } from './electron/substitute.mjs';
import { runToEnd } from './support/child.mjs';
import { ensurePackages } from './support/packages.mjs';
import { isToolNode, say, toolEnv, toolNode } from './support/project.mjs';

/** The runtime's executable when one is at hand, without fetching anything; undefined when it has to be made. */
export function findRuntime() {
  return findOverride() ?? findOfficial() ?? findSubstitute();
}

function findOverride() {
  const folder = process.env.ELECTRON_OVERRIDE_DIST_PATH;
  if (!folder) return undefined;
  const names = { win32: 'electron.exe', darwin: 'Electron.app/Contents/MacOS/Electron' };
  const executable = join(folder, names[process.platform] ?? 'electron');
  if (existsSync(executable)) return executable;
  throw new Error(`ELECTRON_OVERRIDE_DIST_PATH names ${folder}, but there is no ${executable}`);
}

/** The runtime's executable; fetches or makes one when there is none. What it has to say goes to standard error. */
export async function ensureRuntime() {
  const found = findRuntime();
  if (found !== undefined) return found;
  await ensurePackages();
  // The tool that sets Electron's fuses wants a newer Node than the oldest one that may start this.
  if (!isToolNode()) {
    const code = await runToEnd(toolNode(), [fileURLToPath(import.meta.url)], {
      env: toolEnv(),
      output: 'stderr',
    });
    const made = findRuntime();
    if (code !== 0 || made === undefined) throw new Error('the Electron runtime could not be prepared');
    return made;
  }
  return fetchOfficial() ?? (await makeSubstitute());
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    process.stdout.write(`${await ensureRuntime()}\n`);
  } catch (error) {
    say(error.message);
    process.exitCode = 1;
  }
}
