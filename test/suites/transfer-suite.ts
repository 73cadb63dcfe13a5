import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/backend.ts';
import { compareTrees } from '../support/compare-trees.ts';
import { makeSmallFolder, type Queue, queueOf } from '../support/queue.ts';
import { makeTempDir } from '../support/temp-dir.ts';

/** Copies on their way to another pool, on a database of either kind. */
export function transferSuite(
  name: string,
  place: () => Promise<NonNullable<Parameters<typeof startTestApp>[0]>>,
): void {
  describe(`a copy and another pool with ${name}`, () => {
    let app: TestApp;
    let queue: Queue;
    let folder: Awaited<ReturnType<typeof makeTempDir>>;
    let source: string;

    beforeEach(async () => {
      folder = await makeTempDir('transfer');
      source = join(folder.path, 'source');
      await makeSmallFolder(source);
      app = await startTestApp({ ...(await place()), started: true });
      queue = queueOf((await app.loginAs('superuser')).send);
      for (const pool of ['near', 'far']) await mkdir(join(folder.path, pool));
      await queue.addPool('Near', join(folder.path, 'near'), { compression_type: 'Optimal' });
      await queue.addPool('Far', join(folder.path, 'far'), { retention_period: '2 weeks' });
    });
    afterEach(async () => {
      await app.close();
      await folder.remove();
    });

    const backUp = async () => {
      const task = await queue.ended(await queue.backup(source, { pool: 'Near' }));
      return queue.copy(Number(task.repository_id));
    };
    const folders = (pool: string) => readdir(join(folder.path, pool));
    const expectRestored = async (id: number): Promise<void> => {
      await queue.ended(await queue.restore(id, join(folder.path, 'out')));
      expect(compareTrees(source, join(folder.path, 'out', 'source'))).toEqual([]);
    };

    it('a second copy has the age of the first, is proved, kept as its pool says, and restores alone', async () => {
      const origin = await backUp();
      const task = await queue.ended(await queue.copyTo(origin.id, 'Far'));
      expect(task).toMatchObject({ status: 'done', task_type: 'copy', pool: 'Far', source_pool: 'Near' });
      expect(task).toMatchObject({ progress: 100, client: origin.client, resource: source });
      const made = await queue.copy(Number(task.repository_id));
      const { id, client, size, real_size, created } = origin;
      expect(made).toMatchObject({
        copy_of: id,
        pool: 'Far',
        status: 'Trusted',
        client,
        size,
        real_size,
        created,
      });
      expect(made).toMatchObject({
        reference_id: null,
        chain_id: made.id,
        task_id: task.id,
        resource: source,
      });
      expect(Date.parse(String(made.store_until))).toBeLessThan(Date.parse(String(origin.store_until)));
      await queue.good('DELETE', `/repository/${id}`);
      expect(await folders('near')).toEqual([]);
      await expectRestored(made.id);
    });

    it('a moved copy keeps its id and leaves nothing behind', async () => {
      const copy = await backUp();
      await queue.good('GET', `/repository/${copy.id}/files`);
      const task = await queue.ended(await queue.moveTo(copy.id, 'Far'));
      expect(task).toMatchObject({ status: 'done', task_type: 'move', repository_id: copy.id });
      const { created, store_until, task_id } = copy;
      const moved = await queue.copy(copy.id);
      expect(moved).toMatchObject({
        pool: 'Far',
        copy_of: null,
        status: 'Trusted',
        created,
        store_until,
        task_id,
      });
      await expect.poll(() => folders('near')).toEqual([]);
      expect(await folders('far')).toHaveLength(1);
      expect(await queue.good('GET', `/repository/${copy.id}/files`)).toHaveLength(2);
      await expectRestored(copy.id);
    });

    it('a name that many ask for at the same moment is given once, the others hear which field is to blame', async () => {
      const [server] = await queue.good<{ name: string }[]>('GET', '/media_servers');
      const drafts = [
        ['/client_groups', { name: 'Same' }, 'name'],
        ['/pools', { pool_name: 'Same', pool_type: 'File system', media_server: server?.name }, 'pool_name'],
        ['/storage_local_catalogs', { path: join(folder.path, 'same'), pool: 'Near' }, 'path'],
        ['/users', { user_name: 'same', password: 'a long enough one', roles: ['auditor'] }, 'user_name'],
        ['/strategies', { name: 'Same', pool: 'Near', storage_duration: '1 year' }, 'name'],
        ['/dynamic_pool_groups', { name: 'Same' }, 'name'],
      ] as const;
      for (const [path, body, field] of drafts) {
        const replies = await Promise.all(Array.from({ length: 6 }, () => queue.call('POST', path, body)));
        const statuses = replies.map((reply) => reply.status).toSorted();
        expect({ path, statuses }).toEqual({ path, statuses: [201, 400, 400, 400, 400, 400] });
        const fields = new Set(replies.flatMap((reply) => Object.keys(reply.body.errors)));
        expect({ path, fields: [...fields] }).toEqual({ path, fields: [field] });
      }
    });
  });
}
