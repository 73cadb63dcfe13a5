// node scripts/check.mjs: everything that is found without running the product. Each check says whether it passed.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generatedFilesAreCurrent } from './generated.mjs';
import { runToEnd } from './support/child.mjs';
import { projectRoot, toolEnv } from './support/project.mjs';

export const checks = {
  'types (tsc -b)': () => passes('node_modules/typescript/bin/tsc', ['-b']),
  'format and lint (biome)': () =>
    passes('node_modules/@biomejs/biome/bin/biome', ['check', '--error-on-warnings', '.']),
  'imports and house rules (lint/)': () => passes('lint/main.ts', []),
  'generated files unchanged': generatedFilesAreCurrent,
};

/** A check that breaks off has not passed; what it said belongs to whoever reads the run. */
export async function passesCheck(check) {
  try {
    return await check();
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    return false;
  }
}

async function passes(script, args) {
  const code = await runToEnd(process.execPath, [join(projectRoot, script), ...args], { env: toolEnv() });
  return code === 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const failed = [];
  for (const [name, check] of Object.entries(checks)) {
    if (!(await passesCheck(check))) failed.push(name);
  }
  for (const name of failed) process.stderr.write(`failed: ${name}\n`);
  process.exitCode = failed.length === 0 ? 0 : 1;
}
