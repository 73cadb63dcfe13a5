import { randomUUID } from 'node:crypto';
import { mkdir, readdir, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { z } from 'zod';
import { startBackup, startRestore } from '../../../backend/engine/index.ts';
import { createOpenCopies, type OpenCopy } from '../../../backend/features/repository/open-copies.ts';
import type { CopyFile } from '../../../contract/repository/copy.ts';
import { type RepositoryLab, startRepositoryLab } from './support.ts';

let lab: RepositoryLab;
beforeEach(async () => {
  lab = await startRepositoryLab();
});
afterEach(() => lab.close());

type Row = z.output<typeof CopyFile>;
const storage = () => join(lab.app.dataDir, 'pools', 'default');
const source = () => join(lab.app.dataDir, 'source');
const ask = (id: number, query: Readonly<Record<string, string | number | undefined>> = {}) => {
  const text = new URLSearchParams(Object.entries(query).map(([key, value]) => [key, String(value)]));
  return lab.superuser.send('GET', `/repository/${id}/files?${text}`);
};
const paths = async (id: number, query: Record<string, string | number> = {}) =>
  (await ask(id, query)).data<Row[]>().map(({ path }) => path.replace(source(), '@'));

/** A real copy of `resource` with its row. */
async function backUp(resource: string): Promise<{ id: number; uuid: string }> {
  const uuid = randomUUID();
  const job = startBackup({
    source: resource,
    storagePath: storage(),
    copyId: uuid,
    compression: 'Fast',
    excludes: [],
  });
  await job.result;
  return { uuid, id: await lab.rows.copy({ poolId: 1, storageId: 1, clientId: 1 }, { uuid, resource }) };
}

async function makeTree(): Promise<void> {
  await mkdir(join(source(), 'docs', 'deep'), { recursive: true });
  await mkdir(join(source(), 'empty'));
  for (let i = 0; i < 30; i += 1) {
    await writeFile(join(source(), 'docs', `page-${String(i).padStart(2, '0')}.txt`), `page ${i}`, {
      mode: 0o640,
    });
  }
  await writeFile(join(source(), 'docs', 'deep', 'Überblick [1].txt'), 'x');
  await writeFile(Buffer.concat([Buffer.from(`${source()}/`), Buffer.from([0x61, 0xff])]), 'raw name');
  await symlink('docs/deep', join(source(), 'link'));
}

it('lists a copy folder by folder, page by page, in the order of the names', async () => {
  await makeTree();
  const { id } = await backUp(source());
  expect(await paths(id)).toEqual(['@/a\\xff', '@/docs', '@/empty', '@/link']);
  const page = await ask(id, { folder: `${source()}/docs`, page: 2, limit: 10, sort: 'name', order: 'asc' });
  expect(page.headers['x-total-count']).toBe('31');
  expect(page.headers.link).toContain('rel="next"');
  expect(page.data<Row[]>().map(({ name }) => name)[0]).toBe('page-09.txt');
  expect(await paths(id, { folder: 'docs/deep' })).toEqual(['@/docs/deep/Überblick [1].txt']);
  expect(await paths(id, { folder: source() })).toHaveLength(4);
  expect(await paths(id, { folder: 'empty' })).toEqual([]);
});

it('answers type, size, mode, owner, time and link of each entry', async () => {
  await makeTree();
  const { id } = await backUp(source());
  const [row] = (await ask(id, { folder: 'docs', limit: 1, page: 2 })).data<Row[]>();
  expect(row).toMatchObject({
    name: 'page-00.txt',
    type: 'file',
    size: 6,
    uid: process.getuid?.(),
    gid: process.getgid?.(),
    link_target: null,
    flags: [],
    skipped: null,
  });
  expect((row?.mode ?? 0) & 0o777).toBe(0o640);
  expect(row?.mtime).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/);
  const [, folder, , link] = (await ask(id)).data<Row[]>();
  expect([folder?.type, link?.type, link?.link_target]).toEqual(['folder', 'symlink', 'docs/deep']);
});

it('searches in the names below a folder, in any case; brackets stand for themselves (case 68)', async () => {
  await makeTree();
  const { id } = await backUp(source());
  expect(await paths(id, { search: '[1]' })).toEqual(['@/docs/deep/Überblick [1].txt']);
  expect(await paths(id, { search: 'überblick', folder: 'docs' })).toHaveLength(1);
  expect(await paths(id, { search: 'überblick', folder: 'empty' })).toEqual([]);
  const page = await ask(id, { search: 'PAGE', page: 3, limit: 12 });
  expect([page.headers['x-total-count'], page.data<Row[]>().length]).toEqual(['30', 6]);
});

