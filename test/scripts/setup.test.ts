import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const setup = join(import.meta.dirname, '..', '..', 'scripts', 'setup');
const asRoot = process.platform === 'linux' && process.getuid?.() === 0;
/** More than a pipe holds, after the line that is looked for: what a slow package source prints late. */
const MANY_LINES = 'awk \'BEGIN { for (i = 0; i < 40000; i++) print "     500 a source of packages" }\'';

test.runIf(asRoot)(
  `scripts/setup installs what is missing however late apt-cache ends${asRoot ? '' : ' (skipped: only root installs)'}`,
  async () => {
    const { result, installed } = await run(`echo '  Candidate: 1.0'; ${MANY_LINES}`);
    expect(result).toEqual({ code: 0, err: expect.stringContaining('installing') });
    expect(installed).toContain(' restic ');
    expect(installed).toContain(' borgbackup ');
  },
);

test.runIf(asRoot)(
  `scripts/setup says which package no source has and installs nothing${asRoot ? '' : ' (skipped: only root installs)'}`,
  async () => {
    const { result, installed } = await run("echo '  Candidate: (none)'");
    expect(result.code).toBe(1);
    expect(result.err).toContain('no package source of this system has zstd');
    expect(installed).toBe('');
  },
);

/** Runs `scripts/setup bench` on a system that has none of the packages; `policy` is what its apt-cache does. */
async function run(policy: string) {
  const folder = await mkdtemp(join(tmpdir(), 'setup-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const log = join(folder, 'installed');
  await writeFile(log, '');
  await program(folder, 'dpkg-query', 'true');
  await program(folder, 'apt-cache', policy);
  await program(folder, 'apt-get', `case $1 in install) echo "$* " >> '${log}' ;; esac`);
  const env = { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH ?? ''}` };
  const result = await new Promise<{ code: number; err: string }>((resolve) => {
    execFile(setup, ['bench'], { env }, (error, _out, err) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, err });
    });
  });
  return { result, installed: await readFile(log, 'utf8') };
}

function program(folder: string, name: string, body: string): Promise<void> {
  return writeFile(join(folder, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
}
