import { open, readFile, stat, truncate } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  cartridgeFaults,
  driveFaults,
  firstDrive,
  firstSlot,
  never,
  readAll,
  startVirtualBench,
  type VirtualBench,
} from './virtual-bench.ts';

let bench: VirtualBench;
beforeEach(async () => {
  bench = await startVirtualBench();
});
afterEach(() => bench.close());

const block = (bytes: number, fill = 7): Buffer => Buffer.alloc(bytes, fill);

describe('a drive of a virtual library', () => {
  it('gives back blocks of any length and filemarks as they were written', async () => {
    const drive = await bench.mounted();
    for (const bytes of [1, 511, 65_537, 262_144]) await drive.write(block(bytes, bytes & 0xff), never);
    await drive.writeFilemarks(1, never);
    await drive.write(block(5), never);
    await drive.writeFilemarks(2, never);
    await drive.rewind(never);
    expect(await drive.read(262_144, never)).toEqual({ kind: 'block', data: block(1, 1) });
    expect(await readAll(drive)).toEqual([511, 65_537, 262_144, '|', 5, '|', '|']);
    await drive.rewind(never);
    await drive.skipFilemarks(1, never);
    expect(await readAll(drive)).toEqual([5, '|', '|']);
    await drive.rewind(never);
    await expect(drive.skipFilemarks(4, never)).rejects.toMatchObject({ kind: 'notFound' });
  });

  it('cuts off what is behind when something is written in the middle', async () => {
    const drive = await bench.mounted();
    for (let count = 0; count < 3; count += 1) await drive.write(block(100), never);
    await drive.writeFilemarks(1, never);
    await drive.rewind(never);
    await drive.read(100, never);
    await drive.write(block(7), never);
    await drive.rewind(never);
    expect(await readAll(drive)).toEqual([100, 7]);
  });

  it('appends behind what was written before, after a restart too', async () => {
    const drive = await bench.mounted();
    await drive.write(block(10), never);
    await drive.writeFilemarks(1, never);
    await bench.restart();
    const again = await bench.drive();
    await again.load(never);
    await again.goToEndOfData(never);
    await again.write(block(20), never);
    await again.rewind(never);
    expect(await readAll(again)).toEqual([10, '|', 20]);
  });

  it('ends with the last whole block when the writing of the next was cut off, and goes on from there', async () => {
    const drive = await bench.mounted();
    await drive.write(block(1000, 1), never);
    await drive.write(block(1000, 2), never);
    await bench.libraries.close();
    const file = bench.tapeFile('SR0001L8');
    const { size } = await stat(file);
    for (const lost of [1, 999, 1000, 1015]) {
      await truncate(file, size - lost);
      await bench.restart();
      const again = await bench.drive();
      await again.load(never);
      expect(await readAll(again)).toEqual([1000]);
      // Shorter than what is left of the one that was cut off: nothing of that may come to light again.
      await again.write(block(3), never);
      await again.rewind(never);
      expect(await readAll(again)).toEqual([1000, 3]);
      await again.rewind(never);
      await again.read(1000, never);
      await again.write(block(1000, 2), never);
      await bench.libraries.close();
    }
  });

  it('never takes damage for the end of the data (case 103)', async () => {
    const drive = await bench.mounted();
    for (const fill of [1, 2, 3]) await drive.write(block(1000, fill), never);
    await bench.libraries.close();
    const file = bench.tapeFile('SR0001L8');
    const flip = async (at: number): Promise<void> => {
      const handle = await open(file, 'r+');
      const byte = (await readFile(file))[at] ?? 0;
      await handle.write(Buffer.of(byte ^ 0xff), 0, 1, at);
      await handle.close();
    };
    const second = 32 + 1016;
    for (const at of [second + 500, second, second + 9]) {
      await flip(at);
      await bench.restart();
      const again = await bench.drive();
      await again.load(never);
      expect(await again.read(1000, never)).toMatchObject({ kind: 'block' });
      await expect(again.read(1000, never)).rejects.toThrow(/block 1 of file 0: medium error/);
      await bench.libraries.close();
      await flip(at);
    }
  });

  it('fails at the block that cannot be read, and reads the others (case 103)', async () => {
    const drive = await bench.mounted();
    for (let count = 0; count < 3; count += 1) await drive.write(block(50), never);
    await bench.faults({ cartridges: [cartridgeFaults({ readErrorAt: 1 })] });
    await drive.rewind(never);
    await drive.read(50, never);
    await expect(drive.read(50, never)).rejects.toMatchObject({ kind: 'corrupt' });
    await drive.locate(2, never);
    expect(await readAll(drive)).toEqual([50]);
  });

  it('warns before the end, refuses what does not fit, and keeps all that it took', async () => {
    const drive = await bench.mounted();
    let warnedAt = -1;
    let written = 0;
    for (;;) {
      try {
        const isNearEnd = await drive.write(block(262_144), never);
        written += 1;
        if (isNearEnd && warnedAt === -1) warnedAt = written;
      } catch (error) {
        expect(error).toMatchObject({ kind: 'noSpace' });
        break;
      }
    }
    // 8 MiB, of which the last quarter is behind the warning.
    expect([warnedAt, written]).toEqual([24, 31]);
    await drive.rewind(never);
    expect(await readAll(drive)).toHaveLength(31);
  });

  it.each([0, 1, 262_144, 5_000_000])('warns after %i bytes when told so', async (bytes) => {
    await bench.faults({ cartridges: [cartridgeFaults({ earlyWarningAt: bytes, endAt: bytes + 600_000 })] });
    const drive = await bench.mounted();
    let before = 0;
    while (!(await drive.write(block(262_144), never))) before += 1;
    expect(before).toBe(Math.floor(bytes / (262_144 + 16)));
  });

  it('does not write what it calls unwritable or protected', async () => {
    await bench.faults({ cartridges: [cartridgeFaults({ writeErrorAt: 1 })] });
    const drive = await bench.mounted();
    await drive.write(block(9), never);
    await expect(drive.write(block(9), never)).rejects.toThrow(/writing failed/);
    await bench.faults({ cartridges: [cartridgeFaults({ writeProtected: true })] });
    await drive.load(never);
    expect(drive.mode?.isWriteProtected).toBe(true);
    await expect(drive.write(block(9), never)).rejects.toMatchObject({ kind: 'permission' });
    await drive.rewind(never);
    expect(await readAll(drive)).toEqual([9]);
  });

  it('tells its place and goes to one', async () => {
    const drive = await bench.mounted();
    for (let count = 0; count < 3; count += 1) await drive.write(block(30 + count), never);
    await drive.writeFilemarks(1, never);
    expect(await drive.readPosition(never)).toBe(4);
    await drive.locate(1, never);
    expect(await readAll(drive)).toEqual([31, 32, '|']);
    await expect(drive.locate(9, never)).rejects.toMatchObject({ kind: 'corrupt' });
  });

  it('is waited for while it becomes ready', async () => {
    await bench.faults({ drives: [driveFaults({ becomingReady: 2 })] });
    const drive = await bench.mounted();
    expect(await readAll(drive)).toEqual([]);
  });

  it.each(['medium_changed', 'reset'] as const)('does not go on writing after %s', async (attention) => {
    const drive = await bench.mounted();
    await drive.write(block(8), never);
    await bench.faults({ drives: [driveFaults({ attention })] });
    await expect(drive.write(block(8), never)).rejects.toMatchObject({ kind: 'transient' });
    await expect(drive.write(block(8), never)).rejects.toThrow(/not known where the tape stands/);
    await drive.load(never);
    expect(await readAll(drive)).toEqual([8]);
  });

  it('is refused while another host has reserved it (case 118)', async () => {
    await bench.faults({ drives: [driveFaults({ reserved: true })] });
    await expect(bench.mounted()).rejects.toThrow(/another host has reserved the device/);
  });

  it('takes a cleaning cartridge for no tape, and is clean then (case 107)', async () => {
    await bench.faults({ drives: [driveFaults({ alerts: [20, 33] })] });
    await expect(bench.mounted(2)).rejects.toThrow(/a cleaning cartridge is in the drive/);
    const { faults, cleanings } = await bench.libraries.state('lab');
    expect([faults.drives[0]?.alerts, cleanings]).toEqual([[33], { CLN001L1: 1 }]);
    const robot = await bench.robot();
    await robot.move(firstDrive, firstSlot + 2, never);
  });

  it('loads and unloads in no time, and never shows the tape before (case 119)', async () => {
    const robot = await bench.robot();
    const drive = await bench.drive();
    for (const [slot, bytes] of [
      [0, 11],
      [1, 22],
      [0, 11],
      [1, 22],
    ] as const) {
      await robot.move(firstSlot + slot, firstDrive, never);
      await drive.load(never);
      if ((await readAll(drive)).length === 0) {
        await drive.rewind(never);
        await drive.write(block(bytes), never);
      }
      await drive.rewind(never);
      expect(await readAll(drive)).toEqual([bytes]);
      await drive.unload(never);
      await robot.move(firstDrive, firstSlot + slot, never);
    }
  });

  it('calls a file that is no cartridge a kind that it cannot use', async () => {
    await bench.libraries.close();
    await truncate(bench.tapeFile('SR0001L8'), 5);
    await bench.restart();
    await expect(bench.mounted()).rejects.toThrow(/cannot use this kind of cartridge/);
  });
});
