import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { projectRoot } from '../support/project.mjs';
import { iconPng, iconSizes } from './icon.mjs';
import { runtimeModules } from './modules.mjs';
import { billOfMaterials } from './sbom.mjs';

const here = import.meta.dirname;
/** Where the app lies on the computer that it is installed on. */
export const home = 'opt/strongroom';

/** Everything that is installed, laid out below `root`. */
export function stageApp({ executable, root, versions }) {
  const folder = join(root, home);
  mkdirSync(dirname(folder), { recursive: true });
  copyRuntime(executable, folder);
  const manifest = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'));
  const modules = runtimeModules();
  const app = join(folder, 'resources', 'app');
  mkdirSync(app);
  cpSync(join(projectRoot, 'out'), join(app, 'out'), { recursive: true, filter: isOfTheApp });
  for (const { path } of modules) copyModule(path, app);
  const { name, version, license, type, main } = manifest;
  writeFileSync(
    join(app, 'package.json'),
    `${JSON.stringify({ name, version, license, type, main }, null, 2)}\n`,
  );
  const bill = billOfMaterials({ manifest, modules, versions });
  writeFileSync(join(folder, 'resources', 'sbom.cdx.json'), `${JSON.stringify(bill, null, 2)}\n`);
  cpSync(join(here, 'debian', 'apparmor-profile'), join(folder, 'resources', 'apparmor-profile'));
  addToDesktop(root);
  return { executable: join(folder, 'strongroom'), manifest };
}

function copyRuntime(executable, folder) {
  const source = dirname(executable);
  cpSync(source, folder, { recursive: true, filter: (path) => !isDefaultApp(relative(source, path)) });
  renameSync(join(folder, basename(executable)), join(folder, 'strongroom'));
}

/** What a runtime runs when it has no app. */
function isDefaultApp(path) {
  return path === join('resources', 'app') || path === join('resources', 'default_app.asar');
}

function isOfTheApp(path) {
  const name = basename(path);
  return !(name.startsWith('.built-') || name === 'types');
}

/** As it is installed, without what is for building it, for reading, or for another platform. */
function copyModule(path, app) {
  const source = join(projectRoot, path);
  cpSync(source, join(app, path), {
    recursive: true,
    dereference: true,
    filter: (from) => from === source || isNeeded(relative(source, from)),
  });
}

/** At the top of a package these are for its developers. */
const notNeeded = new Set([
  'docs',
  'doc',
  'test',
  'tests',
  'example',
  'examples',
  'deps',
  'vendor',
  '.github',
  'benchmark',
  'benchmarks',
]);

function isNeeded(path) {
  const [first, second] = path.split(sep);
  // Packages inside a package are packages of their own.
  if (path.split(sep).includes('node_modules')) return false;
  if (second === undefined && notNeeded.has(first)) return false;
  if (first === 'prebuilds' && second !== undefined && second !== 'linux-x64') return false;
  if (path.endsWith('.musl.node')) return false;
  return (
    !/\.(map|md|markdown|ts|mts|cts|c|cc|cpp|h|hpp|gyp|gypi|tsbuildinfo)$/i.test(path) ||
    /license/i.test(path)
  );
}

function addToDesktop(root) {
  const share = join(root, 'usr', 'share');
  mkdirSync(join(share, 'applications'), { recursive: true });
  cpSync(join(here, 'debian', 'strongroom.desktop'), join(share, 'applications', 'strongroom.desktop'));
  for (const size of iconSizes) {
    const folder = join(share, 'icons', 'hicolor', `${size}x${size}`, 'apps');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'strongroom.png'), iconPng(size));
  }
  mkdirSync(join(root, 'usr', 'bin'), { recursive: true });
  rmSync(join(root, 'usr', 'bin', 'strongroom'), { force: true });
  symlinkSync(`/${home}/strongroom`, join(root, 'usr', 'bin', 'strongroom'));
}
