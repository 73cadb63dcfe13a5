import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { wordsOfAlert } from '../../../../backend/engine/index.ts';
import { waitForCleaning } from '../../../../backend/engine/scsi/drive/cleaning.ts';
import { createScsiDrive } from '../../../../backend/engine/scsi/drive/drive.ts';
import { createUnit } from '../../../../backend/engine/scsi/unit.ts';
import { createSimulatedDrive } from './simulated-drive.ts';
import { check, createScriptedUnit, createSimulatedClock, good } from './simulated-unit.ts';
import {
  cartridgeFaults,
  driveFaults,
  never,
  startVirtualBench,
  type VirtualBench,
} from './virtual-bench.ts';

/** Page 2Eh with these flags set, the usual 64 parameters of five bytes. */
const page = (...flags: number[]): Buffer => {
  const bytes = Buffer.alloc(4 + 64 * 5);
  bytes.writeUInt8(0x2e, 0);
  bytes.writeUInt16BE(64 * 5, 2);
  for (let flag = 1; flag <= 64; flag += 1) {
    bytes.writeUInt16BE(flag, 4 + 5 * (flag - 1));
    bytes.writeUInt8(1, 4 + 5 * (flag - 1) + 3);
    bytes.writeUInt8(flags.includes(flag) ? 1 : 0, 4 + 5 * (flag - 1) + 4);
  }
  return bytes;
};
const driveOf = (unit: ReturnType<typeof createScriptedUnit>) => {
  const clock = createSimulatedClock();
  const scsi = createUnit(unit.transport, { lun: 1, path: 'drive', clock });
  return { drive: createScsiDrive(scsi, async () => undefined), scsi, clock };
};

describe('what a drive tells of itself', () => {
  it('is read by LOG SENSE, byte for byte, and flags in any form of the page are found', async () => {
    const unit = createScriptedUnit(() => good(page(4, 20, 64)));
    expect(await driveOf(unit).drive.health(never)).toEqual({ alerts: [4, 20, 64], needsCleaning: true });
    expect(unit.commands[0]).toMatchObject({ dataIn: 324 });
    expect(Buffer.from(unit.commands[0]?.cdb ?? []).toString('hex')).toBe('4d006e00000000014400');
    // Longer parameters, one that has no value, one beyond 64, and an end in the middle of one.
    const odd = Buffer.from(
      '2e00001a' + '0005000201ff' + '00060000' + '004100010100' + '0007000101' + '00080001',
      'hex',
    );
    const other = createScriptedUnit(() => good(odd));
    expect((await driveOf(other).drive.health(never)).alerts).toEqual([5]);
  });

  it('is nothing where it knows no such page, and a mistake where it sends another', async () => {
    const silent = createScriptedUnit(() => check(5, 0x20, 0));
    expect(await driveOf(silent).drive.health(never)).toEqual({ alerts: null, needsCleaning: false });
    const wrong = createScriptedUnit(() => good(Buffer.from('0d000000', 'hex')));
    await expect(driveOf(wrong).drive.health(never)).rejects.toMatchObject({ kind: 'corrupt' });
  });

  it('may come with any answer: cleaning asked for by sense data alone is kept in mind', async () => {
    const unit = createSimulatedDrive();
    const { drive } = driveOf(unit);
    await drive.load(never);
    unit.next(0x4d, check(5, 0x20, 0), check(5, 0x20, 0));
    expect(await drive.health(never)).toEqual({ alerts: null, needsCleaning: false });
    unit.next(0x0a, check(1, 0x00, 0x17));
    await drive.write(Buffer.alloc(512), never);
    expect(await drive.health(never)).toEqual({ alerts: null, needsCleaning: true });
  });

  it('has words for every flag', () => {
    const all = Array.from({ length: 64 }, (_, index) => wordsOfAlert(index + 1));
    expect(all.every(({ message }) => message.length > 10)).toBe(true);
    expect([wordsOfAlert(20), wordsOfAlert(21)].map(({ severity }) => severity)).toEqual([
      'critical',
      'warning',
    ]);
  });
});

describe('a cleaning', () => {
  it('is waited for while the drive is at work, and has ended when it lets the cartridge out', async () => {
    const unit = createScriptedUnit(({ cdb }) => (cdb[0] === 0x4d ? good(page()) : check(2, 0x3a, 0)));
    unit.next(0x00, check(6, 0x28, 0), ...Array.from({ length: 30 }, () => check(2, 0x04, 0x01)));
    const { scsi, clock } = driveOf(unit);
    expect(await waitForCleaning(scsi, never)).toBe('cleaned');
    expect(clock.now()).toBeGreaterThan(60_000);
  });

  it('of a drive that tells nothing of it is given five minutes; one without an end is no cleaning', async () => {
    const silent = createScriptedUnit(({ cdb }) =>
      check(cdb[0] === 0x4d ? 5 : 2, cdb[0] === 0x4d ? 0x20 : 0x30, cdb[0] === 0x4d ? 0 : 3),
    );
    const told = driveOf(silent);
    expect(await waitForCleaning(told.scsi, never)).toBe('cleaned');
    expect(told.clock.now()).toBeGreaterThanOrEqual(300_000);
    const endless = createScriptedUnit(({ cdb }) => (cdb[0] === 0x4d ? good(page(20)) : check(2, 0x30, 3)));
    await expect(waitForCleaning(driveOf(endless).scsi, never)).rejects.toMatchObject({ kind: 'busy' });
  });

  it.each([
    ['the cartridge is used up', page(20, 22), check(2, 0x30, 3), 'expired'],
    ['it is no cleaning cartridge for this drive', page(20, 23), check(2, 0x30, 3), 'failed'],
    ['the drive says that it failed', page(20), check(2, 0x30, 7), 'failed'],
    ['the drive lets it out and still asks', page(20), check(2, 0x3a, 0), 'failed'],
    ['a tape is in the drive', page(20), good(), 'failed'],
  ] as const)('is none when %s', async (_why, alerts, state, end) => {
    const unit = createScriptedUnit(({ cdb }) => (cdb[0] === 0x4d ? good(alerts) : state));
    expect(await waitForCleaning(driveOf(unit).scsi, never)).toBe(end);
  });
});

describe('a virtual drive', () => {
  let bench: VirtualBench;
  beforeEach(async () => {
    bench = await startVirtualBench();
  });
  afterEach(() => bench.close());

  it('asks for cleaning, is cleaned, and is not by a cartridge that is used up', async () => {
    await bench.faults({
      drives: [driveFaults({ alerts: [21] })],
      cartridges: [cartridgeFaults({ barcode: 'CLN001L1', usedUp: true })],
    });
    const robot = await bench.robot();
    await robot.move(1002, 256, never);
    const drive = await bench.drive();
    expect(await drive.clean(never)).toBe('expired');
    await drive.unload(never);
    await robot.move(256, 1002, never);
    await bench.faults({ drives: [driveFaults({ alerts: [21] })] });
    await robot.move(1002, 256, never);
    expect(await drive.clean(never)).toBe('cleaned');
    expect(await drive.health(never)).toEqual({ alerts: [], needsCleaning: false });
    await drive.unload(never);
    await robot.move(256, 1002, never);
  });
});
