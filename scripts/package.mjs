// npm run package [-- --release] [--target KIND]: builds a package of the app in dist/. Without --target that is a Debian package, whose
// path is printed as the last line and for which nothing is fetched but by npm; the other kinds are made by electron-builder, each on
// its own kind of computer. With --release only the official Electron of the version in package.json will do; without it whatever runtime is at
// hand, in a package that says by its version and description that it is for tests.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureRuntime, findRuntime } from './electron-runtime.mjs';
import { builderTargets, buildWithBuilder } from './package/builder.mjs';
import { buildDeb } from './package/deb.mjs';
import { checkFuses, setFuses } from './package/fuses.mjs';
import { isOfficial, runtimeVersions } from './package/runtime.mjs';
import { readManifest, stageApp } from './package/stage.mjs';
import { projectRoot, say } from './support/project.mjs';

try {
  const { isRelease, target } = readOptions(process.argv.slice(2));
  const runtime = await chooseRuntime(isRelease);
  if (target === 'deb') process.stdout.write(`${await makeDeb(runtime, isRelease)}\n`);
  else process.exitCode = await buildWithBuilder({ target, manifest: readManifest() });
} catch (error) {
  say(error.message);
  process.exitCode = 1;
}

function readOptions(args) {
  const options = {
    release: { type: 'boolean', default: false },
    target: { type: 'string', default: 'deb' },
  };
  const { values, positionals } = parseArgs({ args, options, strict: false });
  const unknown = [
    ...Object.keys(values)
      .filter((name) => !Object.hasOwn(options, name))
      .map((name) => `--${name}`),
    ...positionals,
  ];
  if (unknown.length > 0)
    throw new Error(`unknown option ${unknown[0]}; there are --release and --target KIND`);
  const isDebHere = process.platform === 'linux' && process.arch === 'x64';
  const here = [...(isDebHere ? ['deb'] : []), ...(builderTargets[process.platform] ?? [])];
  if (!here.includes(values.target))
    throw new Error(
      `--target ${values.target} cannot be built on ${process.platform} ${process.arch}; here there are: ${here.join(', ')}`,
    );
  return { isRelease: values.release, target: values.target };
}

async function chooseRuntime(isRelease) {
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
  return executable;
}

async function makeDeb(executable, isRelease) {
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
