import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { Kysely } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sqliteDialect } from '../../../backend/db/dialects.ts';
import { openDatabase, schemaSnapshot } from '../../../backend/db/index.ts';
import { migrate } from '../../../backend/db/migrate.ts';
import { migrations } from '../../../backend/db/migrations/index.ts';
import type { AnySchema } from '../../../backend/db/migrations/migration.ts';
import { sqliteKyselyDialect } from '../../../backend/db/sqlite.ts';
import { makeTempDir } from '../../support/temp-dir.ts';

let folder: Awaited<ReturnType<typeof makeTempDir>>;
let path: string;
beforeEach(async () => {
  folder = await makeTempDir('earlier');
  path = join(folder.path, 'strongroom.db');
});
afterEach(() => folder.remove());

describe('a database of each earlier schema, with rows in its tables', () => {
  it.each(migrations.map(({ version, name }) => ({ version, name })))(
    'opens from version $version ($name) with the schema of today and all of its rows (case 14)',
    async ({ version }) => {
      await makeEarlier(version);
      const before = fill(path);
      expect(Object.keys(before).length).toBeGreaterThan(5);
      const { db, close } = await openDatabase({ kind: 'sqlite', path });
      const now = await schemaSnapshot(db);
      await close();
      expect(now).toBe(await schemaOfToday());
      expect(rowsOf(path, Object.keys(before))).toEqual(before);
    },
  );
});

async function makeEarlier(version: number): Promise<void> {
  const db = new Kysely<AnySchema>({ dialect: sqliteKyselyDialect(path, () => undefined).dialect });
  await migrate(
    db,
    sqliteDialect,
    migrations.filter((step) => step.version <= version),
  );
  await db.destroy();
}

async function schemaOfToday(): Promise<string> {
  const { db, close } = await openDatabase({ kind: 'sqlite', path: join(folder.path, 'new.db') });
  const schema = await schemaSnapshot(db);
  await close();
  return schema;
}

interface Column {
  readonly name: string;
  readonly type: string;
  readonly hidden: number;
}

/** Puts a row into each table that has none; gives the number of rows of each. */
function fill(file: string): Readonly<Record<string, number>> {
  const db = new DatabaseSync(file);
  db.exec('pragma foreign_keys = off; pragma ignore_check_constraints = on');
  const tables = db
    .prepare(
      "select name from pragma_table_list where schema = 'main' and type = 'table' and name not like 'sqlite%'",
    )
    .all() as { name: string }[];
  for (const { name } of tables) {
    const columns = (
      db.prepare(`select name, type, hidden from pragma_table_xinfo('${name}')`).all() as unknown as Column[]
    ).filter(({ hidden }) => hidden === 0);
    const values = columns.map(valueFor);
    const names = columns.map((column) => `"${column.name}"`).join(', ');
    db.prepare(
      `insert or ignore into "${name}" (${names}) values (${columns.map(() => '?').join(', ')})`,
    ).run(...values);
  }
  // Versions are what grows; sessions end where how users are told apart has changed: everybody signs in again.
  const names = tables
    .map(({ name }) => name)
    .filter((name) => !['schema_version', 'sessions'].includes(name));
  db.close();
  return rowsOf(file, names);
}

function valueFor({ type }: Column): number | Buffer | string {
  if (/int/i.test(type)) return 1;
  return /blob/i.test(type) ? Buffer.from('1') : '1';
}

function rowsOf(file: string, tables: readonly string[]): Readonly<Record<string, number>> {
  const db = new DatabaseSync(file);
  const count = (table: string) =>
    Number((db.prepare(`select count(*) as rows from "${table}"`).get() as { rows: number }).rows);
  const counts = Object.fromEntries(tables.map((table) => [table, count(table)]));
  db.close();
  return counts;
}
