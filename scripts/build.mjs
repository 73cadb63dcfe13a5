// node scripts/build.mjs [backend] [app] [bench] [year]: builds these parts into out/. Started by run.mjs, which installs what it needs first.
import { globSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { lateModules } from './support/late-modules.mjs';
import { projectRoot } from './support/project.mjs';

/** They load binaries, or files beside their own. */
const nativePackages = [
  '@napi-rs/blake-hash',
  '@node-rs/argon2',
  '@photostructure/sqlite',
  '@toondepauw/node-zstd',
  'keytar',
  'koffi',
  'lz4-napi',
  'pg',
  'swagger-ui-dist',
];

const builders = {
  backend: () => bundleNode('backend/main.ts', 'backend'),
  app: buildApp,
  /** The engine without a server, as the users' build would run it: for the benchmark. */
  bench: () => bundleNode('bench/engine/strongroom.ts', 'bench'),
  /** The backend with a clock that is set from outside: for the test of a year, which starts it many times. */
  year: () =>
    bundleNode('test/backend/scheduler/year/year-backend.ts', 'year', {
      // With its packages in one file it starts in two thirds of the time; what is native stays outside.
      packages: 'bundle',
      // Packages in CommonJS ask for Node's modules as they are, not for one that is loaded name by name.
      plugins: [],
      external: nativePackages,
      banner: {
        js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
      },
    }),
};

for (const name of process.argv.slice(2)) {
  const builder = builders[name];
  if (builder === undefined)
    throw new Error(`no part "${name}" to build; there are: ${Object.keys(builders).join(', ')}`);
  await builder();
}

/** Flat ES modules that run under plain Node and inside Electron: the entry, and each worker thread's own file beside it. */
async function bundleNode(entry, folder, options = {}) {
  const { build } = await import('esbuild');
  const workers = globSync('backend/**/*-worker.ts', { cwd: projectRoot });
  const entries = [entry, ...workers];
  refuseSameNames(entries);
  const outdir = join(projectRoot, 'out', folder);
  const { outputFiles } = await build({
    absWorkingDir: projectRoot,
    entryPoints: entries.map((path) => ({ in: path, out: basename(path, '.ts') })),
    outdir,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.18',
    packages: 'external',
    plugins: [lateModules],
    sourcemap: true,
    logLevel: 'warning',
    write: false,
    ...options,
  });
  replaceFiles(outdir, outputFiles);
}

/** File by file and each by a rename: a backend that runs from this folder may load a worker at any moment. */
function replaceFiles(folder, files) {
  mkdirSync(folder, { recursive: true });
  for (const { path, contents } of files) {
    writeFileSync(`${path}.new`, contents);
    renameSync(`${path}.new`, path);
  }
  const wanted = new Set(files.map(({ path }) => basename(path)));
  for (const name of readdirSync(folder)) {
    if (!wanted.has(name)) rmSync(join(folder, name), { recursive: true });
  }
}

/** Flat names in one folder: two workers of the same name would silently overwrite one another. */
function refuseSameNames(entries) {
  const names = entries.map((path) => basename(path, '.ts'));
  const double = names.find((name, index) => names.indexOf(name) !== index);
  if (double !== undefined)
    throw new Error(
      `two files of the backend are named ${double}.ts: both would become out/backend/${double}.js`,
    );
}

async function buildApp() {
  process.chdir(projectRoot);
  const { build } = await import('electron-vite');
  await build({ logLevel: 'warn' });
}
