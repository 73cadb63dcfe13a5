import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  FEED_BLOCK_BYTES,
  FeedInput,
  FeedWindow,
  releasedBytes,
} from '../../../../backend/engine/archive/archive-feed.ts';
import { Control } from '../../../../backend/engine/job/control.ts';
import { FeedBlocks } from '../../../../backend/engine/tape/feed-blocks.ts';
import { openTapeCopyReader } from '../../../../backend/engine/tape/read-part.ts';
import { scanTape } from '../../../../backend/engine/tape/scan-tape.ts';
import { formatRecord } from '../../../../backend/engine/tape/tape-record.ts';
import { openTapeCopyWriter } from '../../../../backend/engine/tape/write-part.ts';
import { makeTempDir } from '../../../support/temp-dir.ts';
import { cartridgeFaults, never, startVirtualBench, type VirtualBench } from '../scsi/virtual-bench.ts';
import { hashesOf, labelled, onTape, readCopy, type Volume, writeParts } from './tape-bench.ts';

const mib = 1_048_576;
const block = FEED_BLOCK_BYTES;
let folder: Awaited<ReturnType<typeof makeTempDir>> | null = null;
let bench: VirtualBench | null = null;
afterEach(async () => {
  await bench?.close();
  await folder?.remove();
  bench = null;
  folder = null;
});

async function startFeed({ window = 4 * block, bytes = 64 * mib } = {}) {
  folder = await makeTempDir('feed');
  const feed = { memory: FeedWindow.memoryFor(window), folder: folder.path, bytes };
  const control = Control.create();
  return { feed, control, input: new FeedInput(feed, control) };
}
const hashOf = (data: Buffer): string => createHash('sha256').update(data).digest('hex');

/** All of it, each block looked at when it may last be: once the next one was taken. */
async function takeAll(blocks: ReturnType<FeedBlocks['open']>): Promise<Buffer> {
  const all: Buffer[] = [];
  let before: Buffer | null = null;
  for (let data = await blocks.next(never); ; data = await blocks.next(never)) {
    if (before !== null) all.push(Buffer.from(before));
    blocks.readOn();
    if (data === null) return Buffer.concat(all);
    before = data;
  }
}

