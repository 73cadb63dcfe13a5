import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createLeftOvers, type LeftOvers } from '../../../../backend/features/tasks/left-overs.ts';
import { createPlacementStore } from '../../../../backend/features/tasks/placement-store.ts';
import { systemClock } from '../../../../backend/platform/clock.ts';
import { silentLog } from '../../../../backend/platform/log.ts';
import { startTestApp, type TestApp } from '../../../support/backend.ts';
import { makeSmallFolder, type Queue, queueOf } from '../../../support/queue.ts';
import { makeTempDir } from '../../../support/temp-dir.ts';

/** What a server leaves that ends between the last byte of a copy and its row. */
const lost = '11111111-2222-4333-8444-555555555555';
let app: TestApp;
let queue: Queue;
let folder: Awaited<ReturnType<typeof makeTempDir>>;
let place: string;
let running: number[];
let leftOvers: LeftOvers;

beforeEach(async () => {
  folder = await makeTempDir('left');
  await makeSmallFolder(join(folder.path, 'source'));
  app = await startTestApp({ started: true });
  queue = queueOf((await app.loginAs('superuser')).send);
  place = join(app.dataDir, 'pools', 'default');
  running = [];
  const { db } = app.database;
  const places = createPlacementStore(db);
  leftOvers = createLeftOvers({ db, clock: systemClock, log: silentLog, places, running: () => running });
});
afterEach(async () => {
  await app.close();
  await folder.remove();
});

/** A task that has named its folder, and the folder as a whole copy that has no row. */
async function cutOff(status: string): Promise<{ id: number; known: string }> {
  const done = await queue.ended(await queue.backup(join(folder.path, 'source')));
  const known = String((await queue.copy(Number(done.repository_id))).path);
  await cp(known, join(place, lost), { recursive: true });
  const id = await queue.backup(join(folder.path, 'not there'));
  await queue.ended(id);
  // Nothing begins by itself from here on.
  await queue.good('PATCH', '/global_configuration/service_mode', { service_mode: true });
  const [storage] = await queue.good<{ id: number }[]>('GET', '/storage_local_catalogs');
  const input = JSON.stringify({ folders: [{ copyUuid: lost, storageId: storage?.id }] });
  await app.database.db.updateTable('tasks').set({ status, input }).where('id', '=', id).execute();
  return { id, known };
}
const inputOf = async (id: number) =>
  (await app.database.db.selectFrom('tasks').select('input').where('id', '=', id).executeTakeFirstOrThrow())
    .input;

it.each(['broken', 'killed', 'error', 'suspended', 'new'])(
  'a whole copy that has no row goes, whatever became of its task: %s (case 85)',
  async (status) => {
    const { id, known } = await cutOff(status);
    await leftOvers.ofTasks();
    expect(existsSync(join(place, lost))).toBe(false);
    expect(existsSync(known)).toBe(true);
    expect(await inputOf(id)).toBeNull();
  },
);

it('a copy that has a row is never touched, even when the task of another names it', async () => {
  const { id, known } = await cutOff('broken');
  const uuid = known.split('/').at(-1) ?? '';
  const [storage] = await queue.good<{ id: number }[]>('GET', '/storage_local_catalogs');
  const input = JSON.stringify({ folders: [{ copyUuid: uuid, storageId: storage?.id }] });
  await app.database.db.updateTable('tasks').set({ input }).where('id', '=', id).execute();
  await leftOvers.ofTasks();
  expect(existsSync(known)).toBe(true);
});

it('what a running task writes is left alone', async () => {
  const { id } = await cutOff('suspended');
  running.push(id);
  await leftOvers.ofTasks();
  expect(existsSync(join(place, lost))).toBe(true);
});

it('on a storage that is away it is looked for again later', async () => {
  const { id } = await cutOff('broken');
  await rename(place, `${place}-away`);
  await leftOvers.ofTasks();
  expect(await inputOf(id)).not.toBeNull();
  await rename(`${place}-away`, place);
  await leftOvers.ofTasks();
  expect(existsSync(join(place, lost))).toBe(false);
});

it('half-made folders go from every storage, and nothing else does', async () => {
  const { known } = await cutOff('error');
  await mkdir(join(place, `${lost}.partial`));
  await mkdir(join(place, 'somebody else.partial'));
  await writeFile(join(place, 'notes.txt'), 'not ours');
  await leftOvers.onStorages();
  const uuid = known.split('/').at(-1) ?? '';
  expect((await readdir(place)).toSorted()).toEqual(
    [lost, 'notes.txt', 'somebody else.partial', uuid].toSorted(),
  );
});

it('what has arrived of a copy stays while its task can go on with it, and goes with the copy it is made from (case 85)', async () => {
  const { id, known } = await cutOff('broken');
  const { db } = app.database;
  const uuid = known.split('/').at(-1) ?? '';
  const copy = await db
    .selectFrom('copies')
    .select(['id', 'storage_id'])
    .where('uuid', '=', uuid)
    .executeTakeFirstOrThrow();
  const target = { copyUuid: lost, storageId: copy.storage_id };
  const input = JSON.stringify({ folders: [target], arriving: { ...target, from: uuid } });
  const task = { task_type: 'copy', copy_id: copy.id, finished_ms: Date.now(), input };
  await db.updateTable('tasks').set(task).where('id', '=', id).execute();
  const half = join(place, `${lost}.partial`);
  await rename(join(place, lost), half);
  await leftOvers.ofTasks();
  await leftOvers.onStorages();
  expect(existsSync(half)).toBe(true);
  expect(await inputOf(id)).toBe(input);
  await db.updateTable('tasks').set({ copy_id: null }).where('id', '=', id).execute();
  await leftOvers.ofTasks();
  expect(existsSync(half)).toBe(false);
  expect(await inputOf(id)).toBeNull();
});
