import { type Kysely, sql } from 'kysely';
import type { Dialect } from './dialects.ts';
import { migrations } from './migrations/index.ts';
import type { AnySchema, Migration } from './migrations/migration.ts';

/** The database cannot be used; `message` is one clear line for the person who starts the backend. */
export class DatabaseUnusable extends Error {
  override readonly name = 'DatabaseUnusable';
}

/**
 * Brings the schema up to date. Each step is one transaction, so a cut leaves the database at a whole version.
 * A database that a newer version has made is refused untouched.
 */
export async function migrate(
  db: Kysely<AnySchema>,
  dialect: Dialect,
  steps: readonly Migration[] = migrations,
): Promise<void> {
  await sql`create table if not exists schema_version (
    version integer not null primary key, name text not null, applied_ms ${sql.raw(dialect.types.integer)} not null
  )`.execute(db);
  const newest = steps.at(-1)?.version ?? 0;
  for (;;) {
    const done = await db.transaction().execute(async (tx) => {
      if (dialect.manyWriters) await sql`select pg_advisory_xact_lock(7305183)`.execute(tx);
      const current = await currentVersion(tx);
      if (current > newest) throw new DatabaseUnusable(newerMessage(current, newest));
      const next = steps.find((step) => step.version > current);
      if (!next) return true;
      await next.up({ db: tx, dialect });
      await tx
        .insertInto('schema_version')
        .values({ version: next.version, name: next.name, applied_ms: Date.now() })
        .execute();
      return false;
    });
    if (done) return;
  }
}

async function currentVersion(db: Kysely<AnySchema>): Promise<number> {
  const { rows } = await sql<{ version: number | null }>`
    select max(version) as version from schema_version`.execute(db);
  return rows[0]?.version ?? 0;
}

function newerMessage(current: number, newest: number): string {
  return `the database was made by a newer version (schema ${current}, this version knows ${newest}): start that version, or restore a database of this one`;
}
