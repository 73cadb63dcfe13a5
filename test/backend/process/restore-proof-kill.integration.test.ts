import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Copy } from '../../../contract/repository/copy.ts';
import type { Task } from '../../../contract/tasks/task.ts';
import { type BackendProcess, spawnBackend } from '../../support/backend.ts';
import { clockEnv, queueThroughTime, setClock } from '../../support/moved-clock.ts';
import { makeBigFolder, type Queue } from '../../support/queue.ts';
import { makeTempDir } from '../../support/temp-dir.ts';

const password = 'correct horse battery';
const hourMs = 3_600_000;

let folder: Awaited<ReturnType<typeof makeTempDir>>;
let backend: BackendProcess;
let aheadMs = 0;

async function start(uid?: number): Promise<Queue> {
  backend = spawnBackend({
    dataDir: join(folder.path, 'data'),
    env: { STRONGROOM_ADMIN_PASSWORD: password, ...clockEnv(folder.path) },
    args: ['--scratch-dir', join(folder.path, 'scratch')],
    ...(uid === undefined ? {} : { uid }),
  });
  return queueThroughTime((await backend.ready).url, password);
}

async function advance(ms: number): Promise<void> {
  aheadMs += ms;
  await setClock(folder.path, aheadMs);
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 20));

/** The proof of the first copy of a strategy that has so many files of each copy restored. */
async function firstProof(queue: Queue, source: string, files: number): Promise<Task> {
  const strategy = {
    name: 'Hourly',
    pool: 'Default',
    time_zone: 'UTC',
    full_schedule: '0 * * * *',
    restore_proof_files: files,
  };
  await queue.good('POST', '/strategies', { data: strategy });
  const client_id = await queue.localClient();
  const rule = { client_id, strategy_id: 'Hourly', resource_type: 'File system', resource: source };
  await queue.good('POST', '/strategy_rules', { data: { strategy_rule: rule } });
  await advance(hourMs);
  for (;;) {
    const [proof] = await queue.good<Task[]>('GET', '/tasks?task_type=restore_proof&limit=1');
    if (proof !== undefined) return proof;
    await pause();
  }
}

/** Folders of proofs in the scratch space. */
async function proofFolders(): Promise<readonly string[]> {
  const scratch = join(folder.path, 'scratch');
  const [own] = existsSync(scratch) ? await readdir(scratch) : [];
  return own === undefined ? [] : readdir(join(scratch, own));
}

beforeEach(async () => {
  folder = await makeTempDir('proof-kill');
  aheadMs = hourMs - (Date.now() % hourMs);
  await advance(60_000);
});
afterEach(async () => {
  await backend.kill();
  await folder.remove();
});

it('kill -9 in a proof: the next start empties the scratch space before it listens, the task is broken, and it can be restarted (case 63)', {
  timeout: 300_000,
}, async () => {
  let queue = await start();
  const source = join(folder.path, 'source');
  await makeBigFolder(source, 128);
  const proof = await firstProof(queue, source, 1000);
  await queue.until(proof.id, (task) => (task.progress_details?.bytes_done ?? 0) > 0);
  await backend.kill();
  expect(await proofFolders()).toHaveLength(1);

  queue = await start();
  expect(await proofFolders()).toEqual([]);
  expect((await queue.task(proof.id)).status).toBe('broken');
  const [copy] = await queue.good<Copy[]>('GET', '/repository');
  expect(copy).toMatchObject({ proven: null, proof_failure: null });
  await queue.good('POST', '/tasks/restart', { data: { tasks_ids: [proof.id] } });
  expect((await queue.ended(proof.id)).status).toBe('done');
  expect((await queue.copy(copy?.id ?? 0)).proven_files).toBe(32 + 500);
  expect(await proofFolders()).toEqual([]);
  expect(await backend.stop()).toBe(0);
});

const isRoot = process.getuid?.() === 0;
if (!isRoot) process.stderr.write('skipped: a server of another user, since only root can start one\n');

it.skipIf(!isRoot)(
  'a server that is not root proves what it may: owners that it cannot set are noted, and folders that shut it out are no obstacle',
  {
    timeout: 300_000,
  },
  async () => {
    const uid = 12_345;
    const source = join(folder.path, 'source');
    await mkdir(join(source, 'own', 'shut'), { recursive: true });
    await writeFile(join(source, 'of root'), 'of root\n');
    await writeFile(join(source, 'own', 'shut', 'letter'), 'letter\n');
    await chmod(join(source, 'own', 'shut', 'letter'), 0o400);
    await chmod(join(source, 'own', 'shut'), 0o500);
    for (const name of ['own', 'own/shut', 'own/shut/letter']) await chown(join(source, name), uid, uid);
    await mkdir(join(folder.path, 'data'));
    await chown(join(folder.path, 'data'), uid, uid);
    await chmod(folder.path, 0o777);
    const queue = await start(uid);
    const proof = await firstProof(queue, source, 10);
    expect(await queue.ended(proof.id)).toMatchObject({ status: 'done', error_message: null });
    const [copy] = await queue.good<Copy[]>('GET', '/repository');
    expect(copy).toMatchObject({ proven_files: 2, proof_failure: null });
    const notes = (await queue.log(proof.id, 'servers')).filter((line) =>
      line.message.includes('its owner is'),
    );
    expect(notes.map((line) => line.message)).toEqual([
      `${join(source, 'of root')}: its owner is ${uid}:${uid} where it was 0:0. It cannot be had in the scratch space.`,
    ]);
    expect(await proofFolders()).toEqual([]);
  },
);
