import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { createIscsiDriver, type LibraryDriver } from '../../../backend/engine/index.ts';
import { startTapeLibrary, type TapeLibraryLab } from '../../lab/tape/tape-library.ts';
import { type BackupLab, openBackupLab } from '../../support/backup-lab.ts';
import { addTapeLibrary } from './tape-lab.ts';

const mib = 1_048_576;
/** Of a connection: what usually is half a minute. */
const times = { abortMs: 300, silenceMs: 500, logoutMs: 200 };
let library: TapeLibraryLab;
let lab: BackupLab;
afterEach(async () => {
  library.thaw();
  await lab?.close();
  await library.stop();
});

/** The driver of the product; `beforeWrite` is told how many blocks were written. */
function driverTo(beforeWrite: (blocks: number) => void): LibraryDriver {
  const { address, port } = library;
  const driver = createIscsiDriver({
    portals: async () => [{ address, port, credentials: null }],
    initiatorName: 'iqn.2026-11.local.strongroom:hang',
    loginMs: 1_000,
    times,
  });
  let blocks = 0;
  return {
    ...driver,
    openDrive: async (path, signal) => {
      const drive = await driver.openDrive(path, signal);
      const write: typeof drive.write = (block, ends) => {
        beforeWrite(blocks);
        blocks += 1;
        return drive.write(block, ends);
      };
      return new Proxy(drive, {
        get: (target, name, self) => (name === 'write' ? write : Reflect.get(target, name, self)),
      });
    },
  };
}

it('a library that stops answering while it is written ends the task in bounded time, with what to do; the next one is written', {
  timeout: 120_000,
}, async () => {
  library = await startTapeLibrary({ barcodes: ['A00001L8'], drives: 1, cartridgeMb: 64, transfer: 'big' });
  let isToHang = true;
  const driver = driverTo((blocks) => {
    if (isToHang && blocks === 12) library.freeze();
  });
  lab = await openBackupLab('tape-hang', { libraryDrivers: [driver] });
  const { address, port } = library;
  await lab.queue.good('POST', '/scsi_portals', { media_server: hostname(), address, port });
  await addTapeLibrary(lab);
  await writeFile(join(lab.source, 'random.bin'), randomBytes(8 * mib));
  const began = performance.now();
  const task = await lab.queue.backup(lab.source, { pool: 'Tapes' });
  const hung = await lab.queue.until(task, ({ status }) => ['error', 'suspended', 'done'].includes(status));
  expect(hung.status).toBe('error');
  expect(hung.error_message).toContain('does not answer any more. Look at the library');
  // The write, what is asked of the drive after it, and the way back of the cartridge wait once each.
  expect(performance.now() - began).toBeLessThan(60_000);
  expect(await lab.queue.copies()).toEqual([]);
  isToHang = false;
  library.thaw();
  const again = await lab.queue.ended(await lab.queue.backup(lab.source, { pool: 'Tapes' }));
  expect([again.status, again.error_message]).toEqual(['done', null]);
  const verified = await lab.queue.ended(await lab.queue.verify(Number(again.repository_id)));
  expect([verified.status, verified.error_message]).toEqual(['done', null]);
});
