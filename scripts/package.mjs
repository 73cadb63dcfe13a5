// npm run package [-- --release]: builds a Debian package of the app in dist/ and prints its path as the last line. Nothing is fetched
// but by npm. With --release only the official Electron of the version in package.json will do; without it whatever runtime is at
// hand, in a package that says by its version and description that it is for tests.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensureRuntime, findRuntime } from './electron-runtime.mjs';
import { buildDeb } from './package/deb.mjs';
import { checkFuses, setFuses } from './package/fuses.mjs';
import { isOfficial, runtimeVersions } from './package/runtime.mjs';
import { stageApp } from './package/stage.mjs';
import { projectRoot, say } from './support/project.mjs';

const isRelease = process.argv.includes('--release');
const unknown = process.argv.slice(2).filter((option) => option !== '--release');

try {
  if (unknown.length > 0) throw new Error(`unknown option ${unknown[0]}; there is --release`);
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new Error(`packages are built on Linux x64 only, not on ${process.platform} ${process.arch}`);
  process.stdout.write(`${await makePackage()}\n`);
} catch (error) {
  say(error.message);
  process.exitCode = 1;
}

async function makePackage() {
  // A release takes what is there: a download in the middle of it would be another source than the one that was looked at.
  const executable = isRelease ? findRuntime() : (findRuntime() ?? (await ensureRuntime()));
  if (executable === undefined || (isRelease && !isOfficial(executable))) {
    throw new Error(
      'a release needs the official Electron of the version in package.json: let npm install it, or name its folder in ELECTRON_OVERRIDE_DIST_PATH',
    );
  }
  if (!isRelease)
    say(
      'WARNING: a package for tests, from the Electron at hand. Never give it away; a release is built with --release.',
    );
  const work = join(projectRoot, 'dist', 'work');
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  try {
    const root = join(work, 'root');
    const staged = stageApp({ executable, root, versions: runtimeVersions(executable) });
    await setFuses(staged.executable);
    await checkFuses(staged.executable);
    return buildDeb({ root, isRelease, ...staged });
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
