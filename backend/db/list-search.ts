import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from './database.ts';
import { type Dialect, spellings } from './dialects.ts';
import { columnContains, type ListColumns } from './list-columns.ts';
import type { ListRequest } from './list-request.ts';

/**
 * What finds the rows of a search by the trigrams of their texts: a table of its own in SQLite (FTS5), an index on the
 * joined texts in PostgreSQL.
 */
export interface TrigramTable {
  readonly table: string;
  /** The searched columns of the listed table, `table.column`, in the order in which their texts are joined. */
  readonly columns: readonly string[];
  /** In SQLite: the table that says up to which id the trigrams are there; without it always all are. */
  readonly reach?: string;
  readonly db: Db | Tx;
  /** Every row of it may be shown to this caller, and nothing but its texts is searched. */
  readonly isAll: boolean;
}

export interface SearchOptions {
  readonly list: ListRequest;
  readonly columns: ListColumns;
  readonly dialect: Dialect;
  readonly tieBreaker: string;
  readonly trigrams?: TrigramTable;
  /** Rows that a search finds beside those whose searched fields contain its text; null = none. */
  readonly alsoFound?: (text: string) => RawBuilder<boolean> | null;
}

/** The condition that the search of `list` is; null when it asks for none. */
export function searchOf(options: SearchOptions): RawBuilder<boolean> | null {
  const { list, columns, dialect, trigrams, alsoFound } = options;
  const text = list.search;
  if (text === undefined || text === '') return null;
  const searched = Object.values(columns).filter((column) => column.search);
  const others = trigrams ? searched.filter(({ of }) => of) : searched;
  const hits = [
    ...(trigrams ? trigramHits(options, trigrams, text) : []),
    ...others.map((column) => columnContains(column, text, dialect)),
    ...(alsoFound ? [alsoFound(text)] : []),
  ].filter((hit) => hit !== null);
  return hits.length === 0 ? null : sql<boolean>`(${sql.join(hits, sql` or `)})`;
}

function trigramHits(options: SearchOptions, trigrams: TrigramTable, text: string): RawBuilder<boolean>[] {
  const { dialect, tieBreaker } = options;
  const phrase = trigramPhrase(options);
  if (phrase !== null) {
    const table = sql.table(trigrams.table);
    const found = sql`select rowid from ${table} where ${table} match ${phrase}`;
    const later = laterFound(options);
    return [
      sql<boolean>`${sql.ref(tieBreaker)} in (${later ? sql`${found} union all select id ${later}` : found})`,
    ];
  }
  if (dialect.indexesTexts && !text.includes('\n')) {
    const texts = trigrams.columns.map((column) => sql`coalesce(${sql.ref(column)}, '')`);
    return [dialect.contains(sql`(${sql.join(texts, sql` || chr(10) || `)})`, text)];
  }
  return trigrams.columns.map((column) => dialect.contains(sql.ref(column), text));
}

/** `from … where …` of the rows whose trigrams are not there yet and that contain the text; null: there are none such. */
export function laterFound({
  list,
  dialect,
  tieBreaker,
  trigrams,
}: SearchOptions): RawBuilder<unknown> | null {
  if (!trigrams?.reach || list.search === undefined) return null;
  const { search } = list;
  const [table = ''] = tieBreaker.split('.');
  const hits = trigrams.columns.map((column) => dialect.contains(sql.ref(column), search));
  return sql`from ${sql.table(table)} where ${sql.ref(tieBreaker)} > (select task_id from ${sql.table(trigrams.reach)})
    and (${sql.join(hits, sql` or `)})`;
}

/**
 * The search as phrases of trigrams, whose case the database folds itself; null when they cannot answer it as a search
 * of the texts would: less than three characters, and line ends (which part the texts of a row).
 */
export function trigramPhrase({ list, dialect, trigrams }: SearchOptions): string | null {
  const { search } = list;
  if (!trigrams || dialect.indexesTexts || search === undefined) return null;
  if (!/^[^\p{Cc}\p{Cs}]{3,}$/u.test(search.normalize('NFC'))) return null;
  return spellings(search)
    .map((spelling) => `"${spelling.replaceAll('"', '""')}"`)
    .join(' OR ');
}
