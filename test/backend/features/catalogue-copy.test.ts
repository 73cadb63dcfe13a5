import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../backend/db/index.ts';
import { createCatalogueCopyService } from '../../../backend/features/catalogue-copy/catalogue-copy-service.ts';
import { silentLog } from '../../../backend/platform/log.ts';
import type { CatalogueCopy } from '../../../contract/catalogue-copy/catalogue-copy.ts';
import { handClock, type Session, startTestApp, type TestApp } from '../../support/backend.ts';

let app: TestApp;
let root: Session;
let folder: string;
beforeEach(async () => {
  app = await startTestApp({ clock: handClock() });
  root = await app.loginAs('superuser');
  folder = join(app.dataDir, 'copies');
  mkdirSync(folder);
});
afterEach(() => app.close());

const copyTo = (path: unknown) => root.send('POST', '/catalogue_copy', { folder: path });

describe('a copy of the catalogue', () => {
  it('is a whole database of one moment, which nobody else may read, made while others write', async () => {
    expect((await root.send('GET', '/catalogue_copy')).data()).toMatchObject({ status: 'none', path: null });
    const group = (index: number) => root.send('POST', '/client_groups', { name: `Group ${index}` });
    for (let index = 0; index < 20; index += 1) expect((await group(index)).status).toBe(201);
    const [answer, ...writes] = await Promise.all([copyTo(folder), ...[20, 21, 22, 23].map(group)]);
    expect(writes.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect([answer.status, answer.body.message]).toEqual([201, expect.any(String)]);
    const copy = answer.data<CatalogueCopy>();
    const path = copy.path ?? '';
    expect(copy).toMatchObject({ status: 'done', size: statSync(path).size, error_message: null });
    expect(path).toBe(join(folder, `strongroom-catalogue-${copy.started?.replaceAll(':', '-')}.db`));
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual([path.slice(folder.length + 1)]);
    expect((await root.send('GET', '/catalogue_copy')).data()).toEqual(copy);
    const opened = await openDatabase({ kind: 'sqlite', path });
    try {
      const names = (await opened.db.selectFrom('client_groups').select('name').execute()).map(
        ({ name }) => name,
      );
      expect(names).toEqual(
        expect.arrayContaining(Array.from({ length: 20 }, (_, index) => `Group ${index}`)),
      );
      expect(await opened.db.selectFrom('users').select('id').execute()).toHaveLength(1);
    } finally {
      await opened.close();
    }
  });

  it.each([
    ['copies', /absolute path/],
    ['/srv/is/not/there', /does not exist on the server; make it first/],
    [7, /absolute path/],
    ['/srv/\0', /NUL/],
  ])('is refused for the folder %j, with the field and the remedy', async (path, reason) => {
    const answer = await copyTo(path);
    expect(answer.status).toBe(400);
    expect(answer.body.errors.folder).toMatch(reason);
  });

  it('is refused for a file, and overwrites nothing', async () => {
    const file = join(folder, 'file');
    writeFileSync(file, 'x');
    expect((await copyTo(file)).body.errors.folder).toMatch(/is not a folder|does not exist/);
    expect((await copyTo(folder)).status).toBe(201);
    // The clock stands still, so the next one has the same name.
    const kept = readFileSync(join(folder, readdirSync(folder).sort().at(-1) ?? ''));
    const again = await copyTo(folder);
    expect(again.status).toBe(400);
    expect(again.body.message).toMatch(/is there already\. Try again in a second\./);
    expect(readdirSync(folder)).toHaveLength(2);
    expect(readFileSync(join(folder, readdirSync(folder).sort().at(-1) ?? '')).equals(kept)).toBe(true);
  });

  it('is refused where the catalogue is a database of PostgreSQL, with what to do instead', async () => {
    const { built, database } = app;
    const copies = createCatalogueCopyService({
      ...built.features,
      dialect: { ...database.dialect, kind: 'postgres', fileCheck: false },
    });
    await expect(copies.make(folder)).rejects.toMatchObject({
      code: 'feature.notAvailable',
      message: expect.stringMatching(/PostgreSQL: copy it with pg_dump/),
    });
  });

  it('is made one at a time; one that fails says why and may be tried again', async () => {
    const fails: ((error: Error) => void)[] = [];
    const copies = createCatalogueCopyService({
      ...app.built.features,
      log: silentLog,
      copyFile: () => new Promise((_, reject) => fails.push(reject)),
    });
    const first = copies.make(folder);
    await expect.poll(() => fails.length).toBe(1);
    expect(copies.last()).toMatchObject({ status: 'running', finished: null });
    await expect(copies.make(folder)).rejects.toMatchObject({ code: 'state.notAllowed' });
    fails[0]?.(Object.assign(new Error('database or disk is full'), { errcode: 13 }));
    await expect(first).rejects.toMatchObject({
      message: expect.stringMatching(/There is no room for .*Free/),
    });
    expect(copies.last()).toMatchObject({ status: 'failed', size: null });
    const second = copies.make(folder);
    await expect.poll(() => fails.length).toBe(2);
    fails[1]?.(new Error('gone'));
    await expect(second).rejects.toMatchObject({ message: expect.stringMatching(/Nothing is left of it/) });
  });
});
