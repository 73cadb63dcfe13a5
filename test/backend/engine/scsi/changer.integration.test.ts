import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createScsiChanger, type ScsiChanger } from '../../../../backend/engine/scsi/changer/changer.ts';
import { inquire, readSerial, reportLuns } from '../../../../backend/engine/scsi/inquiry.ts';
import { createIscsiTransport } from '../../../../backend/engine/scsi/iscsi/initiator.ts';
import { createUnit } from '../../../../backend/engine/scsi/unit.ts';
import {
  startTapeLibrary,
  type TapeLibraryLab,
  type TapeLibraryOptions,
} from '../../../lab/tape/tape-library.ts';

const { signal } = new AbortController();
const options = { initiatorName: 'iqn.2026-11.example.test:initiator' };

let lab: TapeLibraryLab;
let toClose: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(toClose.map((close) => close()));
  toClose = [];
  await lab?.stop();
});
const unitOf = (lun: number) => {
  const portal = { address: lab.address, port: lab.port, credentials: null };
  const transport = createIscsiTransport(portal, lab.iqn, options);
  toClose.push(transport.close);
  return { transport, unit: createUnit(transport, { lun, path: lab.path(lun) }) };
};
const begin = async (more: TapeLibraryOptions = {}): Promise<ScsiChanger> => {
  lab = await startTapeLibrary(more);
  const { unit, transport } = unitOf(lab.changerLun);
  return createScsiChanger(unit, transport.close);
};
const barcodes = async (changer: ScsiChanger): Promise<Record<number, string>> => {
  const found = await changer.inventory(signal);
  return Object.fromEntries(
    found.flatMap(({ address, barcode }) => (barcode === null ? [] : [[address, barcode]])),
  );
};

describe('the robot of a tape library', () => {
  it('is told from the drives, and says where its places are', async () => {
    const changer = await begin();
    const { unit } = unitOf(0);
    expect(await reportLuns(unit, signal)).toEqual([0, 1, 2, 3]);
    const robot = unitOf(3).unit;
    expect(await inquire(robot, signal)).toEqual({
      type: 8,
      vendor: 'LAB',
      model: 'TAPE-LIBRARY',
      revision: '0001',
    });
    expect(await readSerial(robot, signal)).toBe('LIB00001');
    expect((await inquire(unitOf(1).unit, signal)).type).toBe(1);
    expect((await inquire(unitOf(9).unit, signal)).type).toBe(0x1f);
    expect(await changer.addresses(signal)).toEqual({
      robot: { first: 16, count: 1 },
      storage: { first: 1024, count: 8 },
      mail: { first: 768, count: 1 },
      drive: { first: 1, count: 2 },
    });
  });

  it('lists all its places with barcodes; of drives the serial number', async () => {
    const changer = await begin({ barcodes: ['A00001L8', 'CLN001L1'] });
    const found = await changer.inventory(signal);
    expect(found).toHaveLength(12);
    expect(found[0]).toEqual({
      address: 1,
      kind: 'drive',
      full: false,
      barcode: null,
      exception: false,
      reason: null,
      // tgtd sets the bit of access for none of its places, which is no open door.
      reachable: null,
      fromOutside: false,
      driveSerial: 'DRV00001',
    });
    // tgtd's answer is eight bytes short, so that the serial number of its last drive is not whole.
    expect(found[1]).toMatchObject({ address: 2, kind: 'drive', driveSerial: null });
    expect(found.filter(({ full }) => full)).toMatchObject([
      { address: 1024, kind: 'storage', barcode: 'A00001L8' },
      { address: 1025, kind: 'storage', barcode: 'CLN001L1' },
    ]);
    await changer.initialize(signal);
  });

  it('moves a cartridge to a drive, back to another slot, and out through the mail slot', async () => {
    const changer = await begin();
    // The first command of the session, which tgtd refuses with "reset": it is moved once all the same.
    await changer.move(1024, 2, signal);
    expect(await barcodes(changer)).toMatchObject({ 2: 'A00001L8' });
    await changer.move(2, 1030, signal);
    await changer.move(1030, 768, signal);
    expect(await barcodes(changer)).toEqual({
      768: 'A00001L8',
      1025: 'A00002L8',
      1026: 'A00003L8',
      1027: 'A00004L8',
    });
    // The operator takes it out and puts another one in.
    await lab.place('mail', 768, null);
    await lab.makeCartridge('B00001L8');
    await lab.place('mail', 768, 'B00001L8');
    await changer.move(768, 1024, signal);
    expect(await barcodes(changer)).toMatchObject({ 1024: 'B00001L8' });
  });

  it('says what is wrong with a move, and nothing has moved', async () => {
    const changer = await begin();
    const before = await barcodes(changer);
    await expect(changer.move(1030, 1, signal)).rejects.toMatchObject({
      kind: 'busy',
      message: expect.stringContaining('the source place is empty (5/3B/0E); nothing was moved'),
    });
    await expect(changer.move(1024, 1025, signal)).rejects.toMatchObject({
      kind: 'busy',
      message: expect.stringContaining('the target place is full (5/3B/0D)'),
    });
    await expect(changer.move(1024, 4000, signal)).rejects.toMatchObject({ kind: 'permanent' });
    expect(await barcodes(changer)).toEqual(before);
  });

  it('does not take a cartridge that the drive holds (case 114)', async () => {
    const changer = await begin();
    await changer.move(1024, 1, signal);
    const { unit } = unitOf(1);
    const prevent = { cdb: Uint8Array.of(0x1e, 0, 0, 0, 1, 0), timeoutMs: 10_000, signal, doing: 'locking' };
    await unit.run({ ...prevent, onAttention: 'repeat' });
    await expect(changer.move(1, 1024, signal)).rejects.toMatchObject({
      kind: 'busy',
      message: expect.stringContaining('Unload the drive'),
    });
    await unit.run({ ...prevent, cdb: Uint8Array.of(0x1e, 0, 0, 0, 0, 0), onAttention: 'repeat' });
    await changer.move(1, 1024, signal);
  });

  it('that cannot load a cartridge leaves its place unknown, and the drive works for the next', async () => {
    const changer = await begin();
    await rm(join(lab.mediaFolder, 'A00001L8'));
    await expect(changer.move(1024, 1, signal)).rejects.toMatchObject({ kind: 'permanent' });
    await changer.move(1025, 1, signal);
    expect(await barcodes(changer)).toMatchObject({ 1: 'A00002L8', 1024: 'A00001L8' });
  });

  it('with two thousand slots is listed whole (case 112)', async () => {
    const changer = await begin({ slots: 2000, barcodes: ['A00001L8'] });
    const found = await changer.inventory(signal);
    expect(found.filter(({ kind }) => kind === 'storage')).toHaveLength(2000);
  });

  it('that was restarted is found as it is now', async () => {
    const changer = await begin();
    await changer.move(1024, 1030, signal);
    await lab.kill();
    await lab.restart();
    // The connection may turn out dead only now; then the next call makes a new one.
    const found = await barcodes(changer).catch(() => barcodes(changer));
    expect(found).toMatchObject({ 1024: 'A00001L8' });
    expect(found).not.toHaveProperty('1030');
  });
});
