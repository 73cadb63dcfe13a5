import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { projectRoot } from '../support/project.mjs';

/** The folder of a distribution, by its executable: on macOS that lies inside Electron.app. */
export function distributionOf(executable) {
  const folder = dirname(executable);
  return basename(folder) === 'MacOS' ? join(folder, '..', '..', '..') : folder;
}

/** True for Electron's own distribution of the version that package.json asks for. */
export function isOfficial(executable) {
  const file = join(distributionOf(executable), 'version');
  if (!existsSync(file)) return false;
  const { version } = JSON.parse(
    readFileSync(join(projectRoot, 'node_modules', 'electron', 'package.json'), 'utf8'),
  );
  return readFileSync(file, 'utf8').trim().replace(/^v/, '') === version;
}

/** What is inside the runtime, as it says itself. */
export function runtimeVersions(executable) {
  const asked = 'process.stdout.write(JSON.stringify(process.versions))';
  const { status, stdout } = spawnSync(executable, ['-e', asked], {
    env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' },
    encoding: 'utf8',
    timeout: 30_000,
  });
  if (status !== 0) throw new Error(`${executable} does not say which versions it is made of`);
  const { electron, chrome, node, v8, openssl } = JSON.parse(stdout);
  return { electron, chrome, node, v8, openssl };
}
