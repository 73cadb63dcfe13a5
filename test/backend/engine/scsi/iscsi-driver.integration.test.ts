import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createIscsiDriver, type LibraryDriver } from '../../../../backend/engine/index.ts';
import { startTapeLibrary, type TapeLibraryLab } from '../../../lab/tape/tape-library.ts';

const { signal } = new AbortController();
const chap = { user: 'backup', password: 'a-long-secret' };
let plain: TapeLibraryLab;
let locked: TapeLibraryLab;
let driver: LibraryDriver;
const leftOut: string[] = [];

beforeAll(async () => {
  plain = await startTapeLibrary({ barcodes: ['A00001L8', 'A00002L8'] });
  locked = await startTapeLibrary({ chap, drives: 1, slots: 30 });
  const portalOf = ({ address, port }: TapeLibraryLab, credentials: typeof chap | null) => ({
    address,
    port,
    credentials,
  });
  driver = createIscsiDriver({
    portals: async () => [
      portalOf(plain, null),
      portalOf(locked, chap),
      { ...portalOf(plain, null), port: 1 },
    ],
    initiatorName: 'iqn.2026-11.example.test:initiator',
    onLeftOut: (where) => leftOut.push(where),
  });
});
afterAll(async () => {
  await plain?.stop();
  await locked?.stop();
});

describe('the driver of iSCSI devices, at two libraries', () => {
  it('finds robots and drives of both, with and without CHAP, and tells of the portal that is not there', async () => {
    const { changers, drives } = await driver.scan(signal);
    expect(changers).toEqual([
      {
        path: plain.path(3),
        vendor: 'LAB',
        model: 'TAPE-LIBRARY',
        serial: 'LIB00001',
        slotsCount: 8,
        drivesCount: 2,
      },
      expect.objectContaining({ path: locked.path(2), slotsCount: 30, drivesCount: 1 }),
    ]);
    expect(drives).toMatchObject([
      { path: plain.path(1), stPath: null, serial: 'DRV00001', changerPath: plain.path(3) },
      { path: plain.path(2), stPath: null, serial: 'DRV00002', changerPath: plain.path(3) },
      { path: locked.path(1), stPath: null, model: 'TAPE-DRIVE', changerPath: locked.path(2) },
    ]);
    expect(leftOut).toEqual(['127.0.0.1:1']);
    expect([
      await driver.isThere(plain.path(3)),
      await driver.isThere('iscsi://127.0.0.1:1/iqn.x/0'),
    ]).toEqual([true, false]);
  });

  it('moves a cartridge to a drive, writes it, and reads it back in the other drive', async () => {
    const changer = await driver.openChanger(plain.path(3), signal);
    const first = await driver.openDrive(plain.path(1), signal);
    const second = await driver.openDrive(plain.path(2), signal);
    await changer.move(1024, 1, signal);
    await first.load(signal);
    const block = Buffer.alloc(256 * 1024, 7);
    await first.write(block, signal);
    await first.writeFilemarks(1, signal);
    // While the cartridge is in use the robot does not get it.
    await expect(changer.move(1, 2, signal)).rejects.toMatchObject({ kind: 'busy' });
    await first.unload(signal);
    await changer.move(1, 2, signal);
    await second.load(signal);
    expect(await second.read(block.length, signal)).toEqual({ kind: 'block', data: block });
    expect(await second.read(block.length, signal)).toEqual({ kind: 'filemark' });
    await second.unload(signal);
    const found = await changer.inventory(signal);
    expect(found.filter(({ full }) => full).map(({ address, barcode }) => [address, barcode])).toEqual([
      [2, 'A00001L8'],
      [1025, 'A00002L8'],
    ]);
    for (const device of [changer, first, second]) await device.close();
  });

  it('opens a unit only as what it is', async () => {
    await expect(driver.openChanger(plain.path(1), signal)).rejects.toMatchObject({ kind: 'permanent' });
    await expect(driver.openDrive(plain.path(3), signal)).rejects.toMatchObject({ kind: 'permanent' });
    await expect(driver.openDrive(plain.path(9), signal)).rejects.toMatchObject({ kind: 'notFound' });
    const other = plain.path(1).replace(plain.iqn, `${plain.iqn}x`);
    await expect(driver.openDrive(other, signal)).rejects.toMatchObject({ kind: 'notFound' });
  });
});
