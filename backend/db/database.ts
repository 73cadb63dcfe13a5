import {
  type ControlledTransaction,
  Kysely,
  type Dialect as KyselyDialect,
  SqliteAdapter,
  sql,
  type Transaction,
} from 'kysely';
import { messageOf } from '../platform/errors.ts';
import { type AccessWatch, createAccessWatch } from './access-watch.ts';
import { type Dialect, postgresDialect, sqliteDialect } from './dialects.ts';
import { DatabaseUnusable, migrate } from './migrate.ts';
import type { AnySchema } from './migrations/migration.ts';
import { postgresKyselyDialect } from './postgres.ts';
import { readDirectly } from './prepared.ts';
import { type DirectRead, sqliteKyselyDialect } from './sqlite.ts';
import type { Database } from './tables.ts';

/** The open database. Also the type of an argument that may be a transaction. */
export type Db = Kysely<Database>;
/** Inside a transaction: everything that belongs together goes through it. */
export type Tx = Transaction<Database> | ControlledTransaction<Database>;

/** For the few statements that are better in the words of one database, where only the transaction is at hand. */
export function isSqlite(db: Db | Tx): boolean {
  return db.getExecutor().adapter instanceof SqliteAdapter;
}

export interface OpenDatabase {
  readonly db: Db;
  readonly dialect: Dialect;
  /** Grows whenever users, roles, groups or sessions may have changed. */
  readonly accessVersion: AccessWatch['version'];
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
  const watch = createAccessWatch();
  const { dialect, kysely, read } = kindsOf(place, options.onIdleError, watch);
  const db = new Kysely<Database>({ dialect: kysely, log: watch.noteStatement });
  if (read) readDirectly(db, read);
  try {
    await refuseDamaged(db, dialect);
    await migrate(db as unknown as Kysely<AnySchema>, dialect);
  } catch (error) {
    // A connection that could not be made has nothing to close; the reason for the failure is the first error.
    await db.destroy().catch(() => undefined);
    throw damageOf(error) ?? error;
  }
  return { db, dialect, accessVersion: watch.version, close: () => db.destroy() };
}

function kindsOf(
  place: DatabasePlace,
  onIdleError: ((error: Error) => void) | undefined,
  watch: AccessWatch,
): { readonly dialect: Dialect; readonly kysely: KyselyDialect; readonly read: DirectRead | null } {
  if (place.kind === 'postgres') {
    return {
      dialect: postgresDialect,
      kysely: postgresKyselyDialect(place.url, onIdleError ?? (() => undefined)),
      read: null,
    };
  }
  const { dialect, read } = sqliteKyselyDialect(place.path, watch.noteEnd);
  return { dialect: sqliteDialect, kysely: dialect, read };
}

/** SQLite's codes for a broken file and for a file that is no database. */
const damageCodes: readonly unknown[] = [11, 26];

function damageOf(error: unknown): DatabaseUnusable | null {
  const { errcode } = error as { readonly errcode?: unknown };
  if (!damageCodes.includes(errcode)) return null;
  return new DatabaseUnusable(
    `the file is damaged (${messageOf(error)}): restore it from a backup of the data directory`,
    { cause: error },
  );
}

/** Up to this size the check at start costs less than a second. */
const checkedBytes = 256 * 1024 * 1024;

/** A database file with broken pages is refused before anything is written into it. */
async function refuseDamaged(db: Db, dialect: Dialect): Promise<void> {
  if (!dialect.fileCheck) return;
  const { rows: sizes } = await sql<{ bytes: number }>`
    select page_count * page_size as bytes from pragma_page_count(), pragma_page_size()`.execute(db);
  if ((sizes[0]?.bytes ?? 0) > checkedBytes) return;
  const { rows } = await sql<{ quick_check: string }>`pragma quick_check(1)`.execute(db);
  const finding = rows[0]?.quick_check;
  if (finding === 'ok') return;
  throw new DatabaseUnusable(
    `the file is damaged (${String(finding).split('\n')[0]}): restore it from a backup of the data directory`,
  );
}
