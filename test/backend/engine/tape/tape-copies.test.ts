import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { DeviceError, openTapeCopyReader, type TapeDrive } from '../../../../backend/engine/index.ts';
import { openTapeFile } from '../../../../backend/engine/scsi/virtual/tape-file.ts';
import { readLabel, writeLabel } from '../../../../backend/engine/tape/label.ts';
import { scanTape } from '../../../../backend/engine/tape/scan-tape.ts';
import { cartridgeFaults, never, startVirtualBench, type VirtualBench } from '../scsi/virtual-bench.ts';
import { hashesOf, labelled, makeCopy, onTape, readCopy, type Volume, writeCopy } from './tape-bench.ts';

const mib = 1_048_576;
let bench: VirtualBench;
const start = async (...options: Parameters<typeof startVirtualBench>): Promise<void> => {
  bench = await startVirtualBench(...options);
};
afterEach(() => bench.close());

const labelledAll = async (slots: readonly number[]): Promise<readonly Volume[]> => {
  const volumes: Volume[] = [];
  for (const slot of slots) volumes.push(await labelled(bench, slot));
  return volumes;
};
const backEquals = async (folder: string, written: Awaited<ReturnType<typeof writeCopy>>): Promise<void> => {
  const target = join(bench.root, randomUUID());
  await readCopy(bench, target, written);
  expect(await hashesOf(target)).toEqual(await hashesOf(folder));
};

describe('a label', () => {
  it('is found again; a new tape is blank, and what is not ours is told', async () => {
    await start();
    expect(await onTape(bench, 0, (drive) => readLabel(drive, never))).toEqual({ kind: 'blank' });
    const { label } = await labelled(bench, 0);
    expect(await onTape(bench, 0, (drive) => readLabel(drive, never))).toEqual({ kind: 'ours', label });
    const tar = Buffer.alloc(10_240);
    tar.write('ustar', 257, 'latin1');
    const put = (block: Buffer) =>
      onTape(bench, 1, async (drive) => {
        await drive.write(block, never);
        await drive.writeFilemarks(1, never);
        return readLabel(drive, never);
      });
    expect(await put(tar)).toEqual({ kind: 'foreign', what: 'a tar archive' });
    expect(await put(Buffer.from('VOL1ABC'))).toMatchObject({ what: expect.stringContaining('ANSI') });
    expect(await put(Buffer.from('anything'))).toMatchObject({ kind: 'foreign' });
    expect(await put(Buffer.alloc(1_000_000))).toMatchObject({ kind: 'foreign' });
  });

  it('is never taken for blank when it cannot be read', async () => {
    await start();
    await labelled(bench, 0);
    await bench.faults({ cartridges: [cartridgeFaults({ readErrorAt: 0 })] });
    expect(await onTape(bench, 0, (drive) => readLabel(drive, never))).toMatchObject({
      kind: 'foreign',
      what: expect.stringContaining('cannot be read'),
    });
  });

  it('that cannot be written is no label', async () => {
    await start();
    await bench.faults({ cartridges: [cartridgeFaults({ writeProtected: true })] });
    await expect(labelled(bench, 0)).rejects.toMatchObject({ kind: 'permission' });
    await bench.faults({ cartridges: [cartridgeFaults({ earlyWarningAt: 0 })] });
    await expect(labelled(bench, 0)).rejects.toMatchObject({ kind: 'noSpace' });
  });
});

