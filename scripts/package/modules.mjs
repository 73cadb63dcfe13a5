import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../support/project.mjs';

/**
 * The packages that the app needs at run time: what package.json depends on and all that depends on, as the lock file has
 * it and as far as it is installed for this platform. Paths are relative to the project, `node_modules/…`.
 */
export function runtimeModules() {
  const { packages } = JSON.parse(readFileSync(join(projectRoot, 'package-lock.json'), 'utf8'));
  const found = new Map();
  const waiting = wantedBy('', packages);
  while (waiting.length > 0) {
    const path = waiting.pop();
    if (found.has(path)) continue;
    found.set(path, packages[path]);
    waiting.push(...wantedBy(path, packages));
  }
  return [...found]
    .map(([path, { version, name }]) => ({ path, version, name: name ?? nameOf(path) }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

function wantedBy(path, packages) {
  const {
    dependencies = {},
    optionalDependencies = {},
    peerDependencies = {},
    peerDependenciesMeta = {},
  } = packages[path];
  const peers = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true);
  const needed = [...Object.keys(dependencies), ...peers];
  return [...new Set([...needed, ...Object.keys(optionalDependencies)])].flatMap((name) => {
    const at = resolve(path, name, packages);
    // A binary for another platform is in the lock file, but not on the disk.
    if (at !== undefined && existsSync(join(projectRoot, at, 'package.json'))) return [at];
    if (Object.hasOwn(optionalDependencies, name) || peers.includes(name)) return [];
    throw new Error(`${name}, which ${path || 'the app'} needs, is not installed: run npm ci`);
  });
}

/** As Node finds it: beside the package itself, then further up. */
function resolve(from, name, packages) {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    const path = at === '' ? `node_modules/${name}` : `${at}/node_modules/${name}`;
    if (Object.hasOwn(packages, path)) return path;
    if (at === '') return undefined;
  }
}

function nameOf(path) {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}
