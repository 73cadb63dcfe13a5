import { type ControlledTransaction, Kysely, type Transaction } from 'kysely';
import { type Dialect, postgresDialect, sqliteDialect } from './dialects.ts';
import { migrate } from './migrate.ts';
import type { AnySchema } from './migrations/migration.ts';
import { postgresKyselyDialect } from './postgres.ts';
import { sqliteKyselyDialect } from './sqlite.ts';
import type { Database } from './tables.ts';

/** The open database. Also the type of an argument that may be a transaction. */
export type Db = Kysely<Database>;
/** Inside a transaction: everything that belongs together goes through it. */
export type Tx = Transaction<Database> | ControlledTransaction<Database>;

export interface OpenDatabase {
  readonly db: Db;
  readonly dialect: Dialect;
  close(): Promise<void>;
}

export type DatabasePlace =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly url: string };

/** Opens the database and brings its schema up to date. Throws `DatabaseUnusable` when it is too new. */
export async function openDatabase(
  place: DatabasePlace,
  options: { readonly onIdleError?: (error: Error) => void } = {},
): Promise<OpenDatabase> {
  const kyselyDialect =
    place.kind === 'sqlite'
      ? sqliteKyselyDialect(place.path)
      : postgresKyselyDialect(place.url, options.onIdleError ?? (() => undefined));
  const dialect = place.kind === 'sqlite' ? sqliteDialect : postgresDialect;
  const db = new Kysely<Database>({ dialect: kyselyDialect });
  try {
    await migrate(db as unknown as Kysely<AnySchema>, dialect);
  } catch (error) {
    await db.destroy();
    throw error;
  }
  return { db, dialect, close: () => db.destroy() };
}
