import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase, schemaSnapshot } from './db/index.ts';

// Prints docs/schema.sql, the schema that the migrations make; `npm run generate` writes it.
const folder = await mkdtemp(join(tmpdir(), 'strongroom-schema-'));
try {
  const { db, close } = await openDatabase({ kind: 'sqlite', path: join(folder, 'schema.db') });
  process.stdout.write(await schemaSnapshot(db));
  await close();
} finally {
  await rm(folder, { recursive: true, force: true });
}
