import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { DeviceError, type TapeRead } from '../../../../backend/engine/index.ts';
import { createScsiDrive } from '../../../../backend/engine/scsi/drive/drive.ts';
import { createUnit } from '../../../../backend/engine/scsi/unit.ts';
import { createSimulatedDrive, type SimulatedDrive } from './simulated-drive.ts';
import { check, createSimulatedClock, good } from './simulated-unit.ts';

const { signal } = new AbortController();
const driveOf = (unit: SimulatedDrive, clock = createSimulatedClock()) =>
  createScsiDrive(createUnit(unit.transport, { lun: 1, path: 'drive', clock }), unit.transport.close);
const loaded = async (unit: SimulatedDrive) => {
  const drive = driveOf(unit);
  await drive.load(signal);
  return drive;
};
const bytesOf = (met: TapeRead): Buffer => {
  if (met.kind === 'block') return Buffer.from(met.data);
  throw new Error(`met ${met.kind}`);
};

describe('loading', () => {
  it('sets blocks of variable length, locks the cartridge and stands at the beginning', async () => {
    const unit = createSimulatedDrive();
    const drive = await loaded(unit);
    expect(unit.blockLengths).toEqual([0]);
    expect(unit.isLocked).toBe(true);
    expect(drive.position).toEqual({ file: 0, block: 0 });
    expect(drive.mode).toEqual({ isWriteProtected: false, density: 0x5e, blockBytes: 0 });
    // The density stays what the drive said it is.
    expect(Buffer.from(unit.commands.find(({ cdb }) => cdb[0] === 0x15)?.dataOut ?? [])[4]).toBe(0x5e);
    await drive.load(signal);
    expect(drive.position).toEqual({ file: 0, block: 0 });
  });

  it('waits for two hours while the drive calibrates a new cartridge (case 116)', async () => {
    const unit = createSimulatedDrive();
    const clock = createSimulatedClock();
    const twoHours = 2 * 60 * 60_000;
    const becoming = Array.from({ length: twoHours / 5000 }, () => check(2, 0x04, 0x01));
    unit.next(0x00, ...becoming);
    await driveOf(unit, clock).load(signal);
    expect(clock.now()).toBeGreaterThan(0.9 * twoHours);
    expect(unit.log).not.toContain(0x1b);
  });

  it('gives up after three hours, saying so', async () => {
    const unit = createSimulatedDrive();
    unit.next(0x00, ...Array.from({ length: 5000 }, () => check(2, 0x04, 0x01)));
    await expect(driveOf(unit).load(signal)).rejects.toMatchObject({
      kind: 'busy',
      message: expect.stringContaining('not ready after 3 hours'),
    });
  });

  it('orders the drive to load where it waits for that', async () => {
    const unit = createSimulatedDrive();
    unit.next(0x00, check(6, 0x28, 0), check(2, 0x04, 0x02));
    await loaded(unit);
    expect(unit.commands.find(({ cdb }) => cdb[0] === 0x1b)?.cdb[4]).toBe(1);
  });

  it.each([
    ['an empty drive', check(2, 0x3a, 0), 'notFound', 'no cartridge'],
    ['a cleaning cartridge', check(2, 0x30, 3), 'permanent', 'cleaning cartridge'],
    ['a cartridge of another kind', check(3, 0x30, 0), 'corrupt', 'this kind of cartridge'],
    ['a drive that needs a person', check(2, 0x04, 3), 'busy', 'needs a person'],
    ['a defect', check(4, 0x44, 0), 'permanent', 'internal failure'],
  ])('of %s says so', async (_what, answer, kind, words) => {
    const unit = createSimulatedDrive();
    unit.next(0x00, check(6, 0x29, 0), ...Array.from({ length: 5 }, () => answer));
    unit.next(0x1b, answer);
    await expect(driveOf(unit).load(signal)).rejects.toMatchObject({
      kind,
      message: expect.stringContaining(words),
    });
  });

  it('in quick turns gets the cartridge that is there now (case 119)', async () => {
    const unit = createSimulatedDrive();
    const drive = await loaded(unit);
    await drive.write(Buffer.from('first'), signal);
    await drive.unload(signal);
    await expect(drive.read(100, signal)).rejects.toMatchObject({ kind: 'transient' });
    unit.tape.splice(0, unit.tape.length, Buffer.from('second'));
    unit.insert();
    unit.next(0x00, check(6, 0x28, 0), check(2, 0x04, 0x01), check(2, 0x04, 0x01));
    await drive.load(signal);
    expect(bytesOf(await drive.read(100, signal)).toString()).toBe('second');
    expect(unit.blockLengths).toEqual([0, 0]);
  });

  it('can be cancelled while it waits', async () => {
    const unit = createSimulatedDrive();
    const cancel = new AbortController();
    unit.next(0x00, ...Array.from({ length: 50 }, () => check(2, 0x04, 0x01)));
    const clock = createSimulatedClock();
    const stopping = {
      ...clock,
      wait: async (ms: number, given: AbortSignal) => {
        if (clock.now() > 10_000) cancel.abort();
        await clock.wait(ms, given);
      },
    };
    const drive = createScsiDrive(
      createUnit(unit.transport, { lun: 1, path: 'drive', clock: stopping }),
      unit.transport.close,
    );
    await expect(drive.load(cancel.signal)).rejects.toMatchObject({ kind: 'cancelled' });
  });
});

