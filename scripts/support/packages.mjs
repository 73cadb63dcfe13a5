import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from './lock.mjs';
import { npmCommand } from './npm.mjs';
import { projectRoot, say } from './project.mjs';

const wantedPath = join(projectRoot, 'package-lock.json');
const installedPath = join(projectRoot, 'node_modules', '.package-lock.json');

/** Installs the npm packages when they are missing or other than the lock file says; quick when all is there. */
export async function ensurePackages() {
  if (packagesAreCurrent()) return;
  await withLock(
    join(projectRoot, '.cache', 'install.lock'),
    async () => {
      if (packagesAreCurrent()) return;
      say('installing npm packages …');
      await install();
    },
    (pid) => say(`waiting for process ${pid}, which installs the npm packages`),
  );
}

/** Compares what is installed with the lock file package by package: times say nothing after a checkout. */
export function packagesAreCurrent() {
  if (!existsSync(installedPath)) return false;
  const wanted = readPackages(wantedPath);
  const installed = readPackages(installedPath);
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === '' || entry.optional === true) return true; // optional ones are there only on their platform
    return installed[path]?.version === entry.version;
  });
}

function readPackages(path) {
  return JSON.parse(readFileSync(path, 'utf8')).packages ?? {};
}

async function install() {
  const first = await npm(['ci']);
  if (first.code === 0) return;
  // npm sometimes calls a good lock file incomplete (platform packages it did not write down); an ordinary install, which
  // leaves package.json and the lock alone, then works.
  const second = /Missing: .* from lock file/.test(first.output)
    ? await npm(['install', '--no-save'])
    : first;
  if (second.code === 0) return;
  process.stderr.write(second.output);
  throw new Error('the npm packages could not be installed; npm says why above');
}

/** Runs npm and gives its exit code and all its words; its log level is set, since `npm --silent run` hands its own down. */
function npm(args) {
  const command = npmCommand([...args, '--no-audit', '--no-fund', '--loglevel=error']);
  return new Promise((resolve, reject) => {
    const child = spawn(command.program, command.args, {
      cwd: projectRoot,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    const collect = (chunk) => {
      output += chunk;
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output }));
  });
}
