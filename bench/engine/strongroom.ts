import { startBackup, startRestore, startVerify } from '../../backend/engine/index.ts';

/**
 * One job of the engine as a process of its own, so that it is measured as its peers are:
 * `backup SOURCE STORAGE ID COMPRESSION`, `verify STORAGE ID`, `restore STORAGE ID DESTINATION`.
 */
const [operation, ...args] = process.argv.slice(2);
const [first = '', second = '', third = '', fourth = ''] = args;

switch (operation) {
  case 'backup':
    await startBackup({
      source: first,
      storagePath: second,
      copyId: third,
      compression: fourth as 'None' | 'Fast' | 'Optimal' | 'Best',
    }).result;
    break;
  case 'verify': {
    const found = await startVerify({ storagePath: first, copyId: second }).result;
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
    }).result;
    break;
  default:
    throw new Error(`unknown operation ${operation}`);
}