describe('unloading', () => {
  it('unlocks first and may be repeated', async () => {
    const unit = createSimulatedDrive();
    const drive = await loaded(unit);
    await drive.unload(signal);
    expect(unit.isLocked).toBe(false);
    expect(unit.log.lastIndexOf(0x1e)).toBeLessThan(unit.log.indexOf(0x1b));
    await drive.unload(signal);
  });

  it('asks with the other bit only where the usual order does nothing', async () => {
    const usual = createSimulatedDrive();
    await (await loaded(usual)).unload(signal);
    expect(usual.commands.filter(({ cdb }) => cdb[0] === 0x1b).map(({ cdb }) => cdb[4])).toEqual([0]);
    const other = createSimulatedDrive({ needsOtherUnload: true });
    await (await loaded(other)).unload(signal);
    expect(other.commands.filter(({ cdb }) => cdb[0] === 0x1b).map(({ cdb }) => cdb[4])).toEqual([0, 2]);
  });

  it('by the robot itself leaves the cartridge rewound and unlocked, and may be repeated (case 114)', async () => {
    const unit = createSimulatedDrive();
    const drive = await loaded(unit);
    await drive.write(randomBytes(1000), signal);
    const before = unit.log.length;
    await drive.letGo(signal);
    expect(unit.isLocked).toBe(false);
    expect(unit.log.slice(before)).toContain(0x01);
    expect(unit.log).not.toContain(0x1b);
    await expect(drive.write(randomBytes(1000), signal)).rejects.toMatchObject({ kind: 'transient' });
    await drive.unload(signal);
    // Nothing is there any more.
    await drive.letGo(signal);
  });

  it('that does not succeed says so', async () => {
    const unit = createSimulatedDrive();
    const drive = await loaded(unit);
    unit.next(0x1b, good(), good());
    await expect(drive.unload(signal)).rejects.toMatchObject({ kind: 'permanent' });
  });
});

