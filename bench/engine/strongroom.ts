import { statSync } from 'node:fs';
import {
  type ClientKey,
  COPY_CIPHERS,
  ensureClientKey,
  type StoreThread,
  startBackup,
  startRestore,
  startStoreThread,
  startVerify,
} from '../../backend/engine/index.ts';

/**
 * One job of the engine as a process of its own, so that it is measured as its peers are:
 * `backup SOURCE STORAGE ID COMPRESSION [BASE]`, `verify STORAGE ID`, `restore STORAGE ID DESTINATION`. With
 * `STRONGROOM_BENCH_CRYPTO` and `STRONGROOM_BENCH_KEY` (a file) in the environment the copy is encrypted; with
 * `STRONGROOM_BENCH_DEVICE` and `STRONGROOM_BENCH_INDEX` (files) its data are blocks of the store on that device.
 */
const [operation, ...args] = process.argv.slice(2);
const key = await keyOf(process.env.STRONGROOM_BENCH_CRYPTO ?? '', process.env.STRONGROOM_BENCH_KEY ?? '');
const [first = '', second = '', third = '', fourth = '', fifth = ''] = args;

const blocks = await storeAt(process.env.STRONGROOM_BENCH_DEVICE ?? '');
const session = (await blocks?.call('openSession', null)) ?? 0;

switch (operation) {
  case 'backup':
    await startBackup({
      source: first,
      storagePath: second,
      copyId: third,
      compression: fourth as 'None' | 'Fast' | 'Optimal' | 'Best',
      key,
      blocks,
      base: fifth === '' ? null : { copies: [{ copyId: fifth, storagePath: second }] },
    }).result;
    break;
  case 'verify': {
    const found = await startVerify({ storagePath: first, copyId: second, key, blocks }).result;
    if (found.status !== 'trusted') throw new Error(`the copy is ${found.status}`);
    break;
  }
  case 'restore': {
    const restored = await startRestore({
      storagePath: first,
      copyId: second,
      destination: third,
      onExisting: 'replace',
      forbidden: [],
      key,
      blocks,
    }).result;
    // What is not restored takes no time.
    if (restored.outcome !== 'complete') throw new Error(`${restored.problemsTotal} items were not restored`);
    break;
  }
  default:
    throw new Error(`unknown operation ${operation}`);
}

await blocks?.call('endSession', session);
await blocks?.close();

/** Made when there is none, as the server makes it; null: the copy has an archive of its own. */
async function storeAt(device: string): Promise<StoreThread | null> {
  if (device === '') return null;
  const indexFile = process.env.STRONGROOM_BENCH_INDEX ?? '';
  const create = { blockBytes: 131_072, algorithm: 'blake3', hashBits: 256 } as const;
  return await startStoreThread(device, { indexFile, ...(isEmpty(device) ? { create } : {}) });
}

/** No byte of the file lies on the disk yet. */
function isEmpty(file: string): boolean {
  return statSync(file).blocks === 0;
}

async function keyOf(crypto: string, file: string): Promise<ClientKey | null> {
  const cipher = COPY_CIPHERS.find((known) => known === crypto);
  return cipher === undefined ? null : (await ensureClientKey(file, cipher)).key;
}
