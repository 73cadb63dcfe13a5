import { execFileSync } from 'node:child_process';
import { readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase, schemaSnapshot } from '../../../backend/db/index.ts';
import { migrate } from '../../../backend/db/migrate.ts';
import type { AnySchema, Migration } from '../../../backend/db/migrations/migration.ts';
import { databaseSuite } from '../../suites/database-suite.ts';
import { makeTempDir } from '../../support/temp-dir.ts';

const suiteFolders: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const remove of suiteFolders) await remove();
});

databaseSuite('SQLite', async () => {
  const folder = await makeTempDir('sqlite');
  suiteFolders.push(folder.remove);
  return openDatabase({ kind: 'sqlite', path: join(folder.path, 'a.db') });
});

describe('a SQLite database', () => {
  let folder: Awaited<ReturnType<typeof makeTempDir>>;
  let path: string;
  beforeEach(async () => {
    folder = await makeTempDir('sqlite');
    path = join(folder.path, 'strongroom.db');
  });
  afterEach(() => folder.remove());
  const open = () => openDatabase({ kind: 'sqlite', path });

  it('writes ahead, waits for the disk and checks what it reads', async () => {
    const { db, close } = await open();
    const pragma = async (name: string) => {
      // Inside a transaction it is the writer's own connection that answers.
      const { rows } = await db.transaction().execute((tx) => sql.raw(`pragma ${name}`).execute(tx));
      return Object.values(rows[0] as Record<string, unknown>)[0];
    };
    expect(await pragma('journal_mode')).toBe('wal');
    // Until there were more commits: log-sync.test.ts.
    expect(await pragma('synchronous')).toBe(2);
    expect(await pragma('foreign_keys')).toBe(1);
    expect(await pragma('trusted_schema')).toBe(0);
    expect(await pragma('cell_size_check')).toBe(1);
    await close();
  });

  it('keeps its data over a close, and leaves no log of writes behind', async () => {
    const first = await open();
    await first.db.insertInto('installation').values({ name: 'a', value: 'b' }).execute();
    await first.close();
    expect((await readFile(`${path}-wal`).catch(() => Buffer.alloc(0))).byteLength).toBe(0);
    const second = await open();
    expect(await second.db.selectFrom('installation').selectAll().execute()).toHaveLength(1);
    await second.close();
  });

  it('of a newer version is refused and left as it is', async () => {
    const { db, close } = await open();
    await sql`insert into schema_version (version, name, applied_ms) values (999, 'future', 1)`.execute(db);
    await close();
    const before = await readFile(path);
    await expect(open()).rejects.toMatchObject({
      name: 'DatabaseUnusable',
      message: expect.stringContaining('newer version'),
    });
    expect((await readFile(path)).equals(before)).toBe(true);
  });

  it('that is no database is refused', async () => {
    await writeFile(path, 'this is a text, not a database, and long enough to be looked at'.repeat(100));
    await expect(open()).rejects.toThrow(/not a database/);
  });

  it('that is cut short is refused', async () => {
    const { db, close } = await open();
    await db
      .insertInto('installation')
      .values(Array.from({ length: 5_000 }, (_, index) => ({ name: `n${index}`, value: 'x'.repeat(100) })))
      .execute();
    await close();
    await truncate(path, 60_000);
    await expect(open()).rejects.toMatchObject({
      name: 'DatabaseUnusable',
      message: expect.stringContaining('damaged'),
    });
  });

  it('goes back to the version before when a migration fails half-way, and on from there', async () => {
    const { db, dialect, close } = await open();
    const raw = db as unknown as Kysely<AnySchema>;
    const step = (fails: boolean): Migration => ({
      version: 1000,
      name: 'next',
      up: async (tools) => {
        await sql`create table extra (id integer)`.execute(tools.db);
        if (fails) throw new Error('power cut');
        await sql`insert into extra (id) values (1)`.execute(tools.db);
      },
    });
    await expect(migrate(raw, dialect, [step(true)])).rejects.toThrow('power cut');
    await expect(sql`select * from extra`.execute(db)).rejects.toThrow('no such table');
    await migrate(raw, dialect, [step(false)]);
    expect((await sql`select * from extra`.execute(db)).rows).toHaveLength(1);
    await close();
  });

  it('has the schema that is kept beside the documentation', async () => {
    const { db, close } = await open();
    const kept = await readFile(new URL('../../../docs/schema.sql', import.meta.url), 'utf8');
    expect(await schemaSnapshot(db)).toBe(kept);
    await close();
  });

  it('names what `*` stands for as it is now, also after a change of the table', async () => {
    const { db, close } = await open();
    await sql`create table things (a integer, b integer)`.execute(db);
    await sql`insert into things values (1, 2)`.execute(db);
    const all = async () => {
      // Plain selects have a connection of their own.
      const reading = await (db as unknown as Kysely<AnySchema>)
        .selectFrom('things')
        .selectAll()
        .executeTakeFirst();
      const writing = await db.transaction().execute((tx) => sql`select * from things`.execute(tx));
      return [reading, writing.rows[0]];
    };
    expect(await all()).toEqual([
      { a: 1, b: 2 },
      { a: 1, b: 2 },
    ]);
    await sql`alter table things add column c integer default 3`.execute(db);
    expect(await all()).toEqual([
      { a: 1, b: 2, c: 3 },
      { a: 1, b: 2, c: 3 },
    ]);
    await sql`alter table things rename column a to d`.execute(db);
    expect((await all())[1]).toEqual({ d: 1, b: 2, c: 3 });
    await close();
  });

  it('refuses a value of the wrong type', async () => {
    const { db, close } = await open();
    const wrong = db
      .insertInto('client_groups')
      .values({ name: 'x', name_key: 'x', shared: 0, created_ms: 'soon' as unknown as number })
      .execute();
    await expect(wrong).rejects.toThrow(/cannot store TEXT/);
    await close();
  });
});

it('the OpenAPI file is what the contract makes of it', async () => {
  const project = new URL('../../../', import.meta.url);
  const made = execFileSync(process.execPath, ['backend/print-openapi.ts'], {
    cwd: project,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  expect(made).toBe(await readFile(new URL('docs/openapi.json', project), 'utf8'));
});
