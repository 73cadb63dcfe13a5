import { DeviceError, startProof, startTransfer } from '../../../backend/engine/index.ts';

/**
 * Brings a copy to another storage in a process of its own, whose file calls may be made to fail. Says `done`, or the
 * kind of the error. Started by transfer-faults.integration.test.ts.
 */
const [fromStorage = '', fromId = '', toStorage = '', toId = ''] = process.argv.slice(2);
const to = { storagePath: toStorage, copyId: toId };
try {
  await startTransfer({ from: { storagePath: fromStorage, copyId: fromId }, to }).result;
  await startProof(to).result;
  process.stdout.write('done');
} catch (error) {
  process.stdout.write(error instanceof DeviceError ? error.kind : String(error));
}
