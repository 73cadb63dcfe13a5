import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestApp } from '../../../support/backend.ts';
import { type BackupLab, openBackupLab } from '../../../support/backup-lab.ts';
import { compareTrees } from '../../../support/compare-trees.ts';
import { makeSmallFolder, type Queue } from '../../../support/queue.ts';

let lab: BackupLab;
let app: TestApp;
let queue: Queue;
let folder: BackupLab['folder'];
let source: string;

beforeAll(async () => {
  lab = await openBackupLab('life');
  ({ app, queue, folder, source } = lab);
});
afterAll(() => lab.close());

const storage = () => join(app.dataDir, 'pools', 'default');

describe('one backup from its task to the restored file', () => {
  it('a backup ends done and its copy is listed with true figures', async () => {
    const task = await queue.ended(await queue.backup(source));
    expect(task).toMatchObject({ status: 'done', progress: 100, speed: 0, skipped_items: 0, attempt: 1 });
    expect(task.started).not.toBeNull();
    expect(task.finished).not.toBeNull();
    const copy = await queue.copy(Number(task.repository_id));
    expect(copy).toMatchObject({
      status: 'Not Verified',
      resource: source,
      backup_type: 'full',
      reference_id: null,
      chain_id: copy.id,
      task_id: task.id,
      files_count: 3,
      skipped_items: 0,
      file_list_available: true,
      pool: 'Default',
      storage: storage(),
    });
    expect(copy.size).toBe('a note\n'.length + 'dear reader\n'.length + 'dear reader, again\n'.length);
    expect(existsSync(String(copy.path))).toBe(true);
  });

  it('a verification reads the copy again and makes it Trusted', async () => {
    const copyId = Number((await queue.ended(await queue.backup(source))).repository_id);
    const task = await queue.ended(await queue.verify(copyId));
    expect(task).toMatchObject({ status: 'done', task_type: 'verify', repository_id: copyId });
    expect((await queue.copy(copyId)).status).toBe('Trusted');
  });

  it('a verification of a damaged copy ends in error, and the copy says what is damaged', async () => {
    const copyId = Number((await queue.ended(await queue.backup(source))).repository_id);
    const path = String((await queue.copy(copyId)).path);
    const archive = join(path, (await readdir(path)).find((name) => name.startsWith('archive')) ?? '');
    const bytes = await readFile(archive);
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 0xff;
    await writeFile(archive, bytes);
    const task = await queue.ended(await queue.verify(copyId));
    expect(task.status).toBe('error');
    const copy = await queue.copy(copyId);
    expect(copy.status).toBe('Suspicious');
    expect(copy.damage?.length).toBeGreaterThan(0);
    expect(task.error_message).toContain('suspicious');
  });

  it('a copy whose data are gone is Broken after its verification', async () => {
    const copyId = Number((await queue.ended(await queue.backup(source))).repository_id);
    await rm(String((await queue.copy(copyId)).path), { recursive: true });
    expect((await queue.ended(await queue.verify(copyId))).status).toBe('error');
    expect((await queue.copy(copyId)).status).toBe('Broken');
  });

  it('the whole comes back the same', async () => {
    const copyId = Number((await queue.ended(await queue.backup(source))).repository_id);
    const destination = join(folder.path, 'whole');
    const task = await queue.ended(await queue.restore(copyId, destination));
    expect(task).toMatchObject({
      status: 'done',
      task_type: 'restore',
      skipped_items: 0,
      repository_id: copyId,
    });
    expect(compareTrees(source, join(destination, 'source'))).toEqual([]);
  });

  it('single files come back by the paths that browsing gives', async () => {
    const copyId = Number((await queue.ended(await queue.backup(source))).repository_id);
    const inside = `folder=${encodeURIComponent(join(source, 'letters'))}`;
    const files = await queue.good<{ name: string; path: string }[]>(
      'GET',
      `/repository/${copyId}/files?${inside}`,
    );
    expect(files.map((file) => file.name)).toEqual(['first.txt', 'second.txt']);
    const destination = join(folder.path, 'granular');
    const wanted = files.filter((file) => file.name === 'second.txt').map((file) => file.path);
    const task = await queue.ended(
      await queue.restore(copyId, destination, { granular_restore_files: wanted }),
    );
    expect(task.status).toBe('done');
    const found = (await readdir(destination, { recursive: true, withFileTypes: true })).filter((item) =>
      item.isFile(),
    );
    expect(found.map((item) => item.name)).toEqual(['second.txt']);
  });

  it('both logs tell what happened, oldest first, with the host that wrote it', async () => {
    const id = await queue.backup(source);
    await queue.ended(id);
    const client = await queue.log(id, 'clients');
    const server = await queue.log(id, 'servers');
    expect(client.map((line) => line.message).join('\n')).toContain('Read: 3 files, 2 folders');
    expect(server.map((line) => line.message).join('\n')).toContain('The copy is stored in');
    expect(server.map((line) => line.id)).toEqual(server.map((line) => line.id).toSorted((a, b) => a - b));
    for (const line of [...client, ...server]) {
      expect(line).toMatchObject({ level: 'info', source: (await queue.localClient()).split(' (')[0] });
    }
  });

  it('a deleted copy is gone from the list and from the disk, and its task is obsoleted', async () => {
    const task = await queue.ended(await queue.backup(source));
    const path = String((await queue.copy(Number(task.repository_id))).path);
    expect((await queue.call('DELETE', `/repository/${task.repository_id}`)).status).toBe(200);
    expect((await queue.call('GET', `/repository/${task.repository_id}`)).status).toBe(404);
    expect(existsSync(path)).toBe(false);
    expect(await queue.task(task.id)).toMatchObject({ status: 'obsoleted', repository_id: null });
  });
});

