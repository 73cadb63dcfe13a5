import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestApp } from '../../../support/backend.ts';
import { type BackupLab, openBackupLab } from '../../../support/backup-lab.ts';
import { compareTrees } from '../../../support/compare-trees.ts';
import type { Queue } from '../../../support/queue.ts';

let lab: BackupLab;
let app: TestApp;
let queue: Queue;
let folder: BackupLab['folder'];
let source: string;

beforeAll(async () => {
  lab = await openBackupLab('encryption');
  ({ app, queue, folder, source } = lab);
});
afterAll(() => lab.close());

const keys = () => join(app.dataDir, 'client-keys');

async function keyFile(crypto: string): Promise<string> {
  const name = (await readdir(keys())).find((each) => each.endsWith(`.${crypto}.key`));
  if (name === undefined) throw new Error(`no key of ${crypto}`);
  return join(keys(), name);
}

async function backUp(crypto: string): Promise<number> {
  const task = await queue.ended(await queue.backup(source, { crypto }));
  expect(task).toMatchObject({ status: 'done', crypto });
  return Number(task.repository_id);
}

async function messages(taskId: number): Promise<string> {
  const lines = [...(await queue.log(taskId, 'clients')), ...(await queue.log(taskId, 'servers'))];
  return lines.map((line) => `${line.level}: ${line.message}`).join('\n');
}

describe.each(['aes-256-gcm', 'age'])('with %s', (crypto) => {
  it('the first backup makes the key, readable by its owner alone, and its log says which file to keep', async () => {
    const first = await queue.backup(source, { crypto });
    await queue.ended(first);
    const file = await keyFile(crypto);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(keys())).mode & 0o777).toBe(0o700);
    expect(await messages(first)).toMatch(new RegExp(`^warning: A new key was made .*${file}`, 'm'));
    const second = await queue.backup(source, { crypto });
    await queue.ended(second);
    expect(await messages(second)).not.toContain(file);
  });

  it('a copy is verified, browsed, restored, copied and restored from there', async () => {
    const copyId = await backUp(crypto);
    const copy = await queue.copy(copyId);
    expect(copy).toMatchObject({ crypto, signed: false });
    expect((await queue.ended(await queue.verify(copyId))).status).toBe('done');
    expect((await queue.copy(copyId)).status).toBe('Trusted');
    const files = await queue.good<{ name: string }[]>('GET', `/repository/${copyId}/files`);
    expect(files.map((file) => file.name)).toEqual(['letters', 'note.txt']);
    const out = join(folder.path, `out-${crypto}`);
    expect((await queue.ended(await queue.restore(copyId, out))).status).toBe('done');
    expect(compareTrees(source, join(out, 'source'))).toEqual([]);

    const pool = `second-${crypto}`;
    await queue.addPool(pool, join(folder.path, pool));
    const copied = Number((await queue.ended(await queue.copyTo(copyId, pool))).repository_id);
    const again = join(folder.path, `again-${crypto}`);
    expect((await queue.ended(await queue.restore(copied, again))).status).toBe('done');
    expect(compareTrees(source, join(again, 'source'))).toEqual([]);
  });

  it('a key that is lost is asked for by its file before anything is written; put back, all works', async () => {
    const copyId = await backUp(crypto);
    const file = await keyFile(crypto);
    await rename(file, `${file}.away`);
    const out = join(folder.path, `lost-${crypto}`);
    const restore = await queue.ended(await queue.restore(copyId, out));
    expect(restore.status).toBe('error');
    expect(restore.error_message).toContain(`put back ${file}`);
    await expect(stat(out)).rejects.toThrow(/ENOENT/);
    const browsing = await queue.call('GET', `/repository/${copyId}/files`);
    expect(browsing.status).toBe(400);
    expect(browsing.body.message).toContain(`put back ${file}`);
    const verify = await queue.ended(await queue.verify(copyId));
    expect(verify.status).toBe('done');
    expect(await messages(verify.id)).toContain('could not be checked without the key');
    await rename(`${file}.away`, file);
    expect((await queue.ended(await queue.restore(copyId, out))).status).toBe('done');
  });

  it('another key is told from damage, and is never used', async () => {
    const copyId = await backUp(crypto);
    const file = await keyFile(crypto);
    await rename(file, `${file}.away`);
    await backUp(crypto);
    const out = join(folder.path, `wrong-${crypto}`);
    const restore = await queue.ended(await queue.restore(copyId, out));
    expect(restore.error_message).toContain('encrypted with another key');
    const verify = await queue.ended(await queue.verify(copyId));
    expect(verify.error_message).toContain('encrypted with another key');
    expect((await queue.copy(copyId)).status).toBe('Not Verified');
    await rename(`${file}.away`, file);
  });

  it('a key file that was changed is no key, and a backup with it is not begun', async () => {
    await backUp(crypto);
    const file = await keyFile(crypto);
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.slice(0, -9));
    const before = (await queue.copies()).length;
    const task = await queue.ended(await queue.backup(source, { crypto }));
    expect(task.error_message).toContain('Put back the key');
    expect((await queue.copies()).length).toBe(before);
    await writeFile(file, text);
  });

  it('nothing of the key is in the database, the answers or the logs', async () => {
    await backUp(crypto);
    const secret = (await readFile(await keyFile(crypto), 'utf8')).trim().split('\n').at(-1) ?? '';
    expect(secret.length).toBeGreaterThan(60);
    const seen = JSON.stringify([await queue.copies(), await queue.tasks()]);
    expect(seen).not.toContain(secret);
    for (const name of await readdir(app.dataDir, { withFileTypes: true })) {
      if (!name.isFile()) continue;
      expect((await readFile(join(app.dataDir, name.name))).includes(secret), name.name).toBe(false);
    }
  });
});

it('a storage of encrypted copies keeps neither names nor contents in the clear', async () => {
  await rm(join(source, 'note.txt'));
  await writeFile(join(source, 'SECRET-NAME.txt'), 'SECRET-CONTENT');
  for (const crypto of ['aes-256-gcm', 'age']) {
    const path = String((await queue.copy(await backUp(crypto))).path);
    for (const name of await readdir(path)) {
      const bytes = await readFile(join(path, name));
      expect(bytes.includes('SECRET-') || bytes.includes('letters'), name).toBe(false);
    }
  }
});
