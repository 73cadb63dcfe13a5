import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createLibraryDrivers,
  type LibraryDrivers,
  startTapeThread,
  type TapeDrive,
  type TapeThread,
  writeLabel,
} from '../../../../backend/engine/index.ts';
import { makeTempDir } from '../../../support/temp-dir.ts';

const { signal } = new AbortController();
const mib = 1_048_576;
const tape = '11111111-1111-4111-8111-111111111111';
const copy = '22222222-2222-4222-8222-222222222222';
const label = { uuid: tape, barcode: 'SR0001L8', pool: 'Tapes', written: '2026-11-28T00:00:00Z' };
let folder: Awaited<ReturnType<typeof makeTempDir>>;
let tapes: TapeThread;
let drivers: LibraryDrivers;
let portalsAsked: number;

beforeEach(async () => {
  folder = await makeTempDir('tape-thread');
  portalsAsked = 0;
  tapes = startTapeThread({
    virtualFolder: join(folder.path, 'libraries'),
    initiatorName: 'iqn.2026-11.example:test',
    portals: async () => {
      portalsAsked += 1;
      return [];
    },
    onLeftOut: () => undefined,
  });
  drivers = createLibraryDrivers(tapes.drivers);
});
afterEach(async () => {
  await tapes.close();
  await folder.remove();
});

const makeLibrary = () =>
  tapes.virtual.create('rack', { slots: 4, drives: 1, mailSlots: 0, cartridgeBytes: 256 * mib }, [
    'SR0001L8',
  ]);
const mounted = async (): Promise<TapeDrive> => {
  await makeLibrary();
  const robot = await drivers.openChanger('virtual://rack/0', signal);
  await robot.move(1000, 256, signal);
  await robot.close();
  const drive = await drivers.openDrive('virtual://rack/1', signal);
  await drive.load(signal);
  await writeLabel(drive, label, signal);
  return drive;
};
const makeCopy = async (bytes: number): Promise<Buffer> => {
  const data = randomBytes(bytes);
  await mkdir(join(folder.path, 'copy'));
  await writeFile(join(folder.path, 'copy', 'archive.tar.zst'), data);
  return data;
};
const source = (onBytes: (bytes: number) => Promise<void> | void) => ({
  from: join(folder.path, 'copy'),
  copyId: copy,
  facts: {},
  onBytes,
});
const part = { tape, copy, number: 1, file: 1 };

describe('the thread of tapes', () => {
  it('finds robots and drives, asks for portals, and gives errors as they are', async () => {
    await makeLibrary();
    const found = await drivers.scan(signal);
    expect(found.changers.map(({ path }) => path)).toContain('virtual://rack/0');
    expect([found.problems, portalsAsked]).toEqual([[], 1]);
    expect((await tapes.virtual.state('rack')).slots).toBe(4);
    await expect(tapes.virtual.state('none')).rejects.toMatchObject({ kind: 'notFound' });
    const robot = await drivers.openChanger('virtual://rack/0', signal);
    await expect(robot.move(1003, 256, signal)).rejects.toMatchObject({
      kind: 'busy',
      message: expect.stringContaining('the source place is empty'),
    });
    await robot.close();
    expect([await drivers.isThere('virtual://rack/0'), await drivers.isThere('virtual://none/0')]).toEqual([
      true,
      false,
    ]);
  });

  it('writes a copy and reads it back, and tells of every byte', async () => {
    const drive = await mounted();
    const data = await makeCopy(21 * mib + 5);
    let told = 0;
    const writer = await tapes.copies.openWriter(
      source((bytes) => {
        told += bytes;
      }),
    );
    const written = await writer.writePart({ drive, label, file: 1, entries: [] }, signal);
    expect(written).toMatchObject({ number: 1, bytes: data.length, isLast: true, isTapeFull: false });
    await writer.close();
    expect(told).toBe(data.length);
    const reader = await tapes.copies.openReader(join(folder.path, 'back'), (bytes) => {
      told -= bytes;
    });
    expect(await reader.readPart(drive, part, signal)).toEqual({ isLast: true, passedBytes: 0 });
    await reader.finish();
    await reader.close();
    expect(told).toBe(0);
    const back = await readFile(join(folder.path, 'back', 'archive.tar.zst'));
    expect(Buffer.compare(back, data)).toBe(0);
    await drive.close();
    await expect(drive.rewind(signal)).rejects.toMatchObject({ kind: 'transient' });
  });

  it('holds the tape while its owner does not take the progress, and ends at an abort', async () => {
    const drive = await mounted();
    await makeCopy(120 * mib);
    let told = 0;
    let goOn = (): void => undefined;
    const taken = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const writer = await tapes.copies.openWriter(
      source((bytes) => {
        told += bytes;
        return taken;
      }),
    );
    const abort = new AbortController();
    const end = expect(
      writer.writePart({ drive, label, file: 1, entries: [] }, abort.signal),
    ).rejects.toMatchObject({ kind: 'cancelled' });
    await expect.poll(() => told).toBeGreaterThan(0);
    // Once the thread has heard that it is held, it stands still.
    let before = -1;
    const isStill = (): boolean => {
      const last = before;
      before = told;
      return last === told;
    };
    await expect.poll(isStill, { interval: 100 }).toBe(true);
    expect(told).toBeLessThan(120 * mib);
    abort.abort();
    goOn();
    await end;
    await writer.close();
  });

  it('begins anew after its end; what was open before says so', async () => {
    const drive = await mounted();
    await tapes.close();
    await expect(drive.rewind(signal)).rejects.toMatchObject({ kind: 'transient' });
    const again = await drivers.openDrive('virtual://rack/1', signal);
    await again.load(signal);
    const reader = await tapes.copies.openReader(null, () => undefined);
    await expect(reader.readPart(drive, part, signal)).rejects.toMatchObject({ kind: 'transient' });
    await reader.close();
    await drive.close();
    await again.close();
  });
});
