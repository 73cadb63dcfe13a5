import { DatabaseSync, type DatabaseSyncInstance, type StatementSyncInstance } from '@photostructure/sqlite';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SelectQueryNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { type Checkpoints, createCheckpoints, type LogPages } from './checkpoints.ts';
import { createLogSync, type LogSync } from './log-sync.ts';

/** How long a write waits for the one writer before it is taken for a mistake in the program. */
const writerWaitMs = 30_000;

/**
 * SQLite for kysely, with one writer.
 *
 * Transactions are `BEGIN IMMEDIATE` on the writer's handle and queue up one after the other; so does every
 * statement outside a transaction that may write. Plain selects outside a transaction run on a handle of their
 * own and see what was committed last, so a read never waits for a transaction. What was written is on the disk when its
 * promise resolves; others may see it shortly before. `onEnd` hears of the end of each transaction.
 */
export function sqliteKyselyDialect(
  path: string,
  onEnd: () => void,
): { readonly dialect: Dialect; readonly read: DirectRead } {
  const driver = new SqliteDriver(path, onEnd);
  const dialect: Dialect = {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => driver,
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
  return { dialect, read: (query) => driver.read(query) };
}

/** A select outside a transaction, without the turns that the way through kysely takes. */
export type DirectRead = <R>(query: CompiledQuery<R>) => readonly R[];

class SqliteDriver implements Driver {
  readonly #path: string;
  readonly #onEnd: () => void;
  #handles: Handles | undefined;

  constructor(path: string, onEnd: () => void) {
    this.#path = path;
    this.#onEnd = onEnd;
  }

  async init(): Promise<void> {
    const write = openHandle(this.#path);
    const shared = this.#path === ':memory:';
    const writer = new Handle(write);
    const mutex = new Mutex();
    this.#handles = {
      write: writer,
      read: shared ? writer : new Handle(openHandle(this.#path)),
      writer: mutex,
      logSync: writer.hasLog()
        ? createLogSync({
            path: this.#path,
            exclusively: (work) => mutex.during(work),
            setOwn: (isOwn) => writer.exec(`pragma synchronous = ${isOwn ? 'full' : 'normal'}`),
            bringIn: () => writer.bringIn(),
          })
        : null,
      checkpoints: shared
        ? null
        : createCheckpoints({
            path: this.#path,
            pages: () => writer.logPages(),
            setOwn: (pages) => writer.exec(`pragma wal_autocheckpoint = ${pages}`),
          }),
    };
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    return new SqliteConnection(this.#opened());
  }

  read<R>(query: CompiledQuery<R>): readonly R[] {
    return this.#opened().read.run<R>(query).rows;
  }

  #opened(): Handles {
    if (!this.#handles) throw new Error('the database is not open');
    return this.#handles;
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await sqlite(connection).begin();
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    const handles = this.#handles;
    const hasWritten = sqlite(connection).end('commit');
    handles?.checkpoints?.committed();
    this.#onEnd();
    if (hasWritten) await handles?.logSync?.committed();
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    sqlite(connection).end('rollback');
    this.#onEnd();
  }

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {
    const handles = this.#handles;
    this.#handles = undefined;
    if (!handles) return;
    await handles.logSync?.close();
    await handles.writer.lock();
    await handles.checkpoints?.end();
    if (handles.read !== handles.write) handles.read.close();
    // Prepared statements live until they are collected, so the last close does not tidy up by itself.
    handles.write.exec('pragma wal_checkpoint(truncate)');
    handles.write.close();
  }
}

interface Handles {
  readonly write: Handle;
  readonly read: Handle;
  readonly writer: Mutex;
  /** Null: there is no log, and commits wait for the disk by themselves. */
  readonly logSync: LogSync | null;
  /** Null: in memory. */
  readonly checkpoints: Checkpoints | null;
}

function sqlite(connection: DatabaseConnection): SqliteConnection {
  if (connection instanceof SqliteConnection) return connection;
  throw new Error('not a connection of this driver');
}

class SqliteConnection implements DatabaseConnection {
  readonly #handles: Handles;
  #inTransaction = false;
  #hasWritten = false;

  constructor(handles: Handles) {
    this.#handles = handles;
  }

  async begin(): Promise<void> {
    await this.#handles.writer.lock();
    try {
      this.#handles.write.exec('begin immediate');
    } catch (error) {
      this.#handles.writer.unlock();
      throw error;
    }
    this.#inTransaction = true;
    this.#hasWritten = false;
  }

  /** Whether it may have left anything in the log. */
  end(how: 'commit' | 'rollback'): boolean {
    if (!this.#inTransaction) return false;
    try {
      // SQLite rolls back by itself on some errors (disk full, I/O); then there is nothing left to end.
      if (this.#handles.write.isTransaction) this.#handles.write.exec(how);
      else if (how === 'commit') throw new Error('the transaction was rolled back by the database');
    } catch (error) {
      if (how === 'rollback' || !this.#handles.write.isTransaction) this.#release();
      throw error;
    }
    this.#release();
    return how === 'commit' && this.#hasWritten;
  }

  #release(): void {
    this.#inTransaction = false;
    this.#handles.writer.unlock();
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const isSelect = SelectQueryNode.is(query.query);
    if (this.#inTransaction) {
      this.#hasWritten ||= !isSelect;
      return this.#handles.write.run<R>(query);
    }
    if (isSelect) return this.#handles.read.run<R>(query);
    const { write, writer, checkpoints, logSync } = this.#handles;
    const written = await writer.during(() => {
      const result = write.run<R>(query);
      checkpoints?.committed();
      return { result, isThere: logSync?.committed() };
    });
    await written.isThere;
    return written.result;
  }

  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    yield* [];
    throw new Error('streaming is not offered: page through the rows instead');
  }
}

/** One open database with its prepared statements. */
class Handle {
  readonly #db: DatabaseSyncInstance;
  readonly #statements = new Map<string, Prepared>();

  constructor(db: DatabaseSyncInstance) {
    this.#db = db;
  }

  get isTransaction(): boolean {
    return this.#db.isTransaction;
  }

  /** What was committed and is in the database file already; null within a transaction. */
  logPages(): LogPages | null {
    if (this.#db.isTransaction) return null;
    return this.#ask<LogPages>('wal_checkpoint(noop)');
  }

  hasLog(): boolean {
    return this.#ask<{ readonly journal_mode: string }>('journal_mode').journal_mode === 'wal';
  }

  /** All that was committed into the database file, and that to the disk; outside of a transaction. False: not all of it. */
  bringIn(): boolean {
    const found = this.#ask<LogPages & { readonly busy: number }>('wal_checkpoint(passive)');
    return found.busy === 0 && found.log === found.checkpointed;
  }

  /** The one row of a pragma. */
  #ask<R>(pragma: string): R {
    return rowsOf(this.#prepare(`pragma ${pragma}`), [])[0] as unknown as R;
  }

  exec(sql: string): void {
    this.#db.exec(sql);
  }

  run<R>(query: CompiledQuery): QueryResult<R> {
    const prepared = this.#prepare(query.sql);
    const parameters = query.parameters.map(bindable);
    if (prepared.columns.length > 0) return { rows: rowsOf(prepared, parameters) as R[] };
    const { changes, lastInsertRowid } = prepared.statement.run(...parameters);
    // What `*` stands for may be something else now.
    if (schemaChange.test(query.sql)) this.#statements.clear();
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  #prepare(sql: string): Prepared {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.#db.prepare(sql);
    const columns = namesOf(statement);
    if (columns.length > 0) statement.setReturnArrays(true);
    const prepared = { statement, columns };
    // Lists of ids make ever new texts; only the first few hundred different ones are worth keeping.
    if (this.#statements.size < 300) this.#statements.set(sql, prepared);
    return prepared;
  }

  close(): void {
    this.#statements.clear();
    this.#db.close();
  }
}

const schemaChange = /^\s*(?:alter|create|drop)\s/i;

/** A statement with the names of what it answers with: none where it only writes. */
interface Prepared {
  readonly statement: StatementSyncInstance;
  readonly columns: readonly string[];
}

function namesOf(statement: StatementSyncInstance): readonly string[] {
  return statement.columns().map(({ name }) => name);
}

/** Objects that are made here of arrays come in two thirds of the time of those that the binding makes name by name. */
function rowsOf({ statement, columns }: Prepared, parameters: readonly unknown[]): readonly object[] {
  const found = statement.all(...parameters) as unknown as readonly (readonly unknown[])[];
  // A migration on the other handle may have made more of `*` since the statement was prepared.
  const names = found[0] && found[0].length !== columns.length ? namesOf(statement) : columns;
  return found.map((values) => {
    const row: Record<string, unknown> = {};
    for (let index = 0; index < names.length; index += 1) row[names[index] as string] = values[index];
    return row;
  });
}

function bindable(value: unknown): unknown {
  if (typeof value === 'boolean') return value ? 1 : 0;
  return value === undefined ? null : value;
}

/** KiB: counting a queue of a million reads an index of some 16 MB, which has to stay in memory to be quick. */
const cacheKib = 65_536;

function openHandle(path: string): DatabaseSyncInstance {
  const db = new DatabaseSync(path);
  try {
    db.exec(`
      pragma busy_timeout = 5000;
      pragma journal_mode = wal;
      pragma synchronous = full;
      pragma fullfsync = 1;
      pragma checkpoint_fullfsync = 1;
      pragma foreign_keys = on;
      pragma trusted_schema = off;
      pragma cell_size_check = on;
      pragma temp_store = memory;
      pragma cache_size = -${cacheKib};
    `);
  } catch (error) {
    db.close();
    throw error;
  }
  return db;
}

class Mutex {
  #locked = false;
  readonly #waiting: (() => void)[] = [];

  async lock(): Promise<void> {
    if (!this.#locked) {
      this.#locked = true;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const grant = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(grant), 1);
        reject(
          new Error('the database writer was not free for 30 s: is a write outside its open transaction?'),
        );
      }, writerWaitMs);
      this.#waiting.push(grant);
    });
  }

  async during<R>(work: () => R): Promise<R> {
    await this.lock();
    try {
      return work();
    } finally {
      this.unlock();
    }
  }

  unlock(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#locked = false;
  }
}
