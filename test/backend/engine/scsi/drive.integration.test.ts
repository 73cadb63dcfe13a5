import { randomBytes } from 'node:crypto';
import { truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createScsiChanger } from '../../../../backend/engine/scsi/changer/changer.ts';
import { createScsiDrive, type ScsiTapeDrive } from '../../../../backend/engine/scsi/drive/drive.ts';
import { createIscsiTransport } from '../../../../backend/engine/scsi/iscsi/initiator.ts';
import { createUnit } from '../../../../backend/engine/scsi/unit.ts';
import {
  startTapeLibrary,
  type TapeLibraryLab,
  type TapeLibraryOptions,
} from '../../../lab/tape/tape-library.ts';

const { signal } = new AbortController();
const options = { initiatorName: 'iqn.2026-11.example.test:initiator' };
const mib = 1024 * 1024;

let lab: TapeLibraryLab;
let toClose: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(toClose.map((close) => close()));
  toClose = [];
  await lab?.stop();
});
const open = (lun: number) => {
  const portal = { address: lab.address, port: lab.port, credentials: null };
  const transport = createIscsiTransport(portal, lab.iqn, options);
  toClose.push(transport.close);
  return [createUnit(transport, { lun, path: lab.path(lun) }), transport.close] as const;
};
const move = (from: number, to: number) => createScsiChanger(...open(lab.changerLun)).move(from, to, signal);
/** The first drive with the first cartridge, loaded. */
const begin = async (more: TapeLibraryOptions = {}): Promise<ScsiTapeDrive> => {
  lab = await startTapeLibrary(more);
  await move(1024, 1);
  const drive = createScsiDrive(...open(1));
  await drive.load(signal);
  return drive;
};
const expectBlock = async (drive: ScsiTapeDrive, block: Buffer, maxBytes = mib): Promise<void> => {
  const met = await drive.read(maxBytes, signal);
  expect(met.kind === 'block' && block.equals(met.data)).toBe(true);
};

