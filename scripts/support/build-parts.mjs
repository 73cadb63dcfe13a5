import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runToEnd } from './child.mjs';
import { withLock } from './lock.mjs';
import { projectRoot, say, toolEnv, toolNode } from './project.mjs';

/** What is built apart, so that the backend alone starts without building the window. */
const parts = {
  backend: { sources: ['contract', 'backend'], result: 'out/backend/main.js' },
  app: { sources: ['contract', 'main', 'preload', 'renderer'], result: 'out/main/index.js' },
};
const tools = ['package-lock.json', 'electron.vite.config.ts', 'tsconfig.base.json', 'scripts/build.mjs'];

/** Builds the named parts that changed since their last build; quick when none did. The build's words go to standard error. */
export async function ensureBuilt(names) {
  if (names.every(isBuilt)) return;
  await withLock(join(projectRoot, '.cache', 'build.lock'), async () => {
    for (const name of names.filter((part) => !isBuilt(part))) await buildPart(name);
  });
}

/** Builds the named parts in any case. */
export async function build(names) {
  await withLock(join(projectRoot, '.cache', 'build.lock'), async () => {
    for (const name of names) await buildPart(name);
  });
}

async function buildPart(name) {
  // Taken before the build: a file saved while it runs makes the next start build again.
  const print = fingerprint(name);
  const code = await runToEnd(toolNode(), [join(projectRoot, 'scripts', 'build.mjs'), name], {
    env: toolEnv(),
    output: 'stderr',
  });
  if (code !== 0) throw new Error(`building the ${name} failed; the reason is above`);
  mkdirSync(join(projectRoot, 'out'), { recursive: true });
  writeFileSync(stampPath(name), print);
  say(`built: ${name}`);
}

function isBuilt(name) {
  if (!existsSync(join(projectRoot, parts[name].result)) || !existsSync(stampPath(name))) return false;
  return readFileSync(stampPath(name), 'utf8') === fingerprint(name);
}

function stampPath(name) {
  return join(projectRoot, 'out', `.built-${name}`);
}

/** Of names and contents, not of times: those change with every checkout. */
function fingerprint(name) {
  const hash = createHash('sha256');
  const files = parts[name].sources.flatMap(sourceFiles).sort();
  for (const path of [...files, ...tools]) {
    const content = readFileSync(join(projectRoot, path));
    hash.update(`${path}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

function sourceFiles(folder) {
  const entries = readdirSync(join(projectRoot, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(projectRoot.length + 1));
}

export const partNames = Object.keys(parts);
