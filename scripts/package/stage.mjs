import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { projectRoot } from '../support/project.mjs';
import { iconPng, iconSizes } from './icon.mjs';
import { runtimeModules } from './modules.mjs';
import { writeNativeModules } from './native-modules.mjs';
import { billOfMaterials } from './sbom.mjs';

const here = import.meta.dirname;
/** Where the app lies on the computer that it is installed on. */
export const home = 'opt/strongroom';

/** Everything that is installed, laid out below `root`. */
export function stageApp({ executable, root, versions }) {
  const folder = join(root, home);
  mkdirSync(dirname(folder), { recursive: true });
  copyRuntime(executable, folder);
  const manifest = readManifest();
  layApp({ resources: join(folder, 'resources'), manifest, versions });
  cpSync(join(here, 'debian', 'apparmor-profile'), join(folder, 'resources', 'apparmor-profile'));
  addToDesktop(root);
  return { executable: join(folder, 'strongroom'), manifest };
}

export function readManifest() {
  return JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'));
}

/** The app and its bill of materials in a runtime's folder of resources, the same in every kind of package. */
export function layApp({ resources, manifest, versions }) {
  const app = join(resources, 'app');
  rmSync(app, { recursive: true, force: true });
  layOwnFiles(app, manifest);
  const modules = runtimeModules();
  for (const { path } of modules) copyModule(path, app);
  writeNativeModules(resources);
  const bill = billOfMaterials({ manifest, modules, versions });
  writeFileSync(join(resources, 'sbom.cdx.json'), `${JSON.stringify(bill, null, 2)}\n`);
}

/** What `npm run build` made, and who the app is; without the packages that it needs. */
export function layOwnFiles(app, manifest) {
  mkdirSync(app, { recursive: true });
  cpSync(join(projectRoot, 'out'), join(app, 'out'), { recursive: true, filter: isOfTheApp });
  const { name, version, description, license, type, main } = manifest;
  writeFileSync(
    join(app, 'package.json'),
    `${JSON.stringify({ name, version, description, license, type, main }, null, 2)}\n`,
  );
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

/** What `npm run gallery` draws is for developers. */
const pictures = join(projectRoot, 'out', 'gallery');

function isOfTheApp(path) {
  const name = basename(path);
  return !(name.startsWith('.built-') || name === 'types' || path === pictures);
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

/** A package is for the kind of computer that it is built on: npm has put only that one's binaries here. */
const thisPlatform = `${process.platform}-${process.arch}`;

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
  if (first === 'prebuilds' && second !== undefined && second !== thisPlatform) return false;
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