describe('an archive on its way to a tape', () => {
  it('comes as it was, through the memory and, when that is full, through the disk', async () => {
    const { feed, input } = await startFeed();
    const data = randomBytes(70 * mib + 5);
    const taken = new FeedBlocks({ ...feed, bytes: 128 * mib }).open(0);
    for (let at = 0; at < 60 * mib; at += 999_999)
      input.put(data.subarray(at, Math.min(at + 999_999, 60 * mib)));
    expect(await readdir(feed.folder)).toEqual(['feed-0']);
    const first: Buffer[] = [];
    for (let count = 0; count < 100; count += 1) {
      first.push(Buffer.from((await taken.next(never)) ?? []));
      taken.readOn();
    }
    // Room comes back 2 MiB at a time.
    expect(releasedBytes(feed)).toBe(96 * block);
    input.put(data.subarray(60 * mib));
    input.end();
    const rest = await takeAll(taken);
    expect(hashOf(Buffer.concat([...first, rest]))).toBe(hashOf(data));
    // The segment that is over goes while the work goes on.
    await expect.poll(() => readdir(feed.folder)).toEqual(['feed-1']);
    await taken.close();
    input.close();
  });

  it('that lies only in the memory needs no disk, and none of it only in files no memory', async () => {
    const { feed, input } = await startFeed();
    const taken = new FeedBlocks(feed).open(0);
    input.put(randomBytes(2 * block));
    input.end();
    expect((await takeAll(taken)).length).toBe(2 * block);
    expect(await readdir(feed.folder)).toEqual([]);
    const none = { ...feed, memory: FeedWindow.memoryFor(0) };
    const other = new FeedInput(none, Control.create());
    const data = randomBytes(3 * block + 9);
    other.put(data);
    other.end();
    const back = new FeedBlocks(none).open(0);
    expect((await takeAll(back)).equals(data)).toBe(true);
    await back.close();
    other.close();
  });

  it('waits for a drive that is at work and leaves the disk alone; one that stands is not waited for', async () => {
    const { feed, control } = await startFeed();
    let nowMs = 0;
    let isAtWork = true;
    /** Takes a block each time that it is waited for. */
    class WithDrive extends FeedInput {
      protected override waitForTake(): void {
        nowMs += 400;
        if (isAtWork) this.release(this.taken + block);
      }
    }
    const input = new WithDrive(feed, control, { nowMs: () => nowMs, patienceMs: 1000 });
    input.release(0);
    input.put(randomBytes(40 * block));
    expect(await readdir(feed.folder)).toEqual([]);
    expect(releasedBytes(feed)).toBe(36 * block);
    isAtWork = false;
    input.put(randomBytes(9 * block));
    expect(await readdir(feed.folder)).toEqual(['feed-0']);
    expect([releasedBytes(feed), input.arrived]).toEqual([36 * block, 49 * block]);
    // Far behind and at work again: what is on the disk goes first.
    isAtWork = true;
    input.release(input.taken + block);
    input.put(randomBytes(block));
    expect([releasedBytes(feed), input.arrived]).toEqual([48 * block, 50 * block]);
    input.close();
  });

  it('waits when there is no room for more, and ends when its job is stopped then', async () => {
    const { control, input } = await startFeed({ window: 2 * block, bytes: 2 * block });
    input.put(randomBytes(2 * block));
    control.stop();
    expect(() => input.put(randomBytes(block))).toThrow(expect.objectContaining({ kind: 'cancelled' }));
    // A drive that waits for more than may wait goes on.
    expect(input.isHeldUp).toBe(true);
    input.close();
  });

  it('that comes slowly lets the drive wait for more each time that it runs dry; one that is fast does not', async () => {
    const { feed, input } = await startFeed({ window: 64 * block });
    let nowMs = 0;
    const pace = { nowMs: () => nowMs, steadyBytesPerSecond: block, leastBytes: 2 * block };
    const taken = new FeedBlocks(feed, pace).open(0);
    /** A drive that ran dry goes on with so many blocks, not with one less, and takes them all. */
    const goesOnWith = async (count: number): Promise<void> => {
      let isThere = false;
      const next = taken.next(never).then(() => {
        isThere = true;
      });
      for (let put = 1; put < count; put += 1) input.put(Buffer.alloc(block));
      for (let turns = 0; turns < 50; turns += 1) await new Promise(setImmediate);
      expect(isThere).toBe(false);
      input.put(Buffer.alloc(block));
      await next;
      for (let left = count - 1; left > 0; left -= 1) await taken.next(never);
    };
    await goesOnWith(2);
    nowMs += 10_000;
    await goesOnWith(4);
    nowMs += 10_000;
    await goesOnWith(8);
    // As much as a drive writes steadily.
    nowMs += 1000;
    await goesOnWith(1);
    input.close();
  });

  it('gets back what little room it has before the drive waits for more', async () => {
    const { feed, input } = await startFeed({ window: 2 * block, bytes: 2 * block });
    input.put(randomBytes(2 * block));
    const taken = new FeedBlocks(feed).open(0);
    input.isHeldUp = true;
    for (let count = 0; count < 2; count += 1) {
      await taken.next(never);
      taken.readOn();
    }
    expect(releasedBytes(feed)).toBe(0);
    const third = taken.next(never);
    // All but the block that the drive may not have taken yet.
    expect(releasedBytes(feed)).toBe(block);
    input.put(randomBytes(block));
    expect((await third)?.length).toBe(block);
    input.close();
  });

  it('is kept no longer once it was given on', async () => {
    const { feed, input } = await startFeed();
    input.put(randomBytes(10 * block));
    input.end();
    const blocks = new FeedBlocks(feed);
    const taken = blocks.open(0);
    await takeAll(taken);
    await taken.close();
    expect(() => blocks.open(0)).toThrow(expect.objectContaining({ kind: 'permanent' }));
  });
});

describe('a copy that is written while it is made', () => {
  const places = [0, 1, 2, 3, 4, 5].map((index) => 2 * mib + (index - 3) * 131_072);
  // The archive ends in a block, at the end of one, and where the tape is full.
  const sizes = [3 * mib + 7, 3 * mib, 5 * block, 6 * block];
  const cases = places.flatMap((at) => sizes.map((bytes) => [bytes, at] as const));
  it.each(cases)('of %i bytes goes on when the tape warns at %i', async (bytes, at) => {
    bench = await startVirtualBench();
    const { feed, input } = await startFeed({ window: 64 * block });
    const volumes = [await labelled(bench, 0), await labelled(bench, 1)];
    await bench.faults({ cartridges: [cartridgeFaults({ earlyWarningAt: at })] });
    const archive = randomBytes(bytes);
    const copyId = randomUUID();
    const names = ['manifest.ndjson.zst', 'archive.tar'];
    const writer = await openTapeCopyWriter({
      from: { feed, names },
      copyId,
      facts: { resource: '/data' },
      onBytes: () => undefined,
    });
    const writing = writeParts(bench, writer, volumes, copyId);
    input.put(archive);
    input.end();
    const rest = join(feed.folder, 'rest');
    await mkdir(rest);
    await writeFile(join(rest, 'manifest.ndjson.zst'), randomBytes(300_000));
    await writer.complete({ folder: rest, facts: { resource: '/data', size: 12 } });
    const written = await writing;
    const back = join(feed.folder, 'back');
    await readCopy(bench, back, written);
    const manifest = (await hashesOf(rest))['manifest.ndjson.zst'] ?? '';
    expect(await hashesOf(back)).toEqual({ 'archive.tar': hashOf(archive), 'manifest.ndjson.zst': manifest });
    const last = written.parts.at(-1)?.volume.slot ?? 0;
    const scanned = await onTape(bench, last, (drive) => scanTape(drive, never));
    // What is known at the end stands in the last trailer.
    expect(scanned?.parts[0]).toMatchObject({
      header: { facts: { resource: '/data' } },
      trailer: { isLast: true, facts: { resource: '/data', size: 12 } },
    });
    input.close();
  });

  it('has only the files that its tape was told of', async () => {
    const { feed, input } = await startFeed();
    const source = { feed, names: ['archive.tar', 'key.json'] };
    const writer = await openTapeCopyWriter({
      from: source,
      copyId: randomUUID(),
      facts: {},
      onBytes: () => undefined,
    });
    input.put(Buffer.alloc(1));
    input.end();
    const rest = join(feed.folder, 'rest');
    await mkdir(rest);
    await writeFile(join(rest, 'other.json'), 'x');
    await expect(writer.complete({ folder: rest, facts: {} })).rejects.toThrow('other files');
  });
});

