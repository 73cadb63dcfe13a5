import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runToEnd } from '../support/child.mjs';
import { npmCommand } from '../support/npm.mjs';
import { projectRoot, say, toolEnv } from '../support/project.mjs';
import { iconPng, iconSizes } from './icon.mjs';
import { icnsFile, icoFile } from './icon-files.mjs';
import { layOwnFiles } from './stage.mjs';

/** Not among the project's packages: it fetches tools of its own, and only whoever makes these packages needs it. */
export const builder = 'electron-builder@26.17.0';
/** What electron-builder takes for the app, and the icons. */
export const builderFolder = join(projectRoot, 'dist', 'builder');

/** What each kind of computer can make. `dir` is the folder that the others pack. */
export const builderTargets = {
  linux: ['AppImage', 'zip', 'dir'],
  win32: ['nsis', 'zip', 'dir'],
  darwin: ['dmg', 'zip', 'dir'],
};

/** Makes a package of the kind `target` with electron-builder, which npm fetches; its exit code. */
export async function buildWithBuilder({ target, manifest }) {
  layForBuilder(manifest);
  const config = join(projectRoot, 'scripts', 'package', 'electron-builder.config.mjs');
  say(`${builder} makes ${target}; npm fetches it, and it fetches tools of its own`);
  const { program, args } = builderCommand({ target, config });
  return await runToEnd(program, args, { env: toolEnv(), output: 'stderr' });
}

/** electron-builder by npm, which fetches it; without a shell, also on Windows. */
export function builderCommand({ target, config }, system = process) {
  const { platform, arch } = system;
  const kind = { linux: '--linux', win32: '--win', darwin: '--mac' }[platform];
  const options = [kind, target, `--${arch}`, '--config', config, '--publish', 'never'];
  return npmCommand(['exec', '--yes', `--package=${builder}`, '--', 'electron-builder', ...options], system);
}

export function layForBuilder(manifest) {
  rmSync(builderFolder, { recursive: true, force: true });
  mkdirSync(join(builderFolder, 'icons'), { recursive: true });
  layOwnFiles(join(builderFolder, 'app'), manifest);
  for (const size of iconSizes)
    writeFileSync(join(builderFolder, 'icons', `${size}x${size}.png`), iconPng(size));
  writeFileSync(join(builderFolder, 'icon.ico'), icoFile());
  writeFileSync(join(builderFolder, 'icon.icns'), icnsFile());
}
