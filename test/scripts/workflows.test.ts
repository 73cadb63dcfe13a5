import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { projectRoot, scriptAnswer } from '../support/script-answer.ts';

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly shell?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
  readonly uses?: string;
  readonly needs?: string;
  readonly 'runs-on'?: string;
  readonly permissions?: unknown;
  readonly container?: { readonly image: string };
  readonly strategy?: {
    readonly matrix: { readonly include: readonly { readonly os: string; readonly targets: string }[] };
  };
  readonly steps?: readonly Step[];
}

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions: unknown;
  readonly jobs: Readonly<Record<string, Job>>;
}

const folder = join(projectRoot, '.github', 'workflows');
const files = readdirSync(folder);
const workflows = files.map((name) => {
  const source = readFileSync(join(folder, name), 'utf8');
  return { name, source, workflow: parse(source) as Workflow };
});
const manifest = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};
const commandNames = scriptAnswer<readonly string[]>(`
  const { spawnSync } = await import('node:child_process');
  const { stderr } = spawnSync(process.execPath, ['scripts/run.mjs', 'no-such-command'], { encoding: 'utf8' });
  console.log(JSON.stringify(stderr.trim().replace(/^.*there are: /, '').split(', ')));`);

function named(file: string): Workflow {
  const found = workflows.find(({ name }) => name === file);
  if (found === undefined) throw new Error(`no workflow ${file}`);
  return found.workflow;
}

function stepsOf({ jobs }: Workflow): readonly Step[] {
  return Object.values(jobs).flatMap(({ steps = [] }) => steps);
}

/** The simple commands of a step, as words; of a loop only what is in it. */
function commandsOf({ run = '' }: Step): readonly (readonly string[])[] {
  return run
    .split(/\n|&&|;/)
    .map((part) => part.trim().replace(/^do /, ''))
    .filter((part) => part !== '' && part !== 'done' && !part.startsWith('for '))
    .map((part) => part.split(/\s+/));
}

test('each command of a workflow is one that the project has', () => {
  const known: Readonly<Record<string, (words: readonly string[]) => boolean>> = {
    npm: ([action = '', name = '']) =>
      action === 'ci' ||
      (action === 'test' && commandNames.includes('test')) ||
      (action === 'run' && Object.hasOwn(manifest.scripts, name) && commandNames.includes(name)),
    node: ([script = '']) => existsSync(join(projectRoot, script)),
    sudo: ([script = '', part = '']) =>
      existsSync(join(projectRoot, script)) && ['app', 'test', 'bench'].includes(part),
    git: ([action]) => action === 'config',
  };
  let count = 0;
  for (const { name, workflow } of workflows) {
    for (const [program = '', ...words] of stepsOf(workflow).flatMap(commandsOf)) {
      expect(known[program]?.(words), `${name}: ${[program, ...words].join(' ')}`).toBe(true);
      count += 1;
    }
  }
  expect(count).toBeGreaterThan(6);
});

test('a release makes every kind of package, each on its own kind of computer and from the official Electron', () => {
  const { package: job } = named('release.yml').jobs;
  const made = Object.fromEntries(
    job?.strategy?.matrix.include.map(({ os, targets }) => [
      os.replace(/-.*/, ''),
      targets.split(' ').sort(),
    ]) ?? [],
  );
  const { linux, win32, darwin } = scriptAnswer<Readonly<Record<string, readonly string[]>>>(`
    const { builderTargets } = await import('./scripts/package/builder.mjs');
    console.log(JSON.stringify(builderTargets));`);
  const packages = (targets: readonly string[] = []) => targets.filter((target) => target !== 'dir');
  expect(made).toEqual({
    ubuntu: [...packages(linux), 'deb'].sort(),
    windows: [...packages(win32)].sort(),
    macos: [...packages(darwin)].sort(),
  });
  const steps = job?.steps ?? [];
  const packing = steps.filter(({ run }) => run?.includes('npm run package'));
  expect(packing).toHaveLength(1);
  expect(packing[0]?.run).toContain('-- --release --target "$target"');
  expect(packing[0]?.env?.TARGETS).toBe(`\${{ matrix.targets }}`);
  // `for` and `$TARGETS` are words of a POSIX shell, also on Windows.
  expect(packing[0]?.shell).toBe('bash');
  const kept = String(steps.find(({ uses }) => uses?.startsWith('actions/upload-artifact@'))?.with?.path);
  for (const ending of ['deb', 'AppImage', 'exe', 'dmg', 'zip']) expect(kept).toContain(`dist/*.${ending}\n`);
  // What is packed passed the tests of the same commit.
  expect(job?.needs).toBe('test');
  expect(named('release.yml').jobs.test?.uses).toBe('./.github/workflows/ci.yml');
  expect(Object.keys(named('ci.yml').on)).toContain('workflow_call');
});

test('tests and packages are made with Node 24', () => {
  const { test: tests } = named('ci.yml').jobs;
  expect(tests?.['runs-on']).toMatch(/^ubuntu-/);
  expect(tests?.container?.image).toMatch(/^node:24-/);
  expect(stepsOf(named('ci.yml')).flatMap(commandsOf)).toContainEqual(['npm', 'test']);
  const node = stepsOf(named('release.yml')).find(({ uses }) => uses?.startsWith('actions/setup-node@'));
  expect(node?.with?.['node-version']).toBe(24);
});

test.each(workflows)('$name may only read, and runs actions by their commits', ({ source, workflow }) => {
  expect(workflow.permissions).toEqual({ contents: 'read' });
  for (const job of Object.values(workflow.jobs)) expect(job.permissions).toBeUndefined();
  const used = [...source.matchAll(/uses: (?!\.\/)(.*)/g)].map(([, action = '']) => action);
  expect(used.length).toBeGreaterThan(0);
  for (const action of used) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  for (const { with: options } of stepsOf(workflow).filter(({ uses }) =>
    uses?.startsWith('actions/checkout@'),
  ))
    expect(options?.['persist-credentials']).toBe(false);
});

test.each(workflows)('$name hands secrets only to the environment of a step', ({ source, workflow }) => {
  const expressions = [...source.matchAll(/\$\{\{(.*?)\}\}/g)].filter(([, inner = '']) =>
    /\bsecrets\b/.test(inner),
  );
  const handed = stepsOf(workflow).flatMap(({ env = {} }) =>
    Object.values(env).filter((value) => /\$\{\{.*\bsecrets\b.*\}\}/.test(value)),
  );
  expect(handed).toHaveLength(expressions.length);
  // What somebody else can name (a branch, a title) is never part of a command's text.
  for (const { run = '' } of stepsOf(workflow)) expect(run).not.toContain('${{');
  for (const { env = {} } of stepsOf(workflow))
    for (const [name, value] of Object.entries(env))
      if (/PASSWORD|LINK|ID$/.test(name)) expect(value).toMatch(/^\$\{\{ .* \}\}$/);
});
