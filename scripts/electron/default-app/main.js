// What `electron FOLDER` does in an official build, for a runtime that comes without it: takes the folder's name and version and
// runs its main. The import is awaited at top level, because Electron holds `ready` back only that long, and some of its
// functions (privileged schemes, command line switches) are refused after `ready`.

import { readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { app } from 'electron';

const { target, preloads } = readArguments(process.argv.slice(1));
if (target === undefined) {
  process.stderr.write('usage: electron [--no-sandbox] FOLDER|FILE\n');
  process.exit(1);
}
try {
  for (const preload of preloads) createRequire(import.meta.url)(resolve(preload));
  await import(pathToFileURL(adopt(resolve(target))).href);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
  process.exit(1);
}

/** The first word that is no switch is the app; `-r FILE` loads a CommonJS module before it. */
function readArguments(args) {
  const preloads = [];
  for (let index = 0; index < args.length; index++) {
    const arg = args[index];
    if (arg === '-r' || arg === '--require') preloads.push(args[++index]);
    else if (!arg.startsWith('-')) return { target: arg, preloads };
  }
  return { target: undefined, preloads };
}

/** Takes on the app's path, name and version; gives the path of its main module. */
function adopt(path) {
  const folder = statSync(path).isDirectory() ? path : dirname(path);
  app.setAppPath(folder);
  const manifest = readManifest(folder);
  const name = manifest.productName ?? manifest.name;
  if (name !== undefined) {
    app.setName(name);
    app.setPath('userData', join(app.getPath('appData'), name));
  }
  if (manifest.version !== undefined) app.setVersion(manifest.version);
  return folder === path ? join(folder, manifest.main ?? 'index.js') : path;
}

function readManifest(folder) {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return {}; // a lone file is an app too
    throw error;
  }
}