describe('reading', () => {
  it.each([false, true])(
    'gives blocks in their own length, marks and the end (sends little: %s)',
    async (sendsLittle) => {
      const unit = createSimulatedDrive({ sendsLittle });
      const blocks = [1000, 1, 65_536, 50_000, 40_000].map((size) => randomBytes(size));
      unit.tape.push(...blocks.slice(0, 3), 'mark', 'mark', ...blocks.slice(3));
      const drive = await loaded(unit);
      for (const block of blocks.slice(0, 3)) {
        expect(bytesOf(await drive.read(65_536, signal)).equals(block)).toBe(true);
      }
      expect(await drive.read(65_536, signal)).toEqual({ kind: 'filemark' });
      expect(await drive.read(65_536, signal)).toEqual({ kind: 'filemark' });
      for (const block of blocks.slice(3)) {
        expect(bytesOf(await drive.read(65_536, signal)).equals(block)).toBe(true);
      }
      expect(await drive.read(65_536, signal)).toEqual({ kind: 'endOfData' });
      expect(await drive.read(65_536, signal)).toEqual({ kind: 'endOfData' });
      expect(drive.position).toEqual({ file: 2, block: 2 });
    },
  );

  it.each([false, true])('refuses a block longer than allowed (sends little: %s)', async (sendsLittle) => {
    const unit = createSimulatedDrive({ sendsLittle });
    unit.tape.push(Buffer.alloc(2000));
    const drive = await loaded(unit);
    await expect(drive.read(1000, signal)).rejects.toMatchObject({
      kind: 'corrupt',
      message: expect.stringContaining('the block has 2000 bytes'),
    });
  });

  it('of a damaged place fails with the place and is no end, wherever it is (case 103)', async () => {
    const items = [Buffer.from('a'), 'mark', Buffer.from('b'), 'mark', Buffer.from('c')] as const;
    const places = [
      'block 0 of file 0',
      'block 1 of file 0',
      'block 0 of file 1',
      'block 1 of file 1',
      'block 0 of file 2',
    ];
    for (const [index, place] of places.entries()) {
      const unit = createSimulatedDrive();
      unit.tape.push(...items);
      unit.damage(index);
      const drive = await loaded(unit);
      for (let before = 0; before < index; before += 1) await drive.read(100, signal);
      await expect(drive.read(100, signal)).rejects.toMatchObject({
        kind: 'corrupt',
        message: `drive: reading ${place}: medium error: reading failed (3/11/00).`,
      });
      await expect(drive.read(100, signal)).rejects.toMatchObject({ kind: 'transient' });
      await drive.rewind(signal);
    }
  });

  it('refuses what a drive says that cannot be', async () => {
    const unit = createSimulatedDrive();
    const drive = await loaded(unit);
    const strange = [
      check(0, 0, 0, { incorrectLength: true }),
      check(0, 0, 0, { incorrectLength: true, information: 100 }),
      check(0, 0, 0, { incorrectLength: true, information: -2_000_000_000 }),
      good(Buffer.alloc(5)),
    ];
    for (const answer of strange) {
      unit.next(0x08, answer);
      await expect(drive.read(100, signal)).rejects.toMatchObject({ kind: 'corrupt' });
      await drive.rewind(signal);
    }
  });

  it('skips marks, and says so when there are not as many', async () => {
    const unit = createSimulatedDrive();
    unit.tape.push(Buffer.from('a'), 'mark', Buffer.from('b'), 'mark', Buffer.from('c'));
    const drive = await loaded(unit);
    await drive.skipFilemarks(2, signal);
    expect(drive.position).toEqual({ file: 2, block: 0 });
    expect(bytesOf(await drive.read(10, signal)).toString()).toBe('c');
    await drive.rewind(signal);
    await expect(drive.skipFilemarks(3, signal)).rejects.toMatchObject({ kind: 'notFound' });
    await expect(drive.read(10, signal)).rejects.toMatchObject({ kind: 'transient' });
  });

  it('goes by logical blocks where the drive can', async () => {
    const unit = createSimulatedDrive({ knowsLocate: true });
    unit.tape.push(Buffer.from('a'), 'mark', Buffer.from('b'));
    const drive = await loaded(unit);
    await drive.locate(2, signal);
    expect(await drive.readPosition(signal)).toBe(2);
    expect(bytesOf(await drive.read(10, signal)).toString()).toBe('b');
    const other = await loaded(createSimulatedDrive());
    expect(await other.readPosition(signal)).toBeNull();
    await expect(other.locate(2, signal)).rejects.toMatchObject({ kind: 'permanent' });
  });
});

