// node scripts/run.mjs COMMAND [options]: what every `npm run` goes through. Works on a fresh clone: only Node's own modules are
// imported here, and each command first installs what it needs. All words but a command's own answer go to standard error.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, ensureBuilt, partNames } from './support/build-parts.mjs';
import { runToEnd } from './support/child.mjs';
import { ensurePackages } from './support/packages.mjs';
import { projectRoot, say, toolEnv, toolNode } from './support/project.mjs';
import { ensureSystemPackages } from './support/system-packages.mjs';

const commands = {
  start: startApp,
  test: (args) => runTool('test', 'scripts/test.mjs', args),
  e2e: (args) => runTool('test', 'scripts/test.mjs', ['e2e', ...args]),
  backend: runBackend,
  agent: () => notBuiltYet('agent'),
  bench: runBench,
  gallery: drawGallery,
  package: makePackage,
  build: buildAll,
  check: (args) => runTool(undefined, 'scripts/check.mjs', args),
  generate: (args) => runTool(undefined, 'scripts/generated.mjs', ['--write', ...args]),
  format: (args) =>
    runTool(undefined, 'node_modules/@biomejs/biome/bin/biome', ['check', '--write', '.', ...args]),
};

const [name = '', ...args] = process.argv.slice(2);
const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
if (command === undefined) {
  say(`no command "${name}"; there are: ${Object.keys(commands).join(', ')}`);
  process.exitCode = 2;
} else {
  await run(command, args);
}

async function run(chosen, options) {
  try {
    const code = await chosen(options);
    // The backend goes on in this process and sets its own exit code.
    if (code !== undefined) process.exitCode = code;
  } catch (error) {
    say(error.message);
    process.exitCode = 1;
  }
}

function notBuiltYet(what) {
  say(`npm run ${what}: not built yet`);
  return 2;
}

async function startApp(options) {
  if (process.platform === 'linux' && !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY) {
    say(
      'there is no display (neither DISPLAY nor WAYLAND_DISPLAY is set). On a machine without one, use a virtual display:',
    );
    say('  xvfb-run -a npm start        (Debian package: xvfb)');
    return 1;
  }
  await ensureSystemPackages('app');
  await ensurePackages();
  await ensureBuilt(['backend', 'app']);
  const { ensureRuntime } = await import('./electron-runtime.mjs');
  const executable = await ensureRuntime();
  const switches = [];
  if (process.getuid?.() === 0) {
    say(
      'started as root, where Chromium cannot use its sandbox: --no-sandbox is added. Use an ordinary account for daily work.',
    );
    switches.push('--no-sandbox');
  }
  return await runToEnd(executable, [...switches, projectRoot, ...options], { env: toolEnv() });
}

/** In this very process, so that the pid of the ready line, signals and exit codes are the backend's own. */
async function runBackend(options) {
  await ensurePackages();
  await ensureBuilt(['backend']);
  const entry = join(projectRoot, 'out', 'backend', 'main.js');
  process.argv = [process.argv[0], entry, ...options];
  await import(pathToFileURL(entry).href);
}

/** One suite, or every suite when none is named; the exit code is that of the first one that failed. */
async function runBench(options) {
  const suites = benchSuites();
  const chosen = options.find((option) => !option.startsWith('-'));
  if (suites.length === 0 || (chosen !== undefined && !suites.includes(chosen))) {
    say(
      `no benchmark suite${chosen === undefined ? '' : ` "${chosen}"`}; there are: ${suites.join(', ') || 'none'}`,
    );
    return 2;
  }
  await ensureSystemPackages('bench');
  const hasWindow = chosen === undefined || chosen === 'console';
  if (hasWindow) await ensureSystemPackages('app');
  await ensurePackages();
  await ensureBuilt(hasWindow ? ['backend', 'app'] : ['backend']);
  const rest = options.filter((option) => option !== chosen);
  for (const suite of chosen === undefined ? suites : [chosen]) {
    const entry = join(projectRoot, 'bench', suite, 'main.ts');
    const code = await runToEnd(toolNode(), [entry, ...rest], { env: toolEnv() });
    if (code !== 0) return code;
  }
  return 0;
}

function benchSuites() {
  const folder = join(projectRoot, 'bench');
  if (!existsSync(folder)) return [];
  return readdirSync(folder).filter((entry) => existsSync(join(folder, entry, 'main.ts')));
}

async function drawGallery() {
  await ensureSystemPackages('test');
  await ensurePackages();
  await ensureBuilt(['backend', 'app']);
  return await runToEnd(toolNode(), [join(projectRoot, 'scripts', 'gallery.mjs')], { env: toolEnv() });
}

async function buildAll() {
  await ensurePackages();
  await build(partNames);
  return 0;
}

async function makePackage(options) {
  await ensureSystemPackages('app');
  await ensurePackages();
  await ensureBuilt(['backend', 'app']);
  return await runToEnd(toolNode(), [join(projectRoot, 'scripts', 'package.mjs'), ...options], {
    env: toolEnv(),
  });
}

async function runTool(systemPart, script, options) {
  if (systemPart !== undefined) await ensureSystemPackages(systemPart);
  await ensurePackages();
  return await runToEnd(toolNode(), [join(projectRoot, script), ...options], { env: toolEnv() });
}
