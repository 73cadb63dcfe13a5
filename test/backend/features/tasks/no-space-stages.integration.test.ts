import { randomBytes } from 'node:crypto';
import { lstat, mkdir, open, readdir, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type BackupLab, openBackupLab } from '../../../support/backup-lab.ts';
import { makeSmallDisk, type SmallDisk, whyNoSmallDisk } from '../../../support/small-disk.ts';
import { makeTempDir } from '../../../support/temp-dir.ts';

const reason = whyNoSmallDisk('ext4');
if (reason !== null)
  process.stderr.write(`skipped: a storage that fills up at every stage, since ${reason}\n`);

const kib = 1024;
const block = 4 * kib;

describe.skipIf(reason !== null)('a storage that fills up', { timeout: 180_000 }, () => {
  let lab: BackupLab;
  let folder: Awaited<ReturnType<typeof makeTempDir>>;
  let disk: SmallDisk;
  let place: string;
  let source: string;
  /** Of a copy of the source. */
  const sizes = { archive: 0, list: 0 };

  beforeAll(async () => {
    lab = await openBackupLab('stages');
    folder = await makeTempDir('stages-disk');
    disk = await makeSmallDisk(folder.path, { kind: 'ext4', megabytes: 24 });
    place = join(disk.path, 'copies');
    await mkdir(place);
    await lab.queue.addPool('Small', place);
    source = join(lab.folder.path, 'much to list');
    await mkdir(source);
    // Names and contents that do not compress: the list has a fair part of the whole.
    for (let file = 0; file < 2_000; file += 1) {
      await writeFile(join(source, randomBytes(100).toString('hex')), randomBytes(700));
    }
    const task = await lab.queue.ended(await lab.queue.backup(source, { pool: 'Small' }));
    const { path: copyPath } = await lab.queue.copy(Number(task.repository_id));
    for (const name of await readdir(String(copyPath))) {
      const { size } = await lstat(join(String(copyPath), name));
      sizes[name.startsWith('manifest') ? 'list' : 'archive'] += size;
    }
    expect(sizes.list).toBeGreaterThan(200 * kib);
    expect(sizes.archive).toBeGreaterThan(1024 * kib);
    await remove(Number(task.repository_id));
  });
  afterAll(async () => {
    await lab.close();
    disk.remove();
    await folder.remove();
  });
  beforeEach(() => rm(filler(), { force: true }));

  const remove = async (id: number): Promise<void> => {
    expect((await lab.queue.call('DELETE', `/repository/${id}`)).status).toBe(200);
  };
  const filler = () => join(disk.path, 'filler');
  const free = async (): Promise<number> => {
    const { bavail, bsize } = await statfs(disk.path);
    return bavail * bsize;
  };
  /** Leaves so many bytes on the disk, to a block. */
  async function leave(bytes: number): Promise<void> {
    await rm(filler(), { force: true });
    const file = await open(filler(), 'w');
    const piece = Buffer.alloc(64 * block);
    for (let rest = (await free()) - bytes; rest >= block; ) {
      const part = piece.subarray(0, Math.min(piece.length, Math.floor(rest / block) * block));
      await file.write(part);
      await file.sync();
      rest = (await free()) - bytes;
    }
    await file.close();
  }

  const stages = (): readonly (readonly [string, number])[] => [
    ['nothing at all', 0],
    ['less than a folder needs', block],
    ['the data, half of them', sizes.archive / 2],
    ['the data, nearly all', sizes.archive - 16 * kib],
    ['the file list, at its begin', sizes.archive + 8 * kib],
    ['the file list, half of it', sizes.archive + sizes.list / 2],
    ['the end of the file list', sizes.archive + sizes.list - 16 * kib],
  ];

  /** With less than a MiB no storage is chosen at all, so the pool is named. */
  const isPlace = /storage \S+\/disk\/copies |pool Small /;

  it.each([false, true])(
    'fails each stage of a backup clean: nothing is left, the task names place and remedy (several senders: %s) (case 83)',
    async (isSentByMany) => {
      for (const [stage, bytes] of stages()) {
        await leave(bytes);
        const before = await free();
        const parameters = { enable_multithreading: isSentByMany, network_parallelism: 4 };
        const body = {
          ...(await lab.queue.draft(source, { pool: 'Small' })),
          common_modules_extensions: { parameters },
        };
        const { id } = await lab.queue.good<{ id: number }>('POST', '/task_queue', body);
        const task = await lab.queue.until(id, (now) => now.status === 'suspended');
        expect(task, stage).toMatchObject({ suspend_reason: 'resource', repository_id: null });
        expect(task.error_message, stage).toMatch(isPlace);
        expect(task.error_message, stage).toMatch(/full.*free space/i);
        expect(await readdir(place), stage).toEqual([]);
        expect(await lab.queue.copies(), stage).toEqual([]);
        expect(await free(), stage).toBeGreaterThanOrEqual(before - block);
        await lab.queue.good('POST', `/tasks/${id}/kill`);
      }
      // With what it needs and a few blocks it goes through.
      await leave(sizes.archive + sizes.list + 1200 * kib);
      const done = await lab.queue.ended(await lab.queue.backup(source, { pool: 'Small' }));
      expect(done).toMatchObject({ status: 'done', error_message: null });
      await leave(0);
      await remove(Number(done.repository_id));
      expect(await readdir(place)).toEqual([]);
      await rm(filler());
    },
  );

  it.each(['copy', 'move'] as const)(
    'refuses a %s with place and remedy, however little is missing; what is there can be deleted (case 83)',
    async (kind) => {
      const older = await lab.queue.ended(await lab.queue.backup(lab.source, { pool: 'Small' }));
      const copyId = Number((await lab.queue.ended(await lab.queue.backup(source))).repository_id);
      const before = await lab.queue.copy(copyId);
      for (const bytes of [0, sizes.archive / 2, sizes.archive + sizes.list - 16 * kib]) {
        await leave(bytes);
        const content = await readdir(place);
        const id = await (kind === 'copy'
          ? lab.queue.copyTo(copyId, 'Small')
          : lab.queue.moveTo(copyId, 'Small'));
        const task = await lab.queue.until(id, (now) => now.status === 'suspended');
        expect(task.error_message).toMatch(isPlace);
        expect(task.error_message).toMatch(
          /(no room for the \d+ bytes of the copy|are full)[;.] free space/i,
        );
        expect(await readdir(place)).toEqual(content);
        expect(await lab.queue.copy(copyId)).toEqual(before);
        await lab.queue.good('POST', `/tasks/${id}/kill`);
      }
      await leave(0);
      await remove(Number(older.repository_id));
      await rm(filler());
      await remove(copyId);
      expect(await readdir(place)).toEqual([]);
    },
  );
});
