import { existsSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openDatabase } from '../../backend/db/index.ts';
import { makeTempDir, memoryParent } from './temp-dir.ts';

// Names a catalogue that is new and empty, in the newest schema; every new test server begins with a copy of it.
const newCatalogueVariable = 'STRONGROOM_TEST_NEW_CATALOGUE';

/** Made once for the whole run: all steps of the schema take a fifth of a second of CPU, and hundreds of servers start. */
export async function setup(): Promise<() => Promise<void>> {
  const folder = await makeTempDir('new-catalogue', memoryParent);
  const path = join(folder.path, 'strongroom.db');
  const database = await openDatabase({ kind: 'sqlite', path });
  await database.close();
  process.env[newCatalogueVariable] = path;
  return folder.remove;
}

/** Puts it where a test server is about to make its own; a catalogue that lies there stays. */
export async function beginWithNewCatalogue(path: string): Promise<void> {
  const made = process.env[newCatalogueVariable];
  if (made !== undefined && !existsSync(path)) await copyFile(made, path);
}
