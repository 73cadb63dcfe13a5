import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { optionsFromArguments, optionsFromMessage } from '../../../backend/options.ts';
import { startTestApp } from '../../support/backend.ts';
import { makeBigFolder, queueOf } from '../../support/queue.ts';
import { makeTempDir } from '../../support/temp-dir.ts';

const told = (...more: readonly string[]) => optionsFromArguments(['--data-dir', '/x', ...more]).tasksAtOnce;

describe('--tasks-at-once', () => {
  it('is a number from 1 to 64, in a message too; without it there is the usual number', () => {
    expect([told(), told('--tasks-at-once', '1'), told('--tasks-at-once', '64')]).toEqual([null, 1, 64]);
    expect(optionsFromMessage({ dataDir: '/x', tasksAtOnce: 3 }).tasksAtOnce).toBe(3);
  });

  it.each(['0', '65', '-1', '2.5', 'many', '1e1'])('is refused as %s', (text) => {
    expect(() => told(`--tasks-at-once=${text}`)).toThrow(
      `--tasks-at-once ${text} must be a whole number from 1 to 64`,
    );
  });
});

describe('the queue', { timeout: 120_000 }, () => {
  const closers: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });

  it.each([1, 3])('runs as many tasks at the same time as it was told: %i', async (tasksAtOnce) => {
    const folder = await makeTempDir('at-once');
    closers.push(folder.remove);
    const app = await startTestApp({ started: true, tasksAtOnce });
    closers.push(app.close);
    const queue = queueOf((await app.loginAs('superuser')).send);
    const source = join(folder.path, 'source');
    await makeBigFolder(source, 8);
    // None of them ends while the test looks.
    await queue.slowDown('backup', 0.25);
    const ids: number[] = [];
    for (let count = 0; count <= tasksAtOnce; count += 1) ids.push(await queue.backup(source));
    const last = ids.at(-1) ?? 0;
    for (const id of ids.slice(0, -1)) await queue.until(id, ({ status }) => status === 'transmission');
    expect((await queue.task(last)).status).toBe('new');
    await queue.good('POST', `/tasks/${ids[0]}/kill`);
    await queue.until(last, ({ status }) => status !== 'new');
    for (const id of ids.slice(1)) await queue.good('POST', `/tasks/${id}/kill`);
  });
});
