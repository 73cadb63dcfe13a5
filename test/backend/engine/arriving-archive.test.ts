import { randomBytes } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  ArchiveArrival,
  ArrivingSource,
  takeInOrder,
  takeNoMore,
  wasLost,
} from '../../../backend/engine/archive/arriving-archive.ts';
import { Control } from '../../../backend/engine/job/control.ts';
import { makeTempDir } from '../../support/temp-dir.ts';

const windowBytes = 1024;
const all = randomBytes(16 * windowBytes);
let folder: Awaited<ReturnType<typeof makeTempDir>>;
let file: string;
let control: Control;
let memory: SharedArrayBuffer;
let source: ArrivingSource;
let arrival: ArchiveArrival;
/** Offsets of what went to the file. */
let written: number[];

beforeEach(async () => {
  folder = await makeTempDir('arriving');
  file = join(folder.path, 'archive.tar');
  control = Control.create();
  memory = ArchiveArrival.memory(windowBytes);
  source = new ArrivingSource(memory, file, control);
  arrival = new ArchiveArrival(memory);
  written = [];
});
afterEach(async () => {
  source.close();
  await folder.remove();
});

const bring = async (from: number, to: number, bytes = all): Promise<void> =>
  arrival.put(bytes.subarray(from, to), from, async (data, offset) => {
    written.push(offset);
    const handle = await open(file, written.length === 1 ? 'w' : 'r+');
    await handle.write(data, 0, data.length, offset);
    await handle.close();
  });
const read = (from: number, to: number): Buffer => {
  const into = Buffer.alloc(to - from);
  return into.subarray(0, source.read(into, from));
};

describe('an archive that is read while it comes', () => {
  it('lies in its file for whoever reads it out of order', async () => {
    for (let at = 0; at < 4096; at += 512) await bring(at, at + 512);
    expect(read(3000, 4000)).toEqual(all.subarray(3000, 4000));
    expect(read(100, 200)).toEqual(all.subarray(100, 200));
    expect(await readFile(file)).toEqual(all.subarray(0, 4096));
    expect(wasLost(memory)).toBe(false);
  });

  it('touches no disk while its reader in order keeps up', async () => {
    takeInOrder(memory);
    const got: Buffer[] = [];
    // Neither divides the window.
    for (let at = 0; at < all.length; at += 300) {
      await bring(at, Math.min(all.length, at + 300));
      got.push(read(at, Math.min(all.length, at + 300)));
    }
    expect(Buffer.concat(got)).toEqual(all);
    expect(written).toEqual([]);
  });

  it('goes through the disk from where the reader falls behind until it is near again', async () => {
    takeInOrder(memory);
    for (let at = 0; at < 3000; at += 300) await bring(at, at + 300);
    // Three blocks fit into the window, no fourth.
    expect(written).toEqual([900, 1200, 1500, 1800, 2100, 2400, 2700]);
    // Over both changes in one reading.
    expect(read(0, 2900)).toEqual(all.subarray(0, 2900));
    await bring(3000, 3300);
    await bring(3300, 3600);
    expect(written).toHaveLength(7);
    expect(read(2900, 3600)).toEqual(all.subarray(2900, 3600));
    for (let at = 3600; at < 6000; at += 300) await bring(at, at + 300);
    expect(read(3600, 6000)).toEqual(all.subarray(3600, 6000));
    expect(written.length).toBeGreaterThan(7);
    expect(wasLost(memory)).toBe(false);
  });

  it('passes over what a reading that began anew brings again', async () => {
    takeInOrder(memory);
    await bring(0, 400);
    await bring(400, 800);
    await bring(0, 400, Buffer.alloc(1000));
    await bring(400, 1000, Buffer.concat([Buffer.alloc(800), all.subarray(800, 1000)]));
    expect(read(0, 1000)).toEqual(all.subarray(0, 1000));
  });

  it('tells when somebody goes back to what is not kept', async () => {
    takeInOrder(memory);
    await bring(0, 500);
    read(0, 400);
    expect(read(100, 200)).toHaveLength(0);
    expect(wasLost(memory)).toBe(true);
  });

  it('is kept nowhere once nobody reads any more', async () => {
    await bring(0, 500);
    takeNoMore(memory);
    await bring(500, 1000);
    expect(written).toEqual([0]);
    expect(source.size).toBe(1000);
  });

  it('ends where it ends, and a job that is stopped does not wait for the rest', async () => {
    await bring(0, 500);
    control.stop();
    expect(() => read(400, 600)).toThrow(expect.objectContaining({ kind: 'cancelled' }));
    arrival.end();
    expect(read(400, 600)).toEqual(all.subarray(400, 500));
    expect(read(500, 600)).toHaveLength(0);
    expect(read(700, 800)).toHaveLength(0);
  });
});
