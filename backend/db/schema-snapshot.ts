import { sql } from 'kysely';
import type { Db } from './database.ts';

/** The schema of a SQLite database as text, one column a line: what a migration changes is seen in review. */
export async function schemaSnapshot(db: Db): Promise<string> {
  const { rows } = await sql<{ sql: string }>`
    select sql from sqlite_schema
    where sql is not null and name not like 'sqlite_%'
      and name not in (select name from pragma_table_list where type = 'shadow')
    order by tbl_name, type desc, name`.execute(db);
  return rows.map((row) => `${oneColumnALine(row.sql)};\n`).join('\n');
}

function oneColumnALine(statement: string): string {
  if (!/^create table/i.test(statement)) return statement;
  const [, head = '', body = '', tail = ''] = /^([^(]*)\((.*)\)([^)]*)$/s.exec(statement) ?? [];
  const columns = body.split(/,(?![^(]*\))/).map((column) => `  ${column.trim().replace(/\s+/g, ' ')}`);
  return `${head.trim()} (\n${columns.join(',\n')}\n)${tail.trimEnd()}`;
}
