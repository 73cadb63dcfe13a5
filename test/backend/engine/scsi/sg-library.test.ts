import { randomBytes } from 'node:crypto';
import { chmod, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type SgLibrary, startSgLibrary } from '../../../support/sg-library.ts';

const { signal } = new AbortController();
let sg: SgLibrary;
beforeEach(async () => {
  sg = await startSgLibrary();
});
afterEach(() => sg.close());

const node = (name: string): string => join(sg.devRoot, name);

describe('a library behind SCSI generic', () => {
  it('is found by the types of its nodes; the disk beside it is not', async () => {
    const { changers, drives } = await sg.driver.scan(signal);
    expect(changers.map(({ path, serial }) => [path, serial])).toEqual([[node('sg2'), 'SGLAB']]);
    expect(drives.map(({ path, changerPath }) => [path, changerPath])).toEqual([
      [node('sg0'), node('sg2')],
      [node('sg1'), node('sg2')],
    ]);
    // Nothing was sent to any device for that.
    expect(sg.commands).toEqual([]);
    expect([
      sg.driver.owns(node('sg2')),
      sg.driver.owns(node('sg2/..')),
      sg.driver.owns(node('sda')),
    ]).toEqual([true, false, false]);
  });

  it('is worked with like any other: moved, loaded, written to its early warning, read back', async () => {
    const robot = await sg.driver.openChanger(node('sg2'), signal);
    expect(
      (await robot.inventory(signal))
        .filter(({ full }) => full)
        .map(({ address, barcode }) => [address, barcode]),
    ).toEqual([
      [1000, 'SR0001L8'],
      [1001, 'SR0002L8'],
    ]);
    await expect(robot.move(1003, 256, signal)).rejects.toMatchObject({ kind: 'busy' });
    await robot.move(1000, 256, signal);
    const drive = await sg.driver.openDrive(node('sg0'), signal);
    await drive.load(signal);
    const block = randomBytes(262_144);
    let written = 1;
    while (!(await drive.write(block, signal))) written += 1;
    await drive.writeFilemarks(1, signal);
    expect(await drive.readPosition(signal)).toBe(written + 1);
    await drive.rewind(signal);
    for (let read = 0; read < written; read += 1) {
      const met = await drive.read(262_144, signal);
      expect(met.kind === 'block' && Buffer.compare(met.data, block)).toBe(0);
    }
    expect([(await drive.read(262_144, signal)).kind, (await drive.read(262_144, signal)).kind]).toEqual([
      'filemark',
      'endOfData',
    ]);
    await drive.unload(signal);
    await drive.close();
    await robot.move(256, 1000, signal);
    await robot.close();
  });

  it('gets each command byte for byte: a move, a write, a read', async () => {
    const robot = await sg.driver.openChanger(node('sg2'), signal);
    await robot.inventory(signal);
    await robot.move(1000, 256, signal);
    await robot.close();
    const drive = await sg.driver.openDrive(node('sg0'), signal);
    await drive.load(signal);
    await drive.write(Buffer.alloc(0x1234, 7), signal);
    await drive.writeFilemarks(1, signal);
    await drive.rewind(signal);
    await drive.read(0x2000, signal);
    await drive.close();
    const sent = (cdb: RegExp) => sg.commands.find((one) => cdb.test(one.cdb));
    const address = 'aa'.repeat(8);
    const rest = '00'.repeat(44);
    const header = (way: string, cdbBytes: string, data: string, timeout: string): string =>
      // Interface, direction, lengths of command and sense, pieces, length of data, addresses, time limit.
      `53000000${way}${cdbBytes}600000${data}${data === '00000000' ? '00'.repeat(8) : address}${address}${address}${timeout}${rest}`;
    const timeoutOf = (told: string | undefined): string => told?.slice(80, 88) ?? '';
    const move = sent(/^a5/);
    expect(move).toEqual({
      node: 'sg2',
      cdb: 'a50000010 3e80100000000 00'.replaceAll(' ', ''),
      header: header('ffffffff', '0c', '00000000', timeoutOf(move?.header)),
    });
    const write = sent(/^0a/);
    expect(write).toEqual({
      node: 'sg0',
      cdb: '0a0000123400',
      header: header('feffffff', '06', '34120000', timeoutOf(write?.header)),
    });
    const read = sent(/^08/);
    expect(read).toEqual({
      node: 'sg0',
      cdb: '080000200000',
      header: header('fdffffff', '06', '00200000', timeoutOf(read?.header)),
    });
    // What the driver allows a move is what the kernel is told, in milliseconds.
    expect(Buffer.from(timeoutOf(move?.header), 'hex').readUInt32LE(0)).toBeGreaterThan(60_000);
  });

  it('says who lacks which right, or that the device went away', async () => {
    const robot = () => sg.driver.openChanger(node('sg2'), signal);
    sg.failNext('EPERM');
    await expect(robot()).rejects.toMatchObject({
      kind: 'permission',
      message: expect.stringContaining('CAP_SYS_RAWIO'),
    });
    sg.failNext('ENODEV');
    await expect(robot()).rejects.toMatchObject({
      kind: 'notFound',
      message: expect.stringContaining('went away'),
    });
    await expect(sg.driver.openDrive(node('sg2'), signal)).rejects.toMatchObject({ kind: 'permanent' });
    await rm(node('sg1'));
    await expect(sg.driver.openDrive(node('sg1'), signal)).rejects.toMatchObject({ kind: 'notFound' });
    await chmod(node('sg2'), 0);
    const isRoot = process.geteuid?.() === 0;
    if (isRoot) process.seteuid?.(65_534);
    try {
      await expect(robot()).rejects.toMatchObject({
        kind: 'permission',
        message: expect.stringMatching(/may not read and write the device \(EACCES\).*group of the device/),
      });
    } finally {
      if (isRoot) process.seteuid?.(0);
    }
  });
});
