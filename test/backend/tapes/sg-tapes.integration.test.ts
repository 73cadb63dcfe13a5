import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import type { Cartridge } from '../../../contract/cartridges/cartridge.ts';
import { type BackupLab, openBackupLab } from '../../support/backup-lab.ts';
import { type SgLibrary, startSgLibrary } from '../../support/sg-library.ts';
import { addTapeLibrary } from './tape-lab.ts';

let sg: SgLibrary;
let lab: BackupLab;
afterEach(async () => {
  await lab?.close();
  await sg?.close();
});

it('a library of SCSI generic is added, backed up to and restored from; without the right its candidate says why', async () => {
  sg = await startSgLibrary();
  lab = await openBackupLab('sg', { libraryDrivers: [sg.driver] });
  sg.failNext('EPERM');
  const info = await lab.superuser.send('POST', '/tape_libraries/candidates/info', {
    media_server: hostname(),
    medium_changer_sg_path: join(sg.devRoot, 'sg2'),
  });
  expect([info.status, info.body.errors.medium_changer_sg_path]).toEqual([
    400,
    expect.stringContaining('CAP_SYS_RAWIO'),
  ]);
  const library = await addTapeLibrary(lab);
  const bytes = randomBytes(9 * 1_048_576);
  await writeFile(join(lab.source, 'random.bin'), bytes);
  const task = await lab.queue.ended(await lab.queue.backup(lab.source, { pool: 'Tapes' }));
  expect([task.status, task.error_message]).toEqual(['done', null]);
  expect((await lab.superuser.send('POST', `/tape_libraries/${library}/sync`)).status).toBe(200);
  const target = join(lab.folder.path, 'restored');
  await mkdir(target);
  const restored = await lab.queue.ended(await lab.queue.restore(Number(task.repository_id), target));
  expect([restored.status, restored.error_message]).toEqual(['done', null]);
  const [found] = (await readdir(target, { recursive: true })).filter((name) => name.endsWith('random.bin'));
  const hash = (data: Buffer): string => createHash('sha256').update(data).digest('hex');
  expect(hash(await readFile(join(target, String(found))))).toBe(hash(bytes));
});

it('a drive to which the kernel lets nothing be sent ends the task with the right that is missing, and calls no cartridge protected', async () => {
  sg = await startSgLibrary();
  lab = await openBackupLab('sg-rights', { libraryDrivers: [sg.driver] });
  await addTapeLibrary(lab);
  sg.forbidden.add('sg0').add('sg1');
  const task = await lab.queue.ended(await lab.queue.backup(lab.source, { pool: 'Tapes' }));
  expect([task.status, task.error_message]).toEqual(['error', expect.stringContaining('CAP_SYS_RAWIO')]);
  const cartridges = await lab.queue.good<Cartridge[]>('GET', '/cartridges');
  expect(cartridges.map((one) => [one.barcode, one.state, one.write_protected])).toEqual([
    ['SR0001L8', 'unlabelled', null],
    ['SR0002L8', 'unlabelled', null],
  ]);
  const log = (await lab.queue.log(task.id, 'servers')).map(({ message }) => message).join('\n');
  expect(log).not.toContain('write-protected');
});

it('a bus that is reset while a cartridge is loaded costs a second look, of a backup and of a restore', async () => {
  sg = await startSgLibrary();
  lab = await openBackupLab('sg-reset', { libraryDrivers: [sg.driver] });
  await addTapeLibrary(lab);
  await writeFile(join(lab.source, 'letter.txt'), 'Dear reader');
  const testUnitReady = ['sg0 00', 'sg1 00'];
  const target = join(lab.folder.path, 'restored');
  await mkdir(target);
  const done = async (id: number) => {
    const task = await lab.queue.ended(id);
    expect([task.status, task.error_message]).toEqual(['done', null]);
    const log = (await lab.queue.log(task.id, 'servers')).map(({ message }) => message).join('\n');
    expect(log).toMatch(/the bus was reset .* SR0001L8 is looked for in the drive once more/);
    return Number(task.repository_id);
  };
  for (const one of testUnitReady) sg.resets.add(one);
  const copy = await done(await lab.queue.backup(lab.source, { pool: 'Tapes' }));
  for (const one of testUnitReady) sg.resets.add(one);
  await done(await lab.queue.restore(copy, target));
  const found = (await readdir(target, { recursive: true })).find((name) => name.endsWith('letter.txt'));
  expect(await readFile(join(target, String(found)), 'utf8')).toBe('Dear reader');
});
