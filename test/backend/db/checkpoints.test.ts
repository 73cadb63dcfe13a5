import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type OpenDatabase, openDatabase } from '../../../backend/db/index.ts';

let folder: string;
let path: string;
let database: OpenDatabase;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'strongroom-checkpoints-'));
  path = join(folder, 'strongroom.db');
  database = await openDatabase({ kind: 'sqlite', path });
});
afterEach(async () => {
  await database.close();
  await rm(folder, { recursive: true });
});

const pageBytes = 4096;
/** By itself a writer would bring them in from 16,000 on. */
const pages = 4_000;

/** Each commit adds some hundred pages. */
async function write(): Promise<void> {
  const { db } = database;
  for (let commit = 0; commit < 10; commit += 1) {
    await db.transaction().execute(async (tx) => {
      for (let line = 0; line < pages / 10; line += 1) {
        await sql`insert into audit (time_ms, details, action, object_id, status)
          values (${commit}, ${'x'.repeat(pageBytes)}, '', ${line}, 200)`.execute(tx);
      }
    });
  }
}

it('what was committed is brought into the database by a thread of its own, and a closed database has no log', async () => {
  await write();
  const other = new DatabaseSync(path);
  try {
    const look = () =>
      other.prepare('pragma wal_checkpoint(noop)').get() as unknown as Record<'log' | 'checkpointed', number>;
    await expect.poll(() => look().log - look().checkpointed, { timeout: 20_000 }).toBeLessThan(1_000);
    expect(look().log).toBeGreaterThan(pages);
  } finally {
    other.close();
  }
  await database.close();
  expect(
    await stat(`${path}-wal`).then(
      ({ size }) => size,
      () => 0,
    ),
  ).toBe(0);
  database = await openDatabase({ kind: 'sqlite', path });
  const { rows } = await sql<{ count: number }>`select count(*) as count from audit`.execute(database.db);
  expect(rows[0]?.count).toBe(pages);
});
