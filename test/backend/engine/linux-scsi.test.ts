import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createLibraryDrivers,
  createLinuxScsiDriver,
  type LibraryDriver,
} from '../../../backend/engine/index.ts';
import { createScriptedLibrary } from '../../support/scripted-library.ts';
import { makeTempDir } from '../../support/temp-dir.ts';

let folder: Awaited<ReturnType<typeof makeTempDir>>;
let driver: LibraryDriver;
const { signal } = new AbortController();

beforeEach(async () => {
  folder = await makeTempDir('sysfs');
  driver = createLinuxScsiDriver({ sysRoot: folder.path });
});
afterEach(() => folder.remove());

/** A device as Linux shows it: a folder at its SCSI address, and a link to it from its generic node. */
const addDevice = async (
  name: string,
  device: { address: string; type: number; serial?: string; st?: string; model?: string },
): Promise<void> => {
  const at = join(folder.path, 'devices', device.address);
  await mkdir(join(at, 'scsi_tape'), { recursive: true });
  await writeFile(join(at, 'type'), `${device.type}\n`);
  await writeFile(join(at, 'vendor'), 'STK     \n');
  await writeFile(join(at, 'model'), `${device.model ?? 'L700'}            \n`);
  if (device.serial !== undefined) {
    const text = Buffer.from(device.serial.padEnd(12), 'latin1');
    await writeFile(
      join(at, 'vpd_pg80'),
      Buffer.concat([Buffer.from([device.type, 0x80, 0, text.length]), text]),
    );
  }
  for (const st of device.st ? [device.st, `n${device.st}`, `${device.st}a`] : []) {
    await mkdir(join(at, 'scsi_tape', st));
  }
  const node = join(folder.path, 'class/scsi_generic', name);
  await mkdir(node, { recursive: true });
  await symlink(at, join(node, 'device'));
};

describe('the scan of SCSI generic devices', () => {
  it('finds robots and drives, by the number of their nodes, and nothing else', async () => {
    await addDevice('sg10', { address: '2:0:1:0', type: 1, serial: 'DRV2', st: 'st1' });
    await addDevice('sg2', { address: '2:0:0:1', type: 8, serial: 'ROBOT' });
    await addDevice('sg0', { address: '0:0:0:0', type: 0, serial: 'DISK' });
    await addDevice('sg1', { address: '2:0:0:0', type: 1, serial: 'DRV1', st: 'st0', model: 'ULT3580-TD8' });
    expect(await driver.scan(signal)).toEqual({
      changers: [
        { path: '/dev/sg2', vendor: 'STK', model: 'L700', serial: 'ROBOT', slotsCount: null, drivesCount: 2 },
      ],
      drives: [
        {
          path: '/dev/sg1',
          stPath: '/dev/st0',
          vendor: 'STK',
          model: 'ULT3580-TD8',
          serial: 'DRV1',
          changerPath: '/dev/sg2',
        },
        {
          path: '/dev/sg10',
          stPath: '/dev/st1',
          vendor: 'STK',
          model: 'L700',
          serial: 'DRV2',
          changerPath: '/dev/sg2',
        },
      ],
    });
  });

  it('guesses no robot for a drive where there are several, but takes the one on its own target', async () => {
    await addDevice('sg0', { address: '2:0:0:0', type: 1 });
    await addDevice('sg1', { address: '2:0:0:1', type: 8 });
    await addDevice('sg2', { address: '2:0:5:1', type: 8 });
    await addDevice('sg3', { address: '2:0:7:0', type: 1 });
    await addDevice('sg4', { address: '3:0:0:0', type: 1 });
    const { drives } = await driver.scan(signal);
    expect(drives.map(({ changerPath }) => changerPath)).toEqual(['/dev/sg1', null, null]);
  });

  it('takes what a device says of itself as text only where it is printable', async () => {
    await addDevice('sg0', { address: '2:0:0:1', type: 8, serial: 'A\u001b[2J\u00001', model: 'L\u0007X' });
    expect((await driver.scan(signal)).changers[0]).toMatchObject({ serial: 'A[2J1', model: 'LX' });
  });

  it('is empty where there are no such devices, and on this host does not fail', async () => {
    expect(await driver.scan(signal)).toEqual({ changers: [], drives: [] });
    const { changers, drives } = await createLinuxScsiDriver().scan(signal);
    expect([...changers, ...drives].every(({ path }) => path.startsWith('/dev/sg'))).toBe(true);
  });

  it('knows whether a device is there, and that one without a node cannot be opened', async () => {
    await addDevice('sg2', { address: '2:0:0:1', type: 8 });
    expect([await driver.isThere('/dev/sg2'), await driver.isThere('/dev/sg3')]).toEqual([true, false]);
    await expect(driver.openChanger('/dev/sg_none', signal)).rejects.toMatchObject({ kind: 'notFound' });
  });
});

describe('several drivers', () => {
  it('are asked together; one that fails hides nothing of the others', async () => {
    const one = createScriptedLibrary({ name: 'one' });
    const two = createScriptedLibrary({ name: 'two' });
    const drivers = createLibraryDrivers([driver, one.driver, two.driver]);
    one.fail('scan', 'permanent');
    const found = await drivers.scan(signal);
    expect(found.changers.map(({ serial }) => serial)).toEqual(['LIB-two']);
    expect(found.problems).toEqual([{ driver: 'scripted-one', error: expect.any(Error) }]);
    expect(await drivers.isThere(two.path)).toBe(true);
    expect(await drivers.isThere('unknown://x')).toBe(false);
    await expect(drivers.openChanger('unknown://x', signal)).rejects.toMatchObject({ kind: 'notFound' });
    await (await drivers.openChanger(two.path, signal)).close();
  });

  it('of one name are a mistake that is told at once', () => {
    expect(() => createLibraryDrivers([driver, createLinuxScsiDriver()])).toThrow('linux-scsi');
  });
});
