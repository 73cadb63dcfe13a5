import { sql } from 'kysely';
import type { Migration } from './migration.ts';

const proofColumns = ['proven_ms', 'proven_files', 'proven_bytes', 'proof_failure'] as const;

/** Samples of new copies that are restored and compared, and what came of it. */
export const restoreProofs: Migration = {
  version: 20,
  name: 'restore proofs',
  async up({ db, dialect }) {
    const { integer, text } = dialect.types;
    const add = (table: string, column: string, type: string) =>
      sql`alter table ${sql.table(table)} add column ${sql.ref(column)} ${sql.raw(type)}`.execute(db);
    await add('strategies', 'restore_proof_files', integer);
    await add('strategies', 'restore_proof_size', integer);
    await add('copies', 'proven_ms', integer);
    await add('copies', 'proven_files', integer);
    await add('copies', 'proven_bytes', integer);
    await add('copies', 'proof_failed_ms', integer);
    await add('copies', 'proof_failure', text);
    // As those of the other columns of the list of copies.
    for (const column of proofColumns) {
      await db.schema
        .createIndex(`copies_by_${column}`)
        .on('copies')
        .columns([column, ...(dialect.kind === 'sqlite' ? [] : ['id'])])
        .where(sql<boolean>`deleting = 0`)
        .execute();
    }
    await db.schema
      .createIndex('copies_proof_failed')
      .on('copies')
      .column('proof_failed_ms')
      .where(sql<boolean>`proof_failed_ms is not null`)
      .execute();
  },
};