describe('writing', () => {
  it('at each size of the tape loses no block and writes the last one once (case 104)', async () => {
    const blocks = Array.from({ length: 12 }, (_, index) => Buffer.alloc(100, index));
    for (let endAt = 0; endAt <= 1200; endAt += 50) {
      const unit = createSimulatedDrive({ warningAt: Math.max(0, endAt - 250), endAt });
      const drive = await loaded(unit);
      let written = 0;
      let isNearEnd = false;
      const failure = await (async () => {
        for (const block of blocks) {
          isNearEnd = await drive.write(block, signal);
          written += 1;
        }
      })().catch((error: unknown) => error);
      if (written < blocks.length) {
        expect(failure).toMatchObject({ kind: 'noSpace' });
        // The place is that of the block that had no room, so the tape can still be closed here.
        expect(drive.position).toEqual({ file: 0, block: written });
        expect(await drive.writeFilemarks(1, signal)).toBe(written * 100 > Math.max(0, endAt - 250));
      }
      if (written * 100 > Math.max(0, endAt - 250) && written > 0) expect(isNearEnd).toBe(true);
      expect(unit.tape.filter((item) => item !== 'mark')).toEqual(blocks.slice(0, written));
    }
  });

  it('on a protected cartridge is refused, and the mode says so before (no write is tried)', async () => {
    const unit = createSimulatedDrive({ writeProtected: true });
    const drive = await loaded(unit);
    expect(drive.mode?.isWriteProtected).toBe(true);
    await expect(drive.write(Buffer.alloc(10), signal)).rejects.toMatchObject({
      kind: 'permission',
      message: expect.stringContaining('write-protected'),
    });
  });

  it.each([
    ['a reset', check(6, 0x29, 0)],
    ['another cartridge', check(6, 0x28, 0)],
    ['a lost connection', new DeviceError('transient', 'the connection broke.')],
    ['a medium error', check(3, 0x0c, 0)],
    ['a failure of an earlier block', check(3, 0x0c, 0, { deferred: true })],
    ['a good status with a failure in it', { ...check(3, 0x0c, 0), status: 0 }],
  ])(
    'is not repeated after %s, and nothing more is written before the tape was positioned',
    async (_what, answer) => {
      const unit = createSimulatedDrive();
      const drive = await loaded(unit);
      await drive.write(Buffer.from('one'), signal);
      unit.next(0x0a, answer);
      await expect(drive.write(Buffer.from('two'), signal)).rejects.toBeInstanceOf(DeviceError);
      const writes = unit.log.filter((operation) => operation === 0x0a).length;
      await expect(drive.write(Buffer.from('two'), signal)).rejects.toThrow('Rewind it first');
      await expect(drive.writeFilemarks(1, signal)).rejects.toThrow('Rewind it first');
      await expect(drive.skipFilemarks(1, signal)).rejects.toThrow('Rewind it first');
      expect(unit.log.filter((operation) => operation === 0x0a)).toHaveLength(writes);
      await drive.goToEndOfData(signal);
      await drive.write(Buffer.from('two'), signal);
      expect(unit.tape.map(String)).toEqual(['one', 'two']);
    },
  );

  it('after a reset sets the length of blocks again', async () => {
    const unit = createSimulatedDrive();
    const drive = await loaded(unit);
    unit.reset();
    await expect(drive.write(Buffer.from('x'), signal)).rejects.toMatchObject({ kind: 'transient' });
    await drive.rewind(signal);
    expect(unit.blockLengths).toEqual([0, 0]);
  });

  it('waits while the drive is busy', async () => {
    const unit = createSimulatedDrive();
    const drive = await loaded(unit);
    const busy = { ...good(), status: 8 };
    unit.next(0x0a, busy, busy, { ...good(), status: 0x28 });
    await drive.write(Buffer.from('one'), signal);
    expect(unit.tape.map(String)).toEqual(['one']);
  });

  it('keeps to what the drive says that it takes', async () => {
    const drive = await loaded(createSimulatedDrive({ mostBlock: 1000 }));
    await drive.write(Buffer.alloc(1000), signal);
    await expect(drive.write(Buffer.alloc(1001), signal)).rejects.toThrow('the drive takes 1 to 1000');
    await expect(drive.write(Buffer.alloc(0), signal)).rejects.toMatchObject({ kind: 'permanent' });
    // Refused before anything was sent: the place is still known.
    expect(drive.position).toEqual({ file: 0, block: 1 });
  });

  it('before loading is refused', async () => {
    const unit = createSimulatedDrive();
    await expect(driveOf(unit).write(Buffer.from('x'), signal)).rejects.toMatchObject({ kind: 'transient' });
    expect(unit.log).toEqual([]);
  });
});