describe('backups that do not go well', () => {
  it('a resource that is not there ends in error with the reason, and leaves nothing (case 101)', async () => {
    const before = (await queue.copies()).length;
    const foldersBefore = await readdir(storage());
    const task = await queue.ended(await queue.backup(join(folder.path, 'not there')));
    expect(task.status).toBe('error');
    expect(task.error_message).toContain(join(folder.path, 'not there'));
    expect(task.repository_id).toBeNull();
    const lines = await queue.log(task.id, 'servers');
    expect(lines.at(-1)).toMatchObject({ level: 'error', message: task.error_message });
    expect(await queue.copies()).toHaveLength(before);
    expect(await readdir(storage())).toEqual(foldersBefore);
  });

  it('items that cannot be saved are listed, and list, task, copy and log say the same number (case 77)', async () => {
    const odd = join(folder.path, 'odd');
    await makeSmallFolder(odd);
    await mkdir(join(odd, 'pipes'));
    const { createServer } = await import('node:net');
    const socket = createServer();
    await new Promise<void>((resolve) => socket.listen(join(odd, 'pipes', 'socket'), resolve));
    await symlink('note.txt', join(odd, 'link'));
    const task = await queue.ended(await queue.backup(odd));
    socket.close();
    expect(task).toMatchObject({ status: 'done', skipped_items: 1 });
    expect((await queue.copy(Number(task.repository_id))).skipped_items).toBe(1);
    const [listed] = (await queue.tasks()).filter((row) => row.id === task.id);
    expect(listed?.skipped_items).toBe(1);
    const lines = (await queue.log(task.id, 'clients')).filter((line) =>
      line.message.includes('pipes/socket'),
    );
    expect(lines).toHaveLength(1);
  });

  it('a storage folder that is gone makes no copy: the task waits for it (case 101)', async () => {
    const place = join(folder.path, 'far');
    await mkdir(place);
    await queue.addPool('Far', place);
    await rm(place, { recursive: true });
    const id = await queue.backup(source, { pool: 'Far' });
    const task = await queue.until(id, (now) => now.status === 'suspended');
    expect(task).toMatchObject({ suspend_reason: 'resource', repository_id: null });
    expect(task.error_message).toContain('Far');
    expect((await queue.copies()).filter((copy) => copy.pool === 'Far')).toEqual([]);
    await mkdir(place);
    expect((await queue.call('POST', `/tasks/${id}/continue`, { task_id: id })).status).toBe(204);
    expect((await queue.ended(id)).status).toBe('done');
  });
});
