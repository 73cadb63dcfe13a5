import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { projectRoot } from '../support/project.mjs';
import { home } from './stage.mjs';

const here = join(import.meta.dirname, 'debian');
const depends = [
  'libasound2 | libasound2t64',
  'libatk-bridge2.0-0 | libatk-bridge2.0-0t64',
  'libc6 (>= 2.31)',
  'libcups2 | libcups2t64',
  'libdrm2',
  'libgbm1',
  'libgtk-3-0 | libgtk-3-0t64',
  'libnotify4',
  'libnss3',
  'libsecret-1-0',
  'libxcomposite1',
  'libxdamage1',
  'libxkbcommon0',
  'libxrandr2',
  'libxss1',
  'libxtst6',
  'xdg-utils',
];

/** Turns the laid out folder into a package in dist/; its path. */
export function buildDeb({ root, isRelease, manifest }) {
  const version = isRelease ? manifest.version : `${manifest.version}+test`;
  addDocs(root);
  const control = join(root, 'DEBIAN');
  mkdirSync(control);
  writeFileSync(join(control, 'control'), controlText({ version, isRelease, sizeKib: sizeKib(root) }));
  for (const script of ['postinst', 'prerm', 'postrm']) cpSync(join(here, script), join(control, script));
  writeFileSync(join(control, 'md5sums'), sums(root));
  setModes(root);
  const path = join(projectRoot, 'dist', `strongroom_${version}_amd64.deb`);
  // A release is packed small, a test quickly.
  const packing = isRelease ? ['-Zxz', '-z6'] : ['-Zgzip', '-z1'];
  const { status } = spawnSync('dpkg-deb', ['--root-owner-group', ...packing, '--build', root, path], {
    stdio: ['ignore', 2, 2],
    env: { ...process.env, SOURCE_DATE_EPOCH: process.env.SOURCE_DATE_EPOCH ?? commitTime() },
  });
  if (status !== 0) throw new Error('dpkg-deb could not build the package; it says why above');
  return path;
}

function controlText({ version, isRelease, sizeKib: size }) {
  const forTests = isRelease
    ? []
    : [' .', ' This package is for tests: its Electron is not the one of a release. Do not use it.'];
  return [
    'Package: strongroom',
    `Version: ${version}`,
    'Architecture: amd64',
    'Maintainer: Strongroom <strongroom@localhost>',
    `Installed-Size: ${size}`,
    `Depends: ${depends.join(', ')}`,
    'Recommends: gnome-keyring | kwalletmanager, libssl3 | libssl3t64 | libssl1.1, libzstd1 (>= 1.4.0)',
    'Section: admin',
    'Priority: optional',
    'Description: desktop application for administrators of backup servers',
    ' Watches many backup servers at once, and backs up folders of this computer with',
    ' the backup server that is bundled.',
    ...forTests,
    '',
  ].join('\n');
}

function addDocs(root) {
  const docs = join(root, 'usr', 'share', 'doc', 'strongroom');
  mkdirSync(docs, { recursive: true });
  const license = readFileSync(join(projectRoot, 'LICENSE'), 'utf8');
  writeFileSync(
    join(docs, 'copyright'),
    `${license}\nWhat is bundled has licences of its own: /${home}/LICENSE* (Electron and Chromium), and those in\n/${home}/resources/app/node_modules. /${home}/resources/sbom.cdx.json lists all of it.\n`,
  );
  writeFileSync(
    join(docs, 'changelog.gz'),
    gzipSync(readFileSync(join(projectRoot, 'CHANGELOG.md')), { level: 9 }),
  );
}

/** Read by all, written by root; run what runs. The sandbox's helper needs root's rights where user namespaces are not allowed. */
function setModes(root) {
  for (const path of everything(root)) {
    const facts = lstatSync(path);
    if (facts.isSymbolicLink()) continue;
    const isRun =
      facts.isDirectory() || (facts.mode & 0o100) !== 0 || /DEBIAN\/(postinst|prerm|postrm)$/.test(path);
    chmodSync(path, isRun ? 0o755 : 0o644);
  }
  chmodSync(join(root, home, 'chrome-sandbox'), 0o4755);
}

function* everything(folder) {
  yield folder;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* everything(path);
    else yield path;
  }
}

function files(root) {
  return [...everything(root)].filter(
    (path) => lstatSync(path).isFile() && !path.startsWith(join(root, 'DEBIAN')),
  );
}

function sums(root) {
  return files(root)
    .map((path) => `${createHash('md5').update(readFileSync(path)).digest('hex')}  ${relative(root, path)}\n`)
    .join('');
}

function sizeKib(root) {
  return Math.ceil(files(root).reduce((sum, path) => sum + Math.ceil(lstatSync(path).size / 1024), 0));
}

/** Times in the package are those of the commit, so that the same commit makes the same package. */
function commitTime() {
  return execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: projectRoot, encoding: 'utf8' }).trim();
}
