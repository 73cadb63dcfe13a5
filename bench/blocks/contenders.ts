import { ftruncateSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { HashIndex } from '../../backend/engine/blocks/hash-index.ts';
import { createBlockStore, openBlockStore } from '../../backend/engine/blocks/index.ts';
import { HASH_BYTES } from './hashes.ts';

/** One way to know which hashes there are. `hashes` holds several; `at` is where the one in question begins. */
export interface Contender {
  readonly insert: (hashes: Buffer, at: number, value: number) => void;
  readonly has: (hashes: Buffer, at: number, value: number) => boolean;
  /** After all inserts. */
  readonly settle: () => void;
  /** Bytes in files of its own, where there are any. */
  readonly fileBytes: () => number;
}

export type ContenderName = 'index-memory' | 'index-file' | 'store' | 'map' | 'sqlite';

/** A MiB that holds 1,024 tiny records and their footer. */
const SEGMENT_BYTES = 1_048_576;
const RECORDS_PER_SEGMENT = 1024;

export const contenders: Readonly<Record<ContenderName, (folder: string, blocks: number) => Contender>> = {
  'index-memory': () => indexContender(new HashIndex({ memoryBytes: Number.MAX_SAFE_INTEGER })),
  'index-file': (folder) =>
    indexContender(new HashIndex({ memoryBytes: 0, workingFile: join(folder, 'work') })),
  store: storeContender,
  map: () => {
    const map = new Map<string, number>();
    return {
      insert: (hashes, at, value) => void map.set(hashes.toString('latin1', at, at + HASH_BYTES), value),
      has: (hashes, at) => map.has(hashes.toString('latin1', at, at + HASH_BYTES)),
      settle: () => undefined,
      fileBytes: () => 0,
    };
  },
  sqlite: sqliteContender,
};

function indexContender(index: HashIndex): Contender {
  return {
    insert: (hashes, at, value) => index.insert(hashes, at, value),
    has: (hashes, at, value) => index.find(hashes, at, (place) => place === value) >= 0,
    settle: () => undefined,
    fileBytes: () => index.fileBytes,
  };
}

/** The whole store with tiny blocks: each insert writes a record, each hit is proved in a footer on the device. */
function storeContender(folder: string, blocks: number): Contender {
  const path = join(folder, 'device.img');
  ftruncateSync(openSync(path, 'w'), (Math.ceil(blocks / (RECORDS_PER_SEGMENT / 2)) + 16) * SEGMENT_BYTES);
  createBlockStore(path, { blockBytes: 8192, algorithm: 'sha2', hashBits: 256 });
  const store = openBlockStore(path, { indexFile: join(folder, 'device.index') });
  const content = Buffer.alloc(8);
  return {
    insert: (hashes, at) => void store.put(hashes.subarray(at, at + HASH_BYTES), content),
    has: (hashes, at) => store.has([hashes.subarray(at, at + HASH_BYTES)])[0] === true,
    settle: () => store.sync(),
    fileBytes: () => store.stats().indexFileBytes,
  };
}

function sqliteContender(folder: string): Contender {
  const database = new DatabaseSync(join(folder, 'index.db'));
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -65536');
  database.exec('CREATE TABLE block (hash BLOB PRIMARY KEY, place INTEGER NOT NULL) WITHOUT ROWID, STRICT');
  const insert = database.prepare('INSERT INTO block VALUES (?, ?)');
  const find = database.prepare('SELECT place FROM block WHERE hash = ?');
  const pages = database.prepare(
    'SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size',
  );
  database.exec('BEGIN');
  let pending = 0;
  return {
    insert: (hashes, at, value) => {
      insert.run(hashes.subarray(at, at + HASH_BYTES), value);
      pending += 1;
      if (pending < 50_000) return;
      pending = 0;
      database.exec('COMMIT; BEGIN');
    },
    has: (hashes, at) => find.get(hashes.subarray(at, at + HASH_BYTES)) !== undefined,
    settle: () => database.exec('COMMIT'),
    fileBytes: () => Number((pages.get() as { readonly bytes: number }).bytes),
  };
}