describe('a copy on a cartridge', () => {
  it('comes back byte for byte, several behind each other, also after a restart', async () => {
    await start();
    const [volume] = await labelledAll([0]);
    const first = await makeCopy(bench.root, { 'archive.tar.zst': 600_001, 'manifest.ndjson.zst': 77 });
    const second = await makeCopy(bench.root, {
      'archive.tar': 262_144,
      'manifest.ndjson.zst': 0,
      'key.json': 5,
    });
    const one = await writeCopy(bench, first, [volume as Volume]);
    const two = await writeCopy(bench, second, [volume as Volume]);
    await bench.restart();
    await backEquals(second, two);
    await backEquals(first, one);
  });

  it('is read once more from the beginning of the part after a lost connection, wherever that was', async () => {
    await start();
    const [volume] = await labelledAll([0]);
    const folder = await makeCopy(bench.root, { 'archive.tar': 600_001, 'manifest.ndjson.zst': 77 });
    const { copyId } = await writeCopy(bench, folder, [volume as Volume]);
    const part = { tape: (volume as Volume).label.uuid, copy: copyId, number: 1, file: 1 };
    for (let failing = 1; ; failing += 1) {
      let bytes = 0;
      const back = `${bench.root}/back-${failing}`;
      const reader = await openTapeCopyReader(back, (more) => {
        bytes += more;
      });
      const reads = await onTape(bench, 0, async (drive) => {
        let count = 0;
        const unsteady: TapeDrive = {
          ...drive,
          read: async (...args) => {
            count += 1;
            if (count === failing) throw new DeviceError('transient', 'the connection broke.');
            return drive.read(...args);
          },
        };
        const first = reader.readPart(unsteady, part, never);
        if (
          await first.then(
            () => true,
            () => false,
          )
        )
          return count;
        expect(bytes).toBe(0);
        expect(await reader.readPart(drive, part, never)).toEqual({ isLast: true, passedBytes: 0 });
        return null;
      });
      await reader.finish();
      await reader.close();
      expect(bytes).toBe(600_078);
      expect(await hashesOf(back)).toEqual(await hashesOf(folder));
      if (reads === null) continue;
      expect(reads).toBeGreaterThan(6);
      return;
    }
  });

  it('is gone on with behind the blocks that an earlier attempt has brought, over two cartridges (case 85)', async () => {
    await start();
    const volumes = await labelledAll([0, 1]);
    await bench.faults({ cartridges: [cartridgeFaults({ earlyWarningAt: 5 * 262_144 })] });
    const folder = await makeCopy(bench.root, { 'archive.tar': 10 * 262_144 + 9, 'manifest.ndjson.zst': 77 });
    const written = await writeCopy(bench, folder, volumes);
    expect(written.parts).toHaveLength(2);
    const whole = await readFile(join(folder, 'archive.tar'));
    /** Reads all of it to where `there` is already; answers the blocks that came from the tapes, and how often a part was read. */
    const goOn = async (there: Buffer): Promise<readonly [blocks: number, reads: number]> => {
      const back = join(bench.root, randomUUID());
      await mkdir(back);
      await writeFile(join(back, 'archive.tar'), there);
      let [blocks, bytes, reads] = [0, 0, 0];
      const reader = await openTapeCopyReader(
        back,
        (more) => {
          bytes += more;
        },
        { isResumable: true },
      );
      for (const { volume, file, number, bytes: partBytes } of written.parts) {
        const part = {
          tape: volume.label.uuid,
          copy: written.copyId,
          number,
          file,
          bytes: partBytes,
        };
        await onTape(bench, volume.slot, async (drive) => {
          const counting: TapeDrive = {
            ...drive,
            read: async (...args) => {
              const met = await drive.read(...args);
              if (met.kind === 'block' && met.data.length === 262_144) blocks += 1;
              return met;
            },
          };
          for (let isRead = false; !isRead; ) {
            reads += 1;
            isRead = await reader.readPart(counting, part, never).then(
              () => true,
              (error: unknown) => {
                if (error instanceof DeviceError && error.kind === 'transient') return false;
                throw error;
              },
            );
          }
        });
      }
      await reader.finish();
      await reader.close();
      expect(bytes).toBe(10 * 262_144 + 9 + 77);
      expect(await hashesOf(back)).toEqual(await hashesOf(folder));
      return [blocks, reads];
    };
    const [all] = await goOn(Buffer.alloc(0));
    expect(all).toBe(10);
    // Two blocks and a torn one; then all of the first part and one of the second, then everything.
    expect(await goOn(whole.subarray(0, 2 * 262_144 + 1000))).toEqual([8, 2]);
    const first = (written.parts[0]?.bytes ?? 0) / 262_144;
    expect(first).toBeGreaterThan(3);
    expect(await goOn(whole.subarray(0, (first + 1) * 262_144))).toEqual([10 - first, 2]);
    expect(await goOn(whole)).toEqual([1, 2]);
    // What is there is not what is on the tape: the part is read once more, and nothing is passed over.
    const damaged = Buffer.from(whole.subarray(0, 3 * 262_144));
    damaged[300_000] = (damaged[300_000] ?? 0) ^ 1;
    expect(await goOn(damaged)).toEqual([10 + (first - 3), 3]);
    // More than there should be.
    expect(await goOn(Buffer.concat([whole, Buffer.alloc(1000)]))).toEqual([1, 2]);
  });

  it('holds the files of the copy as they are, one file of the tape each', async () => {
    await start();
    const [volume] = await labelledAll([0]);
    const folder = await makeCopy(bench.root, { 'archive.tar.zst': 300_000, 'manifest.ndjson.zst': 10 });
    await writeCopy(bench, folder, [volume as Volume]);
    const raw = await onTape(bench, 0, async (drive) => {
      // As a person would: `mt fsf 2`, then `dd bs=256k`.
      await drive.rewind(never);
      await drive.skipFilemarks(2, never);
      const blocks: Uint8Array[] = [];
      for (let next = await drive.read(262_144, never); next.kind === 'block'; ) {
        blocks.push(next.data);
        next = await drive.read(262_144, never);
      }
      return Buffer.concat(blocks);
    });
    const handle = await open(join(folder, 'archive.tar.zst'));
    expect(raw.equals(await handle.readFile())).toBe(true);
    await handle.close();
  });

  // Behind the label and its empty catalogue are 8 MiB: the warning comes at each block near the end, and between.
  const places = [...Array(9).keys()].map((index) => 2 * mib + (index - 4) * 131_072);
  it.each(places)('goes on on the next cartridge when the tape warns at %i bytes (case 104)', async (at) => {
    await start({ slots: 4, barcodes: ['SR0001L8', 'SR0002L8', 'SR0003L8', 'SR0004L8'] });
    const volumes = await labelledAll([0, 1, 2, 3]);
    await bench.faults({
      cartridges: bench.barcodes
        .slice(0, 3)
        .map((barcode) => cartridgeFaults({ barcode, earlyWarningAt: at })),
    });
    const folder = await makeCopy(bench.root, {
      'archive.tar.zst': 5 * mib + 1,
      'manifest.ndjson.zst': 400_000,
    });
    const written = await writeCopy(bench, folder, volumes);
    expect(written.parts.length).toBeGreaterThanOrEqual(3);
    expect(written.parts.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(5 * mib + 400_001);
    await backEquals(folder, written);
  });

  it('writes the block that did not fit once more on the next cartridge, with no warning before (case 104)', async () => {
    await start({ barcodes: ['SR0001L8', 'SR0002L8'] });
    const volumes = await labelledAll([0, 1]);
    // The end falls into a block, so that what closes the part still fits.
    const endAt = 3 * mib - 100_000;
    await bench.faults({ cartridges: [cartridgeFaults({ earlyWarningAt: endAt, endAt })] });
    const folder = await makeCopy(bench.root, { 'archive.tar': 4 * mib });
    const written = await writeCopy(bench, folder, volumes);
    expect(written.parts).toHaveLength(2);
    await backEquals(folder, written);
  });

  it('does not count as written when the tape ends before its end was written', async () => {
    await start();
    const folder = await makeCopy(bench.root, { 'archive.tar': 2 * mib });
    await writeCopy(bench, folder, await labelledAll([0]));
    await bench.libraries.close();
    // Label and mark, header and mark, eight blocks: there the tape is to end.
    const tape = await openTapeFile(bench.tapeFile('SR0001L8'));
    const endAt = tape.bytesBefore(12);
    await tape.close();
    await bench.restart();
    const volumes = await labelledAll([0]);
    await bench.faults({ cartridges: [cartridgeFaults({ earlyWarningAt: endAt, endAt })] });
    await expect(writeCopy(bench, folder, volumes)).rejects.toMatchObject({ kind: 'noSpace' });
    await bench.faults({});
    // The part counts for nothing, and the next one takes its place.
    const written = await writeCopy(bench, folder, [volumes[0] as Volume]);
    await backEquals(folder, written);
  });

  it('leaves room for the list of the cartridge when the tape warns (case 105)', async () => {
    await start();
    const volumes = await labelledAll([0, 1]);
    const folder = await makeCopy(bench.root, { 'archive.tar': 9 * mib });
    await writeCopy(bench, folder, volumes);
    const scanned = await onTape(bench, 0, (drive) => scanTape(drive, never));
    expect(scanned).toMatchObject({ parts: [{ file: 1, trailer: { isLast: false } }], problems: [] });
  });

  // The third block of the data, and the end of the part when it is read back.
  it.each([
    ['write', { writeErrorAt: 6 }],
    ['read', { readErrorAt: 13 }],
  ] as const)('is not called done after a %s error', async (_what, fault) => {
    await start();
    const [volume] = await labelledAll([0]);
    const folder = await makeCopy(bench.root, { 'archive.tar': 2 * mib });
    await bench.faults({ cartridges: [cartridgeFaults(fault)] });
    await expect(writeCopy(bench, folder, [volume as Volume])).rejects.toMatchObject({ kind: 'corrupt' });
  });

  it('is refused by another tape than the one that was meant, and that one stays as it was (case 110)', async () => {
    await start();
    const [one, two] = (await labelledAll([0, 1])) as [Volume, Volume];
    const folder = await makeCopy(bench.root, { 'archive.tar': 1000 });
    await expect(writeCopy(bench, folder, [{ ...one, slot: two.slot }])).rejects.toThrow(/another label/);
    const written = await writeCopy(bench, folder, [one]);
    const target = join(bench.root, randomUUID());
    const [part] = written.parts;
    const moved = { ...written, parts: [{ ...part, volume: { ...one, slot: two.slot } }] as never };
    await expect(readCopy(bench, target, moved)).rejects.toThrow(/not the one that was written/);
  });

  it.each([5, 9])('tells which part is damaged when a byte of block %i has changed', async (block) => {
    await start();
    const [volume] = await labelledAll([0]);
    const folder = await makeCopy(bench.root, { 'archive.tar': 3 * mib });
    const written = await writeCopy(bench, folder, [volume as Volume]);
    await bench.faults({ cartridges: [cartridgeFaults({ readErrorAt: block })] });
    const target = join(bench.root, randomUUID());
    await expect(readCopy(bench, target, written)).rejects.toMatchObject({ kind: 'corrupt' });
  });

  it('is not overwritten at a place where the tape has something else than was written last', async () => {
    await start();
    const [volume] = (await labelledAll([0])) as [Volume];
    const folder = await makeCopy(bench.root, { 'archive.tar': 1000 });
    await writeCopy(bench, folder, [volume]);
    await expect(writeCopy(bench, folder, [{ ...volume, file: volume.file - 1 }])).rejects.toThrow(
      /does not end with what was written last/,
    );
  });
});

describe('a scan of a tape', () => {
  it('finds all parts with what the catalogue knew of their copies (case 123)', async () => {
    await start();
    const volumes = await labelledAll([0, 1]);
    const small = await makeCopy(bench.root, { 'archive.tar': 10 });
    const large = await makeCopy(bench.root, { 'archive.tar': 9 * mib });
    const one = await writeCopy(bench, small, volumes);
    const two = await writeCopy(bench, large, volumes);
    const first = await onTape(bench, 0, (drive) => scanTape(drive, never));
    const second = await onTape(bench, 1, (drive) => scanTape(drive, never));
    expect(first?.parts.map(({ header }) => [header.copy, header.number])).toEqual([
      [one.copyId, 1],
      [two.copyId, 1],
    ]);
    expect(second?.parts).toMatchObject([
      {
        header: {
          copy: two.copyId,
          number: 2,
          before: { barcode: 'SR0001L8' },
          facts: { resource: '/data' },
        },
        trailer: { isLast: true, cartridges: [{ barcode: 'SR0001L8' }, { barcode: 'SR0002L8' }] },
      },
    ]);
    expect([first?.problems, second?.problems]).toEqual([[], []]);
    expect(first?.nextFile).toBe(volumes[0]?.file);
  });

  it('tells of a part that was cut off, and where the next one begins', async () => {
    await start();
    const [volume] = (await labelledAll([0])) as [Volume];
    const folder = await makeCopy(bench.root, { 'archive.tar': 2 * mib });
    await writeCopy(bench, folder, [volume]);
    await bench.faults({ cartridges: [cartridgeFaults({ writeErrorAt: 20 })] });
    await expect(writeCopy(bench, folder, [volume])).rejects.toThrow();
    const scanned = await onTape(bench, 0, (drive) => scanTape(drive, never));
    expect(scanned).toMatchObject({
      parts: [{ file: 1 }],
      nextFile: volume.file,
      problems: [expect.stringContaining('never written whole')],
      isDamaged: false,
    });
  });

  it('goes on behind what cannot be read, and says what is missing', async () => {
    await start();
    const [volume] = (await labelledAll([0])) as [Volume];
    const folder = await makeCopy(bench.root, { 'archive.tar': 10 });
    for (let count = 0; count < 3; count += 1) await writeCopy(bench, folder, [volume]);
    // The header of the second part: label and mark, then three files of a block and a mark.
    await bench.faults({ cartridges: [cartridgeFaults({ readErrorAt: 8 })] });
    const scanned = await onTape(bench, 0, (drive) => scanTape(drive, never));
    expect(scanned?.parts.map(({ file }) => file)).toEqual([1, 7]);
    expect(scanned?.problems.join('\n')).toMatch(
      /File 4 of the tape cannot be read[\s\S]*The part at file 4/,
    );
    expect(scanned?.isDamaged).toBe(true);
  });
});

describe('labelling again', () => {
  it('takes away everything that was on the tape', async () => {
    await start();
    const [volume] = (await labelledAll([0])) as [Volume];
    await writeCopy(bench, await makeCopy(bench.root, { 'archive.tar': 500_000 }), [volume]);
    const label = { ...volume.label, uuid: randomUUID() };
    await onTape(bench, 0, (drive) => writeLabel(drive, label, never));
    expect(await onTape(bench, 0, (drive) => scanTape(drive, never))).toMatchObject({ label, parts: [] });
  });
});