describe.each([1, 2] as const)('a cartridge of version %d', (version) => {
  it('is read and found by a scan, over two cartridges', async () => {
    bench = await startVirtualBench();
    const volumes = [await labelled(bench, 0), await labelled(bench, 1)] as const;
    const archive = randomBytes(3 * block + 5);
    const manifest = randomBytes(40);
    const copy = randomUUID();
    const files = [
      { name: 'archive.tar', bytes: archive.length },
      { name: 'empty.json', bytes: 0 },
      { name: 'manifest.ndjson', bytes: manifest.length },
    ];
    const put = (volume: Volume, number: number, data: readonly (readonly [string, number, Buffer])[]) =>
      onTape(bench as VirtualBench, volume.slot, async (drive) => {
        const { uuid: tape, barcode } = volume.label;
        const isLast = number === 2;
        const pieces = data.map(([name, from, bytes]) => ({
          name,
          from,
          bytes: bytes.length,
          sha256: hashOf(bytes),
        }));
        const [first] = volumes;
        const before = isLast ? { tape: first.label.uuid, barcode: first.label.barcode } : null;
        const facts = { resource: '/old' };
        const [name = '', from] = data[0] ?? [];
        const begins = version === 1 ? {} : { begins: { name, from } };
        const header = { tape, copy, number, before, facts, files, ...begins };
        const whole = [archive, Buffer.alloc(0), manifest];
        const trailer = {
          tape,
          copy,
          number,
          pieces,
          isLast,
          files: isLast
            ? files.map((file, index) => ({ ...file, sha256: hashOf(whole[index] as Buffer) }))
            : [],
          cartridges: isLast ? [{ number, tape, barcode }] : [],
          ...(version === 1 ? {} : { facts: isLast ? facts : null }),
        };
        await drive.rewind(never);
        await drive.skipFilemarks(1, never);
        const records = [formatRecord('part', header, version), ...data.map(([, , bytes]) => bytes)];
        for (const bytes of [...records, formatRecord('trailer', trailer, version)]) {
          for (let at = 0; at < bytes.length; at += block)
            await drive.write(bytes.subarray(at, at + block), never);
          await drive.writeFilemarks(1, never);
        }
      });
    await put(volumes[0], 1, [['archive.tar', 0, archive.subarray(0, 2 * block)]]);
    await put(volumes[1], 2, [
      ['archive.tar', 2 * block, archive.subarray(2 * block)],
      ['manifest.ndjson', 0, manifest],
    ]);
    const scanned = await onTape(bench, 1, (drive) => scanTape(drive, never));
    expect(scanned).toMatchObject({
      parts: [
        {
          header: { number: 2, facts: { resource: '/old' } },
          trailer: { facts: version === 1 ? null : { resource: '/old' } },
        },
      ],
      problems: [],
    });
    folder = await makeTempDir(`version-${version}`);
    const back = join(folder.path, 'back');
    const reader = await openTapeCopyReader(back, () => undefined);
    for (const [index, volume] of volumes.entries()) {
      const part = { tape: volume.label.uuid, copy, number: index + 1, file: 1 };
      await onTape(bench, volume.slot, (drive) => reader.readPart(drive, part, never));
    }
    await reader.finish();
    await reader.close();
    expect((await readFile(join(back, 'archive.tar'))).equals(archive)).toBe(true);
    expect((await readFile(join(back, 'manifest.ndjson'))).equals(manifest)).toBe(true);
  });
});
