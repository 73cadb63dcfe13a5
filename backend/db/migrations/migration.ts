import { type Kysely, sql } from 'kysely';
import type { Dialect } from '../dialects.ts';

/** One step forward, run in a transaction. Never edited once a version with it has been released. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  up(tools: MigrationTools): Promise<void>;
}

/** A migration sees the schema of its own time, so it does not use today's table types. */
export type AnySchema = Record<string, Record<string, unknown>>;

export interface MigrationTools {
  readonly db: Kysely<AnySchema>;
  readonly dialect: Dialect;
}

/**
 * A column in words: `identity`, or a type (`integer`, `real`, `text`) with what it may be:
 * `null` allowed, `unique`, part of the `key`, a `default`, and the row it `references` (`table.column`).
 */
export interface Column {
  readonly type: 'identity' | 'integer' | 'real' | 'text';
  readonly null?: boolean;
  readonly unique?: boolean;
  readonly default?: number | string;
  readonly references?: `${string}.${string}`;
  /** What happens when the referred row goes: refused unless told. */
  readonly onDelete?: 'cascade' | 'set null';
}

export async function createTable(
  tools: MigrationTools,
  name: string,
  columns: Readonly<Record<string, Column>>,
  options: { readonly key?: readonly string[]; readonly unique?: readonly (readonly string[])[] } = {},
): Promise<void> {
  const { types, strictTables } = tools.dialect;
  const clauses = Object.entries(columns).map(([column, about]) => {
    if (about.type === 'identity') return sql`${sql.ref(column)} ${types.identity}`;
    const parts = [sql`${sql.ref(column)} ${sql.raw(types[about.type])}`];
    if (!about.null) parts.push(sql`not null`);
    if (about.unique) parts.push(sql`unique`);
    if (about.default !== undefined) parts.push(sql`default ${sql.lit(about.default)}`);
    if (about.references) {
      const [table = '', target = ''] = about.references.split('.');
      parts.push(sql`references ${sql.table(table)} (${sql.ref(target)})`);
      parts.push(about.onDelete ? sql`on delete ${sql.raw(about.onDelete)}` : sql`on delete restrict`);
    }
    return sql.join(parts, sql` `);
  });
  const refs = (list: readonly string[]) => sql.join(list.map((column) => sql.ref(column)));
  if (options.key) clauses.push(sql`primary key (${refs(options.key)})`);
  for (const unique of options.unique ?? []) clauses.push(sql`unique (${refs(unique)})`);
  const strict = strictTables ? sql`strict` : sql``;
  await sql`create table ${sql.table(name)} (${sql.join(clauses)}) ${strict}`.execute(tools.db);
}

export async function createIndex(
  tools: MigrationTools,
  table: string,
  columns: readonly string[],
): Promise<void> {
  const name = `${table}_${columns.join('_')}_index`;
  await tools.db.schema
    .createIndex(name)
    .on(table)
    .columns([...columns])
    .execute();
}
