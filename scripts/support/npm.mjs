import { existsSync } from 'node:fs';
import { posix, win32 } from 'node:path';
import { pathKey } from './project.mjs';

/** npm's own script, as a folder with a Node and an npm has it: beside the Node on Windows, below lib elsewhere. */
const places = {
  win32: ['node_modules/npm/bin/npm-cli.js'],
  posix: ['../lib/node_modules/npm/bin/npm-cli.js'],
};

/**
 * Program and arguments that run npm without a shell: its script by this very Node. On Windows `npm` is a batch file, which Node starts
 * only through a shell, where every argument would be read once more.
 */
export function npmCommand(
  args,
  { platform = process.platform, env = process.env, execPath = process.execPath, exists = existsSync } = {},
) {
  const script = npmScript({ platform, env, execPath, exists });
  if (script !== undefined) return { program: execPath, args: [script, ...args] };
  if (platform !== 'win32') return { program: 'npm', args: [...args] };
  throw new Error(
    'npm was not found, neither beside this Node nor in the folders of Path: install Node with npm, or start this by npm run',
  );
}

function npmScript({ platform, env, execPath, exists }) {
  // npm says where it is to what it runs; another package manager names itself there.
  const told = env.npm_execpath;
  if (told !== undefined && /[\\/]npm-cli\.js$/.test(told)) return told;
  const { dirname, join, delimiter } = platform === 'win32' ? win32 : posix;
  const searched = platform === 'win32' ? (env[pathKey(env, platform)] ?? '').split(delimiter) : [];
  return [dirname(execPath), ...searched.filter((folder) => folder !== '')]
    .flatMap((folder) => places[platform === 'win32' ? 'win32' : 'posix'].map((place) => join(folder, place)))
    .find((path) => exists(path));
}