describe('a drive of a tape library', () => {
  it.each([{}, { transfer: 'big' }, { transfer: 'unasked' }] as const)(
    'keeps files of blocks of any size (%o)',
    async (transfer) => {
      const drive = await begin(transfer);
      const files = [
        [4, 511, 8192],
        [65_537, 262_144],
        [mib, 100_000, 700_000],
      ].map((sizes) => sizes.map((size) => randomBytes(size)));
      for (const blocks of files) {
        for (const block of blocks) expect(await drive.write(block, signal)).toBe(false);
        expect(await drive.writeFilemarks(1, signal)).toBe(false);
      }
      await drive.writeFilemarks(0, signal);
      await drive.rewind(signal);
      for (const blocks of files) {
        for (const block of blocks) await expectBlock(drive, block);
        expect(await drive.read(mib, signal)).toEqual({ kind: 'filemark' });
      }
      expect(await drive.read(mib, signal)).toEqual({ kind: 'endOfData' });
      expect(drive.position).toEqual({ file: 3, block: 0 });
      await drive.rewind(signal);
      await drive.skipFilemarks(2, signal);
      await expectBlock(drive, files[2]?.[0] ?? Buffer.alloc(0));
      await drive.rewind(signal);
      await expect(drive.skipFilemarks(7, signal)).rejects.toMatchObject({ kind: 'notFound' });
    },
  );

  it('goes on behind what was written last, and from the beginning overwrites all', async () => {
    const drive = await begin();
    await drive.write(Buffer.from('the first'), signal);
    await drive.writeFilemarks(1, signal);
    await drive.rewind(signal);
    await drive.goToEndOfData(signal);
    await drive.write(Buffer.from('the second'), signal);
    await drive.rewind(signal);
    await drive.skipFilemarks(1, signal);
    await expectBlock(drive, Buffer.from('the second'));
    await drive.rewind(signal);
    await drive.write(Buffer.from('a new one'), signal);
    await drive.rewind(signal);
    await expectBlock(drive, Buffer.from('a new one'));
    expect(await drive.read(mib, signal)).toEqual({ kind: 'endOfData' });
  });

  it('refuses a block longer than asked for, and goes on behind it', async () => {
    const drive = await begin();
    await drive.write(randomBytes(5000), signal);
    await drive.rewind(signal);
    await expect(drive.read(1000, signal)).rejects.toMatchObject({ kind: 'corrupt' });
    await drive.rewind(signal);
    expect((await drive.read(5000, signal)).kind).toBe('block');
  });

  it('is emptied and filled in quick turns, each time with the right cartridge (case 119)', async () => {
    const drive = await begin();
    const changer = createScsiChanger(...open(lab.changerLun));
    await drive.write(Buffer.from('cartridge 0'), signal);
    for (let turn = 1; turn < 4; turn += 1) {
      await drive.unload(signal);
      await changer.move(1, 1024 + turn - 1, signal);
      await changer.move(1024 + turn, 1, signal);
      await drive.load(signal);
      await drive.write(Buffer.from(`cartridge ${turn}`), signal);
    }
    for (let turn = 3; turn >= 0; turn -= 1) {
      await drive.rewind(signal);
      await expectBlock(drive, Buffer.from(`cartridge ${turn}`));
      await drive.unload(signal);
      await drive.unload(signal);
      await changer.move(1, 1024 + turn, signal);
      if (turn === 0) break;
      await changer.move(1024 + turn - 1, 1, signal);
      await drive.load(signal);
    }
    await expect(drive.load(signal)).rejects.toMatchObject({ kind: 'notFound' });
  });

  it('warns of the end of the tape; what was written then is there', async () => {
    const drive = await begin({ cartridgeMb: 8 });
    const blocks = Array.from({ length: 60 }, () => randomBytes(256 * 1024));
    let written = 0;
    let isNearEnd = false;
    for (const block of blocks) {
      isNearEnd = await drive.write(block, signal);
      written += 1;
      if (isNearEnd) break;
    }
    expect(isNearEnd).toBe(true);
    expect(written).toBeGreaterThan(28);
    expect(written).toBeLessThan(34);
    await drive.writeFilemarks(1, signal);
    await drive.rewind(signal);
    for (const block of blocks.slice(0, written)) await expectBlock(drive, block);
    expect(await drive.read(mib, signal)).toEqual({ kind: 'filemark' });
  });

  it('without room for a block says that it was not written', async () => {
    const drive = await begin({ cartridgeMb: 64, hardEndMb: 6 });
    const block = randomBytes(256 * 1024);
    let written = 0;
    const failure = await (async () => {
      for (; written < 60; written += 1) await drive.write(block, signal);
    })().catch((error: unknown) => error);
    expect(failure).toMatchObject({ message: expect.stringContaining('3/0C/00') });
    expect(written).toBeGreaterThan(20);
    await drive.rewind(signal);
    for (let index = 0; index < written; index += 1) await expectBlock(drive, block);
  });

  it('does not write on a protected cartridge, and reads it', async () => {
    const drive = await begin();
    await drive.write(Buffer.from('kept'), signal);
    await lab.setReadOnly(1, true);
    await drive.load(signal);
    expect(drive.mode?.isWriteProtected).toBe(true);
    await expect(drive.write(Buffer.from('lost'), signal)).rejects.toMatchObject({ kind: 'permission' });
    await drive.rewind(signal);
    await expectBlock(drive, Buffer.from('kept'));
  });

  it('tells a damaged tape from its end (case 103)', async () => {
    const drive = await begin();
    for (let index = 0; index < 10; index += 1) await drive.write(Buffer.alloc(100_000, index), signal);
    await drive.writeFilemarks(1, signal);
    await drive.unload(signal);
    await move(1, 1024);
    await truncate(join(lab.mediaFolder, 'A00001L8'), 500_000);
    await move(1024, 1);
    await drive.load(signal);
    const met: string[] = [];
    const failure = await (async () => {
      for (let index = 0; index < 12; index += 1) met.push((await drive.read(100_000, signal)).kind);
    })().catch((error: unknown) => error);
    expect(met.every((kind) => kind === 'block')).toBe(true);
    expect(failure).toMatchObject({
      kind: 'corrupt',
      message: expect.stringContaining(`reading block ${met.length} of file 0: medium error`),
    });
  });

  it('has no count of its own at tgtd, which is no failure', async () => {
    const drive = await begin();
    expect(await drive.readPosition(signal)).toBeNull();
    await expect(drive.locate(5, signal)).rejects.toMatchObject({ kind: 'permanent' });
  });

  it('that lost its connection is written no further before it was positioned', async () => {
    const drive = await begin();
    await drive.write(Buffer.from('the first'), signal);
    await lab.cutConnections();
    await expect(drive.write(Buffer.from('the second'), signal)).rejects.toMatchObject({ kind: 'transient' });
    await expect(drive.write(Buffer.from('the second'), signal)).rejects.toThrow('Rewind it first');
    await drive.goToEndOfData(signal);
    await drive.write(Buffer.from('the second'), signal);
    await drive.rewind(signal);
    await expectBlock(drive, Buffer.from('the first'));
    await expectBlock(drive, Buffer.from('the second'));
  });
});
