import { writeFile } from 'node:fs/promises';
import { afterEach, describe, expect, it } from 'vitest';
import {
  firstDrive,
  firstMail,
  firstSlot,
  never,
  startVirtualBench,
  type VirtualBench,
} from './virtual-bench.ts';

let bench: VirtualBench;
const start = async (...options: Parameters<typeof startVirtualBench>): Promise<void> => {
  bench = await startVirtualBench(...options);
};
afterEach(() => bench.close());

const filled = async () =>
  (await (await bench.robot()).inventory(never))
    .filter(({ full }) => full)
    .map(({ address, barcode }) => `${address} ${barcode}`);

describe('the robot of a virtual library', () => {
  it('tells its places by their own addresses, and the drives by serial number (case 111)', async () => {
    await start();
    const elements = await (await bench.robot()).inventory(never);
    expect(elements.map(({ address, kind }) => `${address} ${kind}`)).toEqual([
      '1 robot',
      '16 mail',
      '256 drive',
      '257 drive',
      '1000 storage',
      '1001 storage',
      '1002 storage',
      '1003 storage',
    ]);
    const { changers, drives } = await bench.libraries.driver.scan(never);
    expect(changers).toMatchObject([{ path: 'virtual://lab/0', slotsCount: 4, drivesCount: 2 }]);
    expect(drives.map(({ serial, changerPath }) => [serial, changerPath])).toEqual(
      elements
        .filter(({ kind }) => kind === 'drive')
        .map(({ driveSerial }) => [driveSerial, 'virtual://lab/0']),
    );
  });

  it('lists two thousand slots in pieces (case 112)', async () => {
    await start({ slots: 2000, drives: 16, mailSlots: 100 });
    expect(await (await bench.robot()).inventory(never)).toHaveLength(2117);
  });

  it('moves, and everything is where it was after a restart', async () => {
    await start();
    const robot = await bench.robot();
    await robot.move(firstSlot, firstDrive, never);
    await robot.move(firstSlot + 1, firstMail, never);
    await bench.restart();
    expect(await filled()).toEqual(['16 SR0002L8', '256 SR0001L8', '1002 CLN001L1']);
  });

  it('refuses empty sources, full targets and what is no place, and moves nothing', async () => {
    await start();
    const robot = await bench.robot();
    const before = await filled();
    await expect(robot.move(firstSlot + 3, firstDrive, never)).rejects.toMatchObject({ kind: 'busy' });
    await expect(robot.move(firstSlot, firstSlot + 1, never)).rejects.toMatchObject({ kind: 'busy' });
    await expect(robot.move(firstSlot, 5000, never)).rejects.toMatchObject({ kind: 'permanent' });
    expect(await filled()).toEqual(before);
  });

  it('fetches no cartridge that the drive holds; unloading it first helps (case 114)', async () => {
    await start();
    const drive = await bench.mounted();
    const robot = await bench.robot();
    await expect(robot.move(firstDrive, firstSlot, never)).rejects.toThrow(/Unload the drive before/);
    await drive.unload(never);
    await robot.move(firstDrive, firstSlot, never);
    expect(await filled()).toContain('1000 SR0001L8');
  });

  it('answers nothing while its door is open, and tells of it after', async () => {
    await start();
    const robot = await bench.robot();
    await robot.inventory(never);
    await bench.faults({ doorOpen: true });
    await expect(robot.inventory(never)).rejects.toMatchObject({ kind: 'busy' });
    await expect(robot.move(firstSlot, firstDrive, never)).rejects.toThrow(/nothing was moved/);
    await bench.faults({});
    expect(await robot.inventory(never)).toHaveLength(8);
  });

  it('moves nothing when it is stuck; when it jams the cartridge is in its hand', async () => {
    await start();
    await bench.faults({ robot: 'stuck' });
    const robot = await bench.robot();
    await expect(robot.move(firstSlot, firstDrive, never)).rejects.toThrow(/mechanical positioning error/);
    expect(await filled()).toContain('1000 SR0001L8');
    await bench.faults({ robot: 'jams' });
    await expect(robot.move(firstSlot, firstDrive, never)).rejects.toThrow(/mechanical positioning error/);
    expect(await filled()).toContain('1 SR0001L8');
    await bench.faults({});
    await robot.move(1, firstSlot, never);
  });

  it('shows a place with an unreadable barcode as one that needs a person', async () => {
    await start();
    await bench.faults({ unreadableBarcodes: ['SR0002L8'] });
    const elements = await (await bench.robot()).inventory(never);
    expect(elements.find(({ address }) => address === firstSlot + 1)).toMatchObject({
      full: true,
      barcode: null,
      exception: true,
      reason: 'the label of a cartridge cannot be read (83/00)',
      reachable: true,
    });
  });
});

describe('the door of a virtual library', () => {
  it('takes new cartridges into the mail slot first; what was taken out comes back with its data', async () => {
    await start();
    const drive = await bench.mounted();
    await drive.write(Buffer.alloc(77), never);
    await expect(bench.libraries.setCartridges('lab', ['SR0002L8'])).rejects.toThrow(
      /SR0001L8 is in a drive/,
    );
    await drive.unload(never);
    await (await bench.robot()).move(firstDrive, firstSlot, never);
    await bench.libraries.setCartridges('lab', ['SR0002L8', 'NEW001L8']);
    expect(await filled()).toEqual(['16 NEW001L8', '1001 SR0002L8']);
    await bench.libraries.setCartridges('lab', ['SR0001L8', 'SR0002L8']);
    expect(await filled()).toEqual(['16 SR0001L8', '1001 SR0002L8']);
    await (await bench.robot()).move(firstMail, firstDrive, never);
    await drive.load(never);
    expect(await drive.read(100, never)).toMatchObject({ kind: 'block' });
  });

  it('takes no more than there is room for', async () => {
    await start({ slots: 1, mailSlots: 0, barcodes: ['SR0001L8'] });
    await expect(bench.libraries.setCartridges('lab', ['SR0001L8', 'SR0002L8'])).rejects.toMatchObject({
      kind: 'noSpace',
    });
  });
});

describe('the folder of virtual libraries', () => {
  it('leaves out a library whose file is damaged, and says which', async () => {
    await start();
    await bench.libraries.close();
    await writeFile(`${bench.root}/lab/library.json`, '{"format":"strongroom-virtual-library"}');
    await bench.restart();
    expect(await bench.libraries.driver.scan(never)).toEqual({ changers: [], drives: [] });
    await expect(bench.robot()).rejects.toThrow(/library\.json is not what a virtual library writes/);
  });
});
