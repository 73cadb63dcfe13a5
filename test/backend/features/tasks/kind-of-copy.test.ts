import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { appendFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../support/backend.ts';
import { compareTrees } from '../../../support/compare-trees.ts';
import { makeSmallFolder, type Queue, queueOf } from '../../../support/queue.ts';
import { makeTempDir } from '../../../support/temp-dir.ts';

let app: TestApp;
let queue: Queue;
let folder: Awaited<ReturnType<typeof makeTempDir>>;
let source: string;

beforeAll(async () => {
  folder = await makeTempDir('kind-of-copy');
  app = await startTestApp({ started: true });
  queue = queueOf((await app.loginAs('superuser')).send);
});
afterAll(async () => {
  await app.close();
  await folder.remove();
});

async function makeSource(name: string): Promise<void> {
  source = join(folder.path, name);
  await makeSmallFolder(source);
  await writeFile(join(source, 'large'), randomBytes(1_000_000));
}

/** As the scheduler makes the task: the API itself takes full copies only. */
async function backUp(kind: 'full' | 'incremental' | 'differential', more: object = {}) {
  const serviceMode = (isOn: boolean) =>
    queue.good('PATCH', '/global_configuration/service_mode', { service_mode: isOn });
  await serviceMode(true);
  const id = await queue.backup(source, more);
  await app.built.features.db.updateTable('tasks').set({ backup_type: kind }).where('id', '=', id).execute();
  await serviceMode(false);
  const task = await queue.ended(id);
  expect(task).toMatchObject({ status: 'done', error_message: null });
  const lines = [...(await queue.log(id, 'servers')), ...(await queue.log(id, 'clients'))];
  return {
    copy: await queue.copy(Number(task.repository_id)),
    lines: lines.map(({ level, message }) => `${level}: ${message}`),
  };
}

async function comesBackAs(copyId: number, state: string, name: string): Promise<void> {
  const out = join(folder.path, name);
  expect(await queue.ended(await queue.restore(copyId, out))).toMatchObject({ status: 'done' });
  expect(compareTrees(state, join(out, source.slice(source.lastIndexOf('/') + 1)))).toEqual([]);
}

async function keepState(name: string): Promise<string> {
  const state = join(folder.path, name);
  execFileSync('cp', ['-a', source, state]);
  return state;
}

it.each(['nocrypt', 'aes-256-gcm'])(
  'each incremental copy builds on the one before, and each comes back whole (%s)',
  async (crypto) => {
    await makeSource(`incremental ${crypto}`);
    const first = await backUp('incremental', { crypto });
    expect(first.copy).toMatchObject({ backup_type: 'full', reference_id: null, chain_id: first.copy.id });
    expect(first.lines).toContain(
      'info: In place of the incremental copy a full one is made: there is no good copy of this resource to build on.',
    );
    await appendFile(join(source, 'note.txt'), 'more');
    const state = await keepState(`incremental ${crypto} state`);
    const second = await backUp('incremental', { crypto });
    await writeFile(join(source, 'new.txt'), 'new');
    const third = await backUp('incremental', { crypto });
    expect([second.copy, third.copy]).toMatchObject([
      { backup_type: 'incremental', reference_id: first.copy.id, chain_id: first.copy.id, crypto },
      { backup_type: 'incremental', reference_id: second.copy.id, chain_id: first.copy.id, crypto },
    ]);
    expect(third.copy.size).toBeGreaterThan(10 * (third.copy.real_size ?? 0));
    await comesBackAs(third.copy.id, source, `incremental ${crypto} out`);
    await comesBackAs(second.copy.id, state, `incremental ${crypto} out of the second`);
    expect((await queue.ended(await queue.verify(third.copy.id))).status).toBe('done');
    expect(await queue.copy(third.copy.id)).toMatchObject({ status: 'Trusted', damage: null });
    const chain = await queue.good('POST', '/repository/deletion_reference_chain', { ids: [first.copy.id] });
    expect(chain).toEqual([{ id: first.copy.id, dependencies: [second.copy.id, third.copy.id] }]);
  },
);

it('a differential copy builds on the last full one', async () => {
  await makeSource('differential');
  const full = await backUp('full');
  await appendFile(join(source, 'note.txt'), 'more');
  await backUp('incremental');
  await writeFile(join(source, 'new.txt'), 'new');
  const { copy } = await backUp('differential');
  expect(copy).toMatchObject({ backup_type: 'differential', reference_id: full.copy.id });
  await comesBackAs(copy.id, source, 'differential out');
});

it('nothing is built on a chain of which a copy is missing or known to be bad, and verification names it', async () => {
  await makeSource('missing');
  const full = await backUp('full');
  await appendFile(join(source, 'note.txt'), 'more');
  const next = await backUp('incremental');
  const place = String(full.copy.path);
  await rename(place, `${place} hidden`);
  const instead = await backUp('incremental');
  expect(instead.copy).toMatchObject({ backup_type: 'full', reference_id: null });
  const uuid = place.slice(place.lastIndexOf('/') + 1);
  expect(instead.lines.find((line) => line.startsWith('warning: In place of'))).toContain(uuid);
  expect((await queue.ended(await queue.verify(next.copy.id))).status).toBe('error');
  const verified = await queue.copy(next.copy.id);
  expect(verified.status).toBe('Broken');
  expect(JSON.stringify(verified.damage)).toContain(uuid);
  await rename(`${place} hidden`, place);
  expect((await backUp('incremental')).copy.reference_id).toBe(instead.copy.id);
});

it('nothing is built on a copy that is being moved', async () => {
  await makeSource('moving');
  const elsewhere = join(folder.path, 'elsewhere');
  await makeSmallFolder(elsewhere);
  await queue.addPool('Elsewhere', elsewhere);
  const full = await backUp('full');
  await queue.good('PATCH', '/global_configuration/service_mode', { service_mode: true });
  const move = await queue.moveTo(full.copy.id, 'Elsewhere');
  await queue.good('POST', `/tasks/${move}/pause`);
  const instead = await backUp('incremental');
  expect(instead.copy).toMatchObject({ backup_type: 'full', reference_id: null });
  await queue.good('POST', `/tasks/${move}/kill`);
  expect((await backUp('incremental')).copy.reference_id).toBe(instead.copy.id);
});

it('a storage of the chain that cannot be reached holds a restore up', async () => {
  await makeSource('away');
  const first = join(folder.path, 'storage one');
  const second = join(folder.path, 'storage two');
  for (const path of [first, second]) await makeSmallFolder(path);
  await queue.addPool('Away', first);
  const full = await backUp('full', { pool: 'Away' });
  await queue.good('POST', '/storage_local_catalogs', { data: { path: second, pool: 'Away' } });
  await queue
    .good('PATCH', '/global_configuration/backup', { data_spred_into_pool: 'round_robin' })
    .catch(() => null);
  await appendFile(join(source, 'note.txt'), 'more');
  const next = await backUp('incremental', { pool: 'Away' });
  expect(next.copy).toMatchObject({ reference_id: full.copy.id, storage: second });
  await comesBackAs(next.copy.id, source, 'away out');
  await rename(first, `${first} hidden`);
  const waiting = await queue.restore(next.copy.id, join(folder.path, 'not yet'));
  await queue.until(waiting, (task) => task.status === 'suspended');
  await rename(`${first} hidden`, first);
  await queue.call('POST', `/tasks/${waiting}/kill`);
  await rm(join(folder.path, 'not yet'), { recursive: true, force: true });
});
