import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSupervisor } from '../../../main/local-backend/supervisor.ts';
import { problemOf } from '../../../main/platform/problem-error.ts';
import { createForkSpawn } from '../support/fork-spawn.ts';
import { waitUntil } from '../support/wait-until.ts';

let folder: string;
let forks: ReturnType<typeof createForkSpawn>;
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'strongroom-supervisor-')), `Ünï çödé dir (x86) 100%'s`);
  await mkdir(folder);
});
afterEach(async () => {
  forks.killAll();
  await rm(join(folder, '..'), { recursive: true, force: true });
});

/** Program and data folder stand in a path that a shell would take apart. */
async function supervise(trick: string, stopMs = 5_000) {
  const program = join(folder, 'odd backend.mjs');
  await copyFile(join(import.meta.dirname, '../fixtures/odd-backend.mjs'), program);
  forks = createForkSpawn(program, [trick]);
  return createSupervisor({
    spawn: forks.spawn,
    isInstalled: async () => true,
    dataDir: join(folder, 'data'),
    logDir: join(folder, 'data', 'log'),
    limits: { firstWaitMs: 10, longestWaitMs: 20, stopMs },
  });
}

const failureOf = async (work: Promise<unknown>) =>
  problemOf(
    await work.then(
      () => undefined,
      (error: unknown) => error,
    ),
  );
const isAlive = (index: number): boolean => {
  const child = forks.children[index];
  return child !== undefined && child.exitCode === null && child.signalCode === null;
};

describe('the supervisor with real processes', () => {
  it('starts, hears, shows output without the secret, and stops (case 10)', async () => {
    const supervisor = await supervise('works');
    const { launchSecret } = await supervisor.start();
    await waitUntil(() => supervisor.logTail().length >= 2);
    expect(supervisor.logTail().join('\n')).toContain(`data dir ${join(folder, 'data')}`);
    expect(supervisor.logTail().join('\n')).not.toContain(launchSecret);
    await supervisor.stop();
    expect(isAlive(0)).toBe(false);
    expect(supervisor.state().phase).toBe('stopped');
  });

  it('ends one that ignores SIGTERM, and the next start works at once (case 3)', async () => {
    const supervisor = await supervise('ignores-sigterm', 200);
    await supervisor.start();
    await supervisor.stop();
    expect(forks.children[0]?.signalCode).toBe('SIGKILL');
    await supervisor.start();
    await supervisor.stop();
  });

  it('ends one that is frozen (case 3)', async () => {
    const supervisor = await supervise('works', 200);
    await supervisor.start();
    forks.children[0]?.kill('SIGSTOP');
    await supervisor.stop();
    expect(isAlive(0)).toBe(false);
  });

  it.each([
    ['exits', 'exit'],
    ['junk', 'junk'],
    ['in-use', 'dataDirInUse'],
  ])('gives a reason for one that %s (case 4)', async (trick, code) => {
    const supervisor = await supervise(trick);
    expect(await failureOf(supervisor.start())).toMatchObject({ kind: 'local', code });
    expect(supervisor.state()).toMatchObject({ phase: 'failed', code });
    expect(supervisor.logTail().join('\n')).toContain('data dir');
    expect(forks.children.every((child) => child.exitCode !== null)).toBe(true);
  });

  it('starts one that was killed from outside again by itself', async () => {
    const supervisor = await supervise('works');
    await supervisor.start();
    forks.children[0]?.kill('SIGKILL');
    await waitUntil(() => forks.children.length === 2 && supervisor.state().phase === 'running');
    await supervisor.stop();
  });
});
