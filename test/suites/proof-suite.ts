import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Copy } from '../../contract/repository/copy.ts';
import type { Statistics } from '../../contract/statistics/statistics.ts';
import type { Task } from '../../contract/tasks/task.ts';
import { type HandClock, handClock, startTestApp, type TestApp } from '../support/backend.ts';
import { makeSmallFolder, type Queue, queueOf } from '../support/queue.ts';
import { makeTempDir } from '../support/temp-dir.ts';

/** Restore proofs as they are planned, kept and listed, on a database of either kind. */
export function proofSuite(
  name: string,
  place: () => Promise<NonNullable<Parameters<typeof startTestApp>[0]>>,
): void {
  describe(`restore proofs with ${name}`, { timeout: 120_000 }, () => {
    let folder: Awaited<ReturnType<typeof makeTempDir>>;
    let scratchDir: string;
    let clock: HandClock;
    let app: TestApp;
    let queue: Queue;

    beforeEach(async () => {
      folder = await makeTempDir('proof-suite');
      scratchDir = join(folder.path, 'scratch');
      await makeSmallFolder(join(folder.path, 'source'));
      clock = handClock(Date.UTC(2030, 0, 1, 0, 59));
      app = await startTestApp({ started: true, clock, scratchDir, ...(await place()) });
      queue = queueOf(async (...call) => (await app.loginAs('superuser')).send(...call));
    });
    afterEach(async () => {
      await app.close();
      await folder.remove();
    });

    /** The proof of the copy that the next hour makes. */
    async function nextProof(copyId: number): Promise<Task> {
      clock.set(Date.UTC(2030, 0, 1, copyId, 0, 1));
      for (;;) {
        const path = `/tasks?task_type=restore_proof&repository_id=${copyId}`;
        const [proof] = await queue.good<Task[]>('GET', path);
        if (proof !== undefined) return queue.ended(proof.id);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }

    it('are made with each copy; what is proven and what is not is kept, sorted and told', async () => {
      const strategy = {
        name: 'Hourly',
        pool: 'Default',
        time_zone: 'UTC',
        full_schedule: '0 * * * *',
        restore_proof_files: 2,
      };
      await queue.good('POST', '/strategies', { data: strategy });
      const rule = {
        client_id: await queue.localClient(),
        strategy_id: 'Hourly',
        resource_type: 'File system',
        resource: join(folder.path, 'source'),
      };
      await queue.good('POST', '/strategy_rules', { data: { strategy_rule: rule } });
      expect((await nextProof(1)).status).toBe('done');
      expect(await queue.copy(1)).toMatchObject({ proven_files: 2, proof_failure: null });

      // The second one waits for its scratch space, and its data are gone meanwhile.
      await rm(scratchDir, { recursive: true });
      await writeFile(scratchDir, '');
      const proof = await nextProof(2);
      await rm(scratchDir);
      await mkdir(scratchDir);
      const path = String((await queue.copy(2)).path);
      for (const file of await readdir(path)) {
        if (file.startsWith('archive.')) await rm(join(path, file));
      }
      await queue.good('POST', '/tasks/restart', { data: { tasks_ids: [proof.id] } });
      expect((await queue.ended(proof.id)).status).toBe('error');
      expect(await queue.copy(2)).toMatchObject({ proven: null, proof_failure: { task_id: proof.id } });
      const { failed_proofs: failed } = await queue.good<Statistics>('GET', '/statistics?days=1');
      expect(failed).toMatchObject([{ repository_id: 2, strategy: 'Hourly', task_id: proof.id }]);
      const group = await queue.good<{ id: number }>('POST', '/client_groups', { name: 'Others' });
      const other = await app.loginAs('administrator', { clientGroupIds: [group.id] });
      expect((await other.send('GET', '/statistics?days=1')).data<Statistics>().failed_proofs).toEqual([]);
      for (const field of ['proven', 'proven_files', 'proven_bytes']) {
        const sorted = await queue.good<Copy[]>('GET', `/repository?sort=${field}&order=asc`);
        expect(sorted.filter((copy) => copy.proven !== null).map((copy) => copy.id)).toEqual([1]);
        expect(sorted).toHaveLength(2);
      }
      expect(await queue.good<Copy[]>('GET', '/repository?proven_files=2')).toMatchObject([{ id: 1 }]);
    });
  });
}
