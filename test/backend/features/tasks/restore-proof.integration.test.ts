import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Copy } from '../../../../contract/repository/copy.ts';
import type { Statistics } from '../../../../contract/statistics/statistics.ts';
import type { Strategy } from '../../../../contract/strategies/strategy.ts';
import type { Task } from '../../../../contract/tasks/task.ts';
import { type HandClock, handClock, startTestApp, type TestApp } from '../../../support/backend.ts';
import { makeSparseFile } from '../../../support/loop-device.ts';
import { makeBigFolder, makeSmallFolder, type Queue, queueOf } from '../../../support/queue.ts';
import { onTaskThread } from '../../../support/task-threads.ts';
import { makeTempDir } from '../../../support/temp-dir.ts';

const hourMs = 3_600_000;

let folder: Awaited<ReturnType<typeof makeTempDir>>;
let source: string;
let scratch: string;
let clock: HandClock;
let app: TestApp;
let queue: Queue;

beforeEach(async () => {
  folder = await makeTempDir('restore-proof');
  source = join(folder.path, 'source');
  scratch = join(folder.path, 'scratch');
  await makeSmallFolder(source);
  clock = handClock(Date.UTC(2030, 0, 1, 0, 59));
  app = await startTestApp({ clock, started: true, scratchDir: scratch });
  // Signed in anew for each call: its session ends while hours go by.
  queue = queueOf(async (method, path, body) => (await app.loginAs('superuser')).send(method, path, body));
});
afterEach(async () => {
  await app.close();
  await folder.remove();
});

async function addRule(more: object = {}, ofRule: object = {}): Promise<void> {
  const strategy = {
    name: 'Hourly',
    pool: 'Default',
    time_zone: 'UTC',
    full_schedule: '0 * * * *',
    restore_proof_files: 10,
    ...more,
  };
  await queue.good('POST', '/strategies', { data: strategy });
  const rule = {
    client_id: await queue.localClient(),
    strategy_id: 'Hourly',
    resource_type: 'File system',
    resource: source,
  };
  await queue.good('POST', '/strategy_rules', { data: { strategy_rule: rule, ...ofRule } });
}

/** The next hour, the copy that it makes, and the proof of that. */
async function nextCopy(): Promise<{ readonly copy: Copy; readonly proof: Task }> {
  const { copyId, proofId } = await nextProof();
  const proof = await queue.ended(proofId);
  return { copy: await queue.copy(copyId), proof };
}

