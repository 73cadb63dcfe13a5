import { setImmediate as turn } from 'node:timers/promises';
import { sql } from 'kysely';
import { openDatabase } from '../../../backend/db/index.ts';

/** Writes rows in as many commits, half of them at once, and says how each ended and how many rows are there. */
const [path = '', commits = ''] = process.argv.slice(2);
const { db, close } = await openDatabase({ kind: 'sqlite', path });
const write = async (number: number): Promise<string> => {
  const row = { name: `n${number}`, value: '' };
  try {
    // Both ways to write.
    if (number % 2 === 0) await db.insertInto('installation').values(row).execute();
    else await db.transaction().execute((tx) => tx.insertInto('installation').values(row).execute());
    return 'written';
  } catch (error) {
    return String(error);
  }
};
/** From now on commits wait outside of the main thread: who writes little does not need the thread. */
for (let isOutside = false; !isOutside; await turn()) {
  await db.updateTable('installation').set({ value: '' }).where('name', '=', 'none').execute();
  const { rows } = await db
    .transaction()
    .execute((tx) => sql<{ synchronous: number }>`pragma synchronous`.execute(tx));
  isOutside = rows[0]?.synchronous === 1;
}
const half = Number(commits) / 2;
const ends: string[] = [];
for (let number = 0; number < half; number += 1) ends.push(await write(number));
ends.push(...(await Promise.all(Array.from({ length: half }, (_, number) => write(half + number)))));
const rows = await db.selectFrom('installation').select('name').where('name', 'like', 'n%').execute();
process.stdout.write(JSON.stringify({ ends, rows: rows.length }));
// Where nothing can be brought to the disk, this fails too.
await close();
