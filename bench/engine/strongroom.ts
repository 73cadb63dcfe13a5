import {
  type ClientKey,
  COPY_CIPHERS,
  ensureClientKey,
  startBackup,
  startRestore,
  startVerify,
} from '../../backend/engine/index.ts';

/**
 * One job of the engine as a process of its own, so that it is measured as its peers are:
 * `backup SOURCE STORAGE ID COMPRESSION [BASE]`, `verify STORAGE ID`, `restore STORAGE ID DESTINATION`. With
 * `STRONGROOM_BENCH_CRYPTO` and `STRONGROOM_BENCH_KEY` (a file) in the environment the copy is encrypted.
 */
const [operation, ...args] = process.argv.slice(2);
const key = await keyOf(process.env.STRONGROOM_BENCH_CRYPTO ?? '', process.env.STRONGROOM_BENCH_KEY ?? '');
const [first = '', second = '', third = '', fourth = '', fifth = ''] = args;

switch (operation) {
  case 'backup':
    await startBackup({
      source: first,
      storagePath: second,
      copyId: third,
      compression: fourth as 'None' | 'Fast' | 'Optimal' | 'Best',
      key,
      base: fifth === '' ? null : { copies: [{ copyId: fifth, storagePath: second }] },
    }).result;
    break;
  case 'verify': {
    const found = await startVerify({ storagePath: first, copyId: second, key }).result;
    if (found.status !== 'trusted') throw new Error(`the copy is ${found.status}`);
    break;
  }
  case 'restore':
    await startRestore({
      storagePath: first,
      copyId: second,
      destination: third,
      onExisting: 'replace',
      forbidden: [],
      key,
    }).result;
    break;
  default:
    throw new Error(`unknown operation ${operation}`);
}

async function keyOf(crypto: string, file: string): Promise<ClientKey | null> {
  const cipher = COPY_CIPHERS.find((known) => known === crypto);
  return cipher === undefined ? null : (await ensureClientKey(file, cipher)).key;
}