it('gives paths that a restore takes, whatever the bytes of the names (case 66)', async () => {
  await makeTree();
  const { id, uuid } = await backUp(source());
  const [raw] = (await ask(id)).data<Row[]>();
  const [found] = (await ask(id, { search: 'überblick' })).data<Row[]>();
  const destination = join(lab.app.dataDir, 'restored');
  await mkdir(destination);
  const job = startRestore({
    storagePath: storage(),
    copyId: uuid,
    destination,
    selection: [raw?.path ?? '', found?.path ?? ''],
    onExisting: 'replace',
    forbidden: [],
  });
  await job.result;
  const names = await readdir(join(destination, 'source'), { encoding: 'buffer' });
  expect(names.map((name) => name.toString('latin1')).sort()).toEqual(['a\xff', 'docs']);
  expect(await readdir(join(destination, 'source', 'docs', 'deep'))).toEqual(['Überblick [1].txt']);
});

it('lists a single file that was backed up itself', async () => {
  await mkdir(source());
  await writeFile(join(source(), 'only.txt'), 'x');
  const { id } = await backUp(join(source(), 'only.txt'));
  expect(await paths(id)).toEqual(['@/only.txt']);
  expect((await ask(id, { folder: 'x' })).status).toBe(404);
});

it('says what is wrong: no such folder, a file as folder, wrong order, no list, damage', async () => {
  await makeTree();
  const { id, uuid } = await backUp(source());
  expect((await ask(id, { folder: 'nothing' })).body.errors).toHaveProperty('folder');
  for (const folder of ['nothing', 'docs/page-01.txt', '../x', '/etc']) {
    expect((await ask(id, { folder })).status).toBe(404);
  }
  for (const query of [{ sort: 'size' }, { order: 'desc' }, { page: 0 }, { limit: 501 }]) {
    expect((await ask(id, query)).status).toBe(400);
  }
  expect((await ask(99)).status).toBe(404);
  const blind = await lab.rows.copy({ storageId: 1 }, { file_list_available: 0 });
  expect((await ask(blind)).status).toBe(400);
  const missing = await lab.rows.copy({ storageId: 1 });
  expect([(await ask(missing)).status, (await ask(missing)).body.message]).toEqual([
    400,
    expect.stringContaining('Verify the copy.'),
  ]);
  const { id: damaged, uuid: other } = await backUp(source());
  const [manifest = ''] = (await readdir(join(storage(), other))).filter(
    (name) => !name.startsWith('archive'),
  );
  await truncate(join(storage(), other, manifest), 100);
  expect((await ask(damaged)).status).toBe(400);
  expect(uuid).not.toBe(other);
});

it('a copy that was looked into can be deleted', async () => {
  await makeTree();
  const { id, uuid } = await backUp(source());
  await paths(id);
  expect((await lab.superuser.send('DELETE', `/repository/${id}`)).status).toBe(200);
  expect(await readdir(storage())).not.toContain(uuid);
});

it('keeps few lists open, never closes one in use, and opens a failed one anew', async () => {
  const events: string[] = [];
  let fails = true;
  const copies = createOpenCopies({
    most: 2,
    open: async (path): Promise<OpenCopy> => {
      events.push(`open ${path}`);
      if (path === 'bad' && fails) throw new Error('damaged');
      return { page: async () => null, close: () => events.push(`close ${path}`) };
    },
  });
  const use = (id: number, path: string) => copies.use({ id, path }, async (opened) => opened.page(wish));
  const wish = { folder: '', search: '', offset: 0, limit: 1 };
  await use(1, 'a');
  await use(2, 'b');
  await use(1, 'a');
  expect(events).toEqual(['open a', 'open b']);
  await use(3, 'c');
  expect(events.splice(0)).toEqual(['open a', 'open b', 'open c', 'close b']);
  let end: () => void = () => undefined;
  const long = copies.use({ id: 1, path: 'a' }, () => new Promise<void>((resolve) => (end = resolve)));
  await copies.close(1);
  expect(events).toEqual([]);
  end();
  await long;
  expect(events.splice(0)).toEqual(['close a']);
  await expect(use(9, 'bad')).rejects.toThrow('damaged');
  fails = false;
  await use(9, 'bad');
  await copies.closeAll();
  expect(events).toEqual(['open bad', 'open bad', 'close c', 'close bad']);
});
