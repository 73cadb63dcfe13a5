import { existsSync } from 'node:fs';
import { dirname, join, posix, win32 } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's root folder, wherever the command was started from. */
export const projectRoot = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Node 24 as the package `node` brings it: tests and build tools need it, whatever the machine has. */
const projectNode = join(
  projectRoot,
  'node_modules',
  'node',
  'bin',
  process.platform === 'win32' ? 'node.exe' : 'node',
);

/** Path of a Node that runs the build tools (22.12 or later); throws a sentence for a person when there is none. */
export function toolNode() {
  if (existsSync(projectNode)) return projectNode;
  if (isAtLeast(process.versions.node, [22, 12])) return process.execPath;
  throw new Error(
    `the package "node" is not complete (no ${projectNode}) and Node ${process.versions.node} is older than 22.12: run npm ci with install scripts allowed`,
  );
}

/** The environment of a tool: the project's own binaries come first, as npm itself does it. */
export function toolEnv(extra = {}, { platform = process.platform, env = process.env } = {}) {
  const { join: joined, delimiter } = platform === 'win32' ? win32 : posix;
  const bin = joined(projectRoot, 'node_modules', '.bin');
  const key = pathKey(env, platform);
  const path = env[key] ?? '';
  const tool = {
    ...env,
    ...extra,
    [key]: path.split(delimiter)[0] === bin ? path : `${bin}${delimiter}${path}`,
  };
  // A tool that is Electron as Node by inheritance would not open a window.
  delete tool.ELECTRON_RUN_AS_NODE;
  return tool;
}

/** The name that the search path has in this environment: Windows writes `Path`, and a second spelling beside it would hide one of them. */
export function pathKey(env, platform = process.platform) {
  if (platform !== 'win32') return 'PATH';
  return Object.keys(env).find((key) => key.toUpperCase() === 'PATH') ?? 'Path';
}

/** True when this process itself may run the build tools. */
export function isToolNode() {
  return isAtLeast(process.versions.node, [22, 12]);
}

function isAtLeast(version, [major, minor]) {
  const [haveMajor = 0, haveMinor = 0] = version.split('.').map(Number);
  return haveMajor > major || (haveMajor === major && haveMinor >= minor);
}

/** Everything that is not a command's own answer goes to standard error, so that its output can be read by a program. */
export function say(text) {
  process.stderr.write(`strongroom: ${text}\n`);
}