async function nextProof(): Promise<{ readonly copyId: number; readonly proofId: number }> {
  const before = await newestCopy();
  clock.set(Math.floor(clock.now() / hourMs + 1) * hourMs + 1000);
  for (;;) {
    const copyId = await newestCopy();
    const [proof] = await queue.good<Task[]>(
      'GET',
      `/tasks?task_type=restore_proof&repository_id=${copyId}&limit=1`,
    );
    if (copyId > before && proof !== undefined) return { copyId, proofId: proof.id };
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** 0: there is none. */
const newestCopy = async (): Promise<number> =>
  (await queue.good<Copy[]>('GET', '/repository?sort=id&order=desc&limit=1'))[0]?.id ?? 0;

const statistics = () => queue.good<Statistics>('GET', '/statistics?days=1');
const log = async (id: number) =>
  (await queue.log(id, 'servers')).map((line) => `${line.level}: ${line.message}`);
/** What lies in the scratch space of this server. */
async function left(): Promise<readonly string[]> {
  const [own] = fs.existsSync(scratch) ? await readdir(scratch) : [];
  return own === undefined ? [] : readdir(join(scratch, own));
}

/** The proof of the next copy ends before it begins, since its scratch space cannot be used. */
async function withoutScratch(work: typeof nextProof): ReturnType<typeof nextProof> {
  await mkdir(scratch, { recursive: true });
  await rename(scratch, `${scratch}.away`);
  await writeFile(scratch, '');
  const made = await work();
  await queue.ended(made.proofId);
  await rm(scratch);
  await rename(`${scratch}.away`, scratch);
  return made;
}

const restart = (id: number) => queue.good('POST', '/tasks/restart', { data: { tasks_ids: [id] } });

/** Changes the data of a copy on the storage; answers how to put them right again. */
async function damage(path: string): Promise<() => Promise<void>> {
  const name = (await readdir(path)).find((each) => each.startsWith('archive.'));
  if (name === undefined) throw new Error(`no archive in ${path}`);
  const file = join(path, name);
  const good = await readFile(file);
  const bad = Buffer.from(good);
  for (let at = 20; at < bad.length - 20; at += 40) bad.writeUInt8((bad[at] ?? 0) ^ 1, at);
  await writeFile(file, bad);
  return () => writeFile(file, good);
}

/** How often a change of the copy was told, once the journal has as many as are awaited. */
async function changesTold(copyId: number, awaited: number): Promise<number> {
  for (;;) {
    const rows = await app.database.db
      .selectFrom('events')
      .select('id')
      .where('kind', '=', 'repository')
      .where('action', '=', 'changed')
      .where('object_id', '=', copyId)
      .execute();
    if (rows.length >= awaited) return rows.length;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe('after each new copy of a strategy that asks for it', { timeout: 120_000 }, () => {
  it('a sample of its files is restored and compared, the copy says when, and the scratch space is empty again', async () => {
    await addRule();
    const { copy, proof } = await nextCopy();
    expect(proof).toMatchObject({ status: 'done', created_by: null, resource: source, error_message: null });
    expect(copy).toMatchObject({
      proven: expect.stringMatching(/^2030-01-01T/),
      proven_files: 3,
      proven_bytes: 7 + 12 + 19,
      proof_failure: null,
    });
    const lines = (await log(proof.id)).join('\n');
    expect(lines).toMatch(/info: 3 of 3 files were chosen \(seed [0-9a-f]{8}\)\./);
    expect(lines).toMatch(/info: 3 files \(38 bytes\) were restored and are the same/);
    expect(await left()).toEqual([]);
    expect((await statistics()).failed_proofs).toEqual([]);
    const [first] = await queue.good<Copy[]>('GET', '/repository?sort=proven&order=desc&limit=1');
    expect(first?.id).toBe(copy.id);
  });

  it('a copy that does not come back is told with path and reason, raises an event, and stays so until a proof succeeds', async () => {
    await addRule();
    const first = await nextCopy();
    const { copyId, proofId } = await withoutScratch(nextProof);
    const held = await queue.task(proofId);
    expect(held).toMatchObject({ status: 'error' });
    expect(held.error_message).toMatch(/^The scratch space .* cannot be used: .*--scratch-dir/);
    expect(await queue.copy(copyId)).toMatchObject({ proven: null, proof_failure: null });
    const { path } = await queue.copy(copyId);
    const whole = await damage(String(path));
    await restart(proofId);
    const proof = await queue.ended(proofId);
    expect(proof.status).toBe('error');
    expect(proof.error_message).toMatch(
      /^The copy is not proven restorable: .*: its data in the copy are damaged/,
    );
    const copy = await queue.copy(copyId);
    expect(copy).toMatchObject({ proven: null, proof_failure: { task_id: proofId } });
    expect(copy.proof_failure?.path.startsWith(source)).toBe(true);
    expect(copy.proof_failure?.reason).toContain('damaged');
    const failure = { repository_id: copyId, strategy: 'Hourly', resource: source, task_id: proofId };
    expect((await statistics()).failed_proofs).toMatchObject([failure]);
    expect(first.copy.proven).not.toBeNull();
    expect(await changesTold(copyId, 1)).toBe(1);
    expect(await left()).toEqual([]);
    await whole();
    await restart(proofId);
    expect((await queue.ended(proofId)).status).toBe('done');
    expect(await queue.copy(copyId)).toMatchObject({ proven_files: 3, proof_failure: null });
    expect((await statistics()).failed_proofs).toEqual([]);
    expect(await changesTold(copyId, 2)).toBe(2);
  });

  it('its threads keep the limit of memory of the rule that made the copy', async () => {
    const parameters = { memory_threshold: 1, deny_memory_exceed: true };
    await addRule({}, { common_modules_extensions: { parameters } });
    const { proofId } = await withoutScratch(nextProof);
    const heaps: number[] = [];
    const endNoting = onTaskThread(({ resourceLimits }) =>
      heaps.push(Number(resourceLimits?.maxOldGenerationSizeMb)),
    );
    await restart(proofId);
    expect((await queue.ended(proofId)).status).toBe('done');
    endNoting();
    expect(heaps).toEqual([1008, 1008, 1008]);
  });

  it('an incremental copy is proved through what it builds on', async () => {
    await addRule({ full_schedule: '0 1 * * *', incremental_schedule: '0 * * * *' });
    await nextCopy();
    await writeFile(join(source, 'note.txt'), 'another note\n');
    const { copy, proof } = await nextCopy();
    expect(copy.backup_type).toBe('incremental');
    expect(proof).toMatchObject({ status: 'done', backup_type: 'incremental' });
    expect(copy).toMatchObject({ proven_files: 3, proof_failure: null });
  });

  it('an encrypted copy is proved with the key of its client; without the key it is not restorable, and that is said', async () => {
    await addRule({ crypto: 'aes-256-gcm' });
    const { copy, proof } = await nextCopy();
    expect(proof.status).toBe('done');
    expect(copy).toMatchObject({ crypto: 'aes-256-gcm', proven_files: 3 });
    const keys = join(app.dataDir, 'client-keys');
    const [name] = await readdir(keys);
    const file = join(keys, String(name));
    const { copyId, proofId } = await withoutScratch(nextProof);
    await rename(file, `${file}.away`);
    await restart(proofId);
    expect((await queue.ended(proofId)).status).toBe('error');
    expect((await queue.copy(copyId)).proof_failure?.reason).toContain('put back');
    // The key is back: the restarted task proves it, and the failure is over.
    await rename(`${file}.away`, file);
    await restart(proofId);
    expect((await queue.ended(proofId)).status).toBe('done');
    expect(await queue.copy(copyId)).toMatchObject({ proven_files: 3, proof_failure: null });
  });

  it('a copy on block devices is proved', async () => {
    const metadata = join(folder.path, 'metadata');
    await mkdir(metadata);
    await queue.addPool('Metadata', metadata);
    await queue.good('POST', '/pools', {
      data: {
        pool_name: 'Blocks',
        pool_type: 'Block device',
        media_server: hostname(),
        meta_data_pool: 'Metadata',
        block_size: 65536,
        algorithm: 'blake3',
        hash_length: 256,
      },
    });
    const device = join(folder.path, 'device.img');
    await makeSparseFile(device, 64 * 1024 * 1024);
    await queue.good('POST', '/storage_block_devices', {
      data: { device, pool: 'Blocks', overwrite_file_system: false },
    });
    await addRule({ pool: 'Blocks' });
    const { copy, proof } = await nextCopy();
    expect(proof.status).toBe('done');
    expect(copy).toMatchObject({ pool: 'Blocks', proven_files: 3, proof_failure: null });
  });

  it('a kill ends it, leaves nothing in the scratch space and says nothing of the copy', async () => {
    await makeBigFolder(source, 64);
    await addRule({ restore_proof_files: 1000 });
    const { copyId, proofId } = await nextProof();
    await queue.until(proofId, (task) => (task.progress_details?.bytes_done ?? 0) > 0);
    await queue.good('POST', `/tasks/${proofId}/kill`);
    expect((await queue.ended(proofId)).status).toBe('killed');
    while ((await left()).length > 0) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(await queue.copy(copyId)).toMatchObject({ proven: null, proof_failure: null });
  });

  it('the sample has bounds: so many files, and none when no file fits', async () => {
    await makeBigFolder(source, 8);
    await addRule({ restore_proof_files: 5, restore_proof_size: 1 });
    const { copy, proof } = await nextCopy();
    expect(proof.status).toBe('done');
    expect(copy.proven_files).toBe(5);
    expect(copy.proven_bytes).toBeLessThanOrEqual(1_048_576);
    fs.rmSync(source, { recursive: true });
    await mkdir(source);
    await writeFile(join(source, 'large'), Buffer.alloc(2_000_000, 'x'));
    const next = await nextCopy();
    expect(next.proof).toMatchObject({ status: 'error' });
    expect(next.proof.error_message).toContain('raise restore_proof_size');
    expect(next.copy).toMatchObject({ proven: null, proof_failure: null });
  });

  it('urgent backups, and strategies that do not ask for it, make no such task', async () => {
    await addRule({ restore_proof_files: null });
    clock.set(Date.UTC(2030, 0, 1, 1, 0, 1));
    while ((await queue.copies()).length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    await queue.ended(await queue.backup(source));
    expect((await queue.tasks()).map((task) => task.task_type).sort()).toEqual([
      'backup_strategy',
      'backup_urgent',
    ]);
  });
});

describe('the option of a strategy', () => {
  it('is kept, changed, and refused with the field and the remedy', async () => {
    await addRule({ restore_proof_size: 7 });
    const strategies = await queue.good<Strategy[]>('GET', '/strategies');
    const own = strategies.find(({ name }) => name === 'Hourly');
    expect(own).toMatchObject({ restore_proof_files: 10, restore_proof_size: 7 });
    expect(strategies.find(({ name }) => name === 'Default')).toMatchObject({
      restore_proof_files: null,
      restore_proof_size: 1024,
    });
    const changed = await queue.good<Strategy>('PATCH', `/strategies/${own?.id}`, {
      data: { restore_proof_files: null, restore_proof_size: null },
    });
    expect(changed).toMatchObject({ restore_proof_files: null, restore_proof_size: 1024 });
    for (const [field, value] of [
      ['restore_proof_files', 0],
      ['restore_proof_files', 1001],
      ['restore_proof_files', 1.5],
      ['restore_proof_size', 0],
      ['restore_proof_size', 'much'],
    ] as const) {
      const answer = await queue.call('PATCH', `/strategies/${own?.id}`, { data: { [field]: value } });
      expect(answer.status, `${field} ${value}`).toBe(400);
      expect(answer.body.errors[field]).toMatch(/^must be a whole number/);
    }
  });
});

const isMountable = process.platform === 'linux' && process.getuid?.() === 0;
if (!isMountable) process.stderr.write('skipped: a full scratch disk, since only root can mount one\n');

describe.skipIf(!isMountable)('on a scratch disk', { timeout: 120_000 }, () => {
  const mount = (options: string) => {
    fs.mkdirSync(scratch, { recursive: true });
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', scratch]);
  };
  afterEach(() => execFileSync('umount', ['-l', scratch]));

  it.each([
    ['with too little room', 'size=4m', /scratch space has \d+ bytes free/],
    ['that fills up in the middle', 'size=512m,nr_inodes=8', /full/],
  ])('%s the task says so, and the copy is not called failed', async (_, options, words) => {
    mount(options);
    await makeBigFolder(source, 8);
    await addRule({ restore_proof_files: 1000 });
    const { copy, proof } = await nextCopy();
    expect(proof.status).toBe('error');
    expect(proof.error_message).toMatch(words);
    expect(proof.error_message).toContain('--scratch-dir');
    expect(copy).toMatchObject({ proven: null, proof_failure: null, status: 'Not Verified' });
    expect((await statistics()).failed_proofs).toEqual([]);
    expect(await left()).toEqual([]);
  });

  it('that keeps whole seconds only, the times are noted, and the copy counts as proven', async () => {
    fs.mkdirSync(scratch);
    const image = join(folder.path, 'image');
    await makeSparseFile(image, 256 * 1024 * 1024);
    // Small inodes have no room for parts of seconds.
    execFileSync('mkfs.ext4', ['-q', '-I', '128', image], { stdio: 'ignore' });
    execFileSync('mount', ['-o', 'loop', image, scratch]);
    await addRule();
    const { copy, proof } = await nextCopy();
    expect(proof.status).toBe('done');
    expect(copy).toMatchObject({ proven_files: 3, proof_failure: null });
    expect((await log(proof.id)).filter((line) => line.includes('modification time is'))).toHaveLength(3);
  });
});
