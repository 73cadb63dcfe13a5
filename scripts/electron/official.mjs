import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot, toolNode } from '../support/project.mjs';

const packageFolder = join(projectRoot, 'node_modules', 'electron');
const downloadLimitMs = 8_000;

/** Path of the executable that the package `electron` downloaded, or undefined when it did not. */
export function findOfficial() {
  const pathFile = join(packageFolder, 'path.txt');
  if (!existsSync(pathFile)) return undefined;
  const executable = join(packageFolder, 'dist', readFileSync(pathFile, 'utf8'));
  return existsSync(executable) ? executable : undefined;
}

/** Lets the package fetch its own binary, for a few seconds only: without a network it would try for minutes. */
export function fetchOfficial() {
  const limit = { stdio: 'ignore', timeout: downloadLimitMs, killSignal: 'SIGKILL', cwd: packageFolder };
  spawnSync(toolNode(), ['install.js'], limit);
  return findOfficial();
}
