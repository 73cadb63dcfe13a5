// node scripts/test.mjs [check|unit|e2e] [FILTER]...: every test, or one of the three parts; a filter is a part of a test file's path.
// Started by run.mjs with a Node that runs the tools. The last line adds up all of them: `N passed, N failed, N skipped`.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { checks, passesCheck } from './check.mjs';
import { build, ensureBuilt, partNames } from './support/build-parts.mjs';
import { runToEnd } from './support/child.mjs';
import { projectRoot, say, toolEnv } from './support/project.mjs';
import { countPlaywright } from './test/playwright-counts.mjs';

const artifacts = join(projectRoot, 'artifacts');
const parts = { check: runChecks, unit: runVitest, e2e: runPlaywright };

const words = process.argv.slice(2);
const named = words.filter((word) => Object.hasOwn(parts, word));
const filters = words.filter((word) => !Object.hasOwn(parts, word));
const started = Date.now();
const results = [];
for (const part of partsToRun()) results.push(await runPart(part));
report(results);

/** A filter alone says by its path which runner is meant. */
function partsToRun() {
  if (named.length > 0) return named;
  if (filters.length === 0) return ['check', 'build', 'unit', 'e2e'];
  return [...new Set(filters.map((filter) => (filter.includes('e2e') ? 'e2e' : 'unit')))];
}

async function runPart(part) {
  process.stdout.write(`\n=== ${part} ===\n`);
  const begun = Date.now();
  const result = part === 'build' ? await runBuild() : await parts[part]();
  process.stdout.write(`=== ${part}: ${Math.round((Date.now() - begun) / 1000)} s ===\n`);
  return result;
}

async function runChecks() {
  const counts = none();
  for (const [name, check] of Object.entries(checks)) {
    const passed = await passesCheck(check);
    process.stdout.write(`${passed ? 'passed' : 'FAILED'}: ${name}\n`);
    if (passed) counts.passed += 1;
    else counts.failed.push(name);
  }
  return counts;
}

/** Counted only when it fails: the tests then run against what an earlier build left, or not at all. */
async function runBuild() {
  try {
    await build(partNames);
    return none();
  } catch (error) {
    return { ...none(), failed: [error.message] };
  }
}

async function runVitest() {
  const countsPath = join(artifacts, 'vitest.json');
  rmSync(countsPath, { force: true });
  const reporters = [
    '--reporter=default',
    `--reporter=${join(projectRoot, 'scripts/test/vitest-reporter.mjs')}`,
  ];
  const code = await runToEnd(
    process.execPath,
    [
      join(projectRoot, 'node_modules/vitest/vitest.mjs'),
      'run',
      '--passWithNoTests',
      ...reporters,
      ...filters,
    ],
    { env: toolEnv({ STRONGROOM_VITEST_COUNTS: countsPath }), input: 'ignore' },
  );
  return counted('vitest', code, readReport(countsPath));
}

/** The keyring outside, the display inside: when the lab ends, it ends the display too. */
async function runPlaywright() {
  if (named.length > 0 || filters.length > 0) await ensureBuilt(partNames);
  const reportPath = join(artifacts, 'e2e.json');
  rmSync(reportPath, { force: true });
  const playwright = [
    process.execPath,
    join(projectRoot, 'node_modules/@playwright/test/cli.js'),
    'test',
    '--config=test/e2e/playwright.config.ts',
    '--pass-with-no-tests',
    ...filters,
  ];
  const inLab = process.platform === 'linux' ? ['xvfb-run', '-a', ...playwright] : playwright;
  const [program, ...args] =
    process.platform === 'linux' ? ['test/lab/with-keyring.sh', '--', ...inLab] : inLab;
  const code = await runToEnd(program, args, { env: toolEnv(), input: 'ignore' });
  const json = readReport(reportPath);
  return counted('playwright', code, json === undefined ? undefined : countPlaywright(json));
}

/** A runner that failed without naming a failed test (a crash, no report) is a failure of its own. */
function counted(runner, code, counts) {
  if (counts === undefined) return { ...none(), failed: [`${runner} ended with code ${code} and no report`] };
  if (code !== 0 && counts.failed.length === 0)
    return { ...counts, failed: [`${runner} ended with code ${code}`] };
  return counts;
}

function none() {
  return { passed: 0, failed: [], skipped: [] };
}

function readReport(path) {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
}

function report(all) {
  const passed = all.reduce((sum, counts) => sum + counts.passed, 0);
  const failed = all.flatMap((counts) => counts.failed);
  const skipped = all.flatMap((counts) => counts.skipped);
  say(`took ${Math.round((Date.now() - started) / 1000)} s`);
  const lines = [
    '',
    ...skipped.map(({ name, reason }) => `skipped: ${name} (${reason})`),
    ...failed.map((name) => `failed: ${name}`),
    `${passed} passed, ${failed.length} failed, ${skipped.length} skipped`,
  ];
  process.exitCode = failed.length === 0 && passed > 0 ? 0 : 1;
  process.stdout.write(`${lines.join('\n')}\n`);
}
