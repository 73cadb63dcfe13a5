import { openDatabase } from '../../../backend/db/index.ts';

/**
 * Writes pairs of rows, each pair in one transaction, and says a number on standard output once its pair is
 * committed. Started and killed by crash.integration.test.ts.
 */
const [path = '', first = '0'] = process.argv.slice(2);
const { db } = await openDatabase({ kind: 'sqlite', path });
for (let number = Number(first); ; number += 1) {
  await db.transaction().execute(async (tx) => {
    for (const side of ['a', 'b']) {
      await tx
        .insertInto('installation')
        .values({ name: `${side}${number}`, value: 'x'.repeat(500) })
        .execute();
    }
  });
  process.stdout.write(`${number}\n`);
}
