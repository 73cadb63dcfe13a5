import { join } from 'node:path';
import { runToEnd } from './child.mjs';
import { projectRoot } from './project.mjs';

/** Installs the system packages of a part of the project (see scripts/setup); stops with its words where it may not. */
export async function ensureSystemPackages(part) {
  if (process.platform !== 'linux') return; // elsewhere Electron and the keychain bring or find their own libraries
  const code = await runToEnd(join(projectRoot, 'scripts', 'setup'), [part], { output: 'stderr' });
  if (code !== 0) throw new Error('system packages are missing; scripts/setup says above what to do');
}
