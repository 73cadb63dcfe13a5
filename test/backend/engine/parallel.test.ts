import { execFileSync } from 'node:child_process';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { MessageChannel, type Worker } from 'node:worker_threads';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { COMPRESSIONS, codecBytesOf } from '../../../backend/engine/archive/codec.ts';
import {
  type BackupRequest,
  type ClientKey,
  ensureClientKey,
  startBackup,
  startStoreThread,
  startVerify,
} from '../../../backend/engine/index.ts';
import { Control } from '../../../backend/engine/job/control.ts';
import { HEAP_BYTES, memoryNeed, planMemory, planReading } from '../../../backend/engine/job/memory-plan.ts';
import { FRAME_BYTES, Ring, slotsFor } from '../../../backend/engine/job/ring.ts';
import { runWorkers } from '../../../backend/engine/job/worker-group.ts';
import { compareTrees } from '../../support/compare-trees.ts';
import { sourceProgram } from '../../support/source-program.ts';
import { type Fixture, makeFixture } from './fixture.ts';

const mib = 1_048_576;
let fixture: Fixture;
let source: string;
/** The limits of each thread that was begun; one that has ended has none. */
const workers: NonNullable<Worker['resourceLimits']>[] = [];
/** Without the one that counts, which begins only when a backup takes long, and the one that looks ahead, where that pays. */
const note = (worker: Worker) => {
  const name = String(Reflect.get(worker, 'threadName'));
  if (!['counter', 'looker'].includes(name)) workers.push({ ...worker.resourceLimits });
};

beforeAll(async () => {
  fixture = await makeFixture('parallel');
  source = path.join(fixture.folder, 'source');
  await mkdir(source);
  await writeFile(path.join(source, 'large'), randomBytes(24 * mib));
  for (let file = 0; file < 200; file += 1)
    await writeFile(path.join(source, `${file}`), randomBytes(file * 100));
  process.on('worker', note);
});
afterEach(() => {
  workers.length = 0;
  vi.restoreAllMocks();
});
afterAll(async () => {
  process.off('worker', note);
  await fixture.remove();
});

const request = (more: Partial<BackupRequest> = {}): BackupRequest => ({
  source,
  storagePath: fixture.storagePath,
  copyId: randomUUID(),
  compression: 'None',
  ...more,
});
const newStore = async () => {
  const device = path.join(fixture.folder, 'device.img');
  await writeFile(device, '');
  await truncate(device, 256 * mib);
  const create = { blockBytes: 131_072, algorithm: 'blake3', hashBits: 256 } as const;
  return await startStoreThread(device, { indexFile: `${device}.index`, create });
};
const threadsOf = async (more: Partial<BackupRequest>): Promise<number> => {
  workers.length = 0;
  // The thread that counts is started after a while; on a slow machine there would be one more.
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  try {
    await startBackup(request({ compression: 'Optimal', ...more })).result;
  } finally {
    vi.useRealTimers();
  }
  return workers.length;
};

describe('the threads of a backup', () => {
  it('are one that reads and one that writes where frames stay as they are', async () => {
    const copyId = randomUUID();
    expect(await threadsOf({ compression: 'None', copyId, workerParallelism: 8 })).toBe(2);
    const found = await startVerify({ storagePath: fixture.storagePath, copyId }).result;
    expect(found).toMatchObject({ status: 'trusted' });
    const base = { copies: [{ copyId, storagePath: fixture.storagePath }] };
    expect(await threadsOf({ compression: 'None', base, workerParallelism: 8 })).toBe(2);
    expect(await threadsOf({ compression: 'None', sendParallelism: 3, workerParallelism: 8 })).toBe(2 + 3);
  });

  it('are one more for each compressor, as many as there are processors at most', async () => {
    const one = await threadsOf({ workerParallelism: 1 });
    const most = availableParallelism();
    expect(await threadsOf({ workerParallelism: most })).toBe(one + most - 1);
    expect(await threadsOf({ workerParallelism: 64 })).toBe(one + Math.min(64, most) - 1);
  });

  it.each(['an archive', 'blocks'])(
    'of %s are, with a copy before, so many only when there is much to compress',
    async (kind) => {
      const blocks = kind === 'blocks' ? await newStore() : null;
      const first = request({ blocks, compression: 'Optimal' });
      await startBackup(first).result;
      const base = { copies: [{ copyId: first.copyId, storagePath: fixture.storagePath }] };
      const one = await threadsOf({ blocks, workerParallelism: 1 });
      const most = availableParallelism();
      // The writer encodes what little there is, unless it would have to do so for a large copy alone.
      const few = most > 1 ? one - 1 : one;
      expect(await threadsOf({ blocks, base, workerParallelism: most })).toBe(few);
      expect(await threadsOf({ blocks, base, workerParallelism: 1 })).toBe(one);
      const more = path.join(source, 'more');
      await writeFile(more, randomBytes(FRAME_BYTES * (most + 1)));
      const copyId = randomUUID();
      expect(await threadsOf({ blocks, base, copyId, workerParallelism: most })).toBe(few + most - 1);
      await rm(more);
      const verified = await startVerify({ storagePath: fixture.storagePath, copyId, blocks }).result;
      expect(verified).toMatchObject({ status: 'trusted' });
      await blocks?.close();
    },
  );

  it('are one more for each sender; without several the writer sends by itself', async () => {
    const one = await threadsOf({});
    expect(await threadsOf({ sendParallelism: 1 })).toBe(one);
    expect(await threadsOf({ sendParallelism: 5 })).toBe(one + 5);
  });
});

describe('a consumer that is a codec too', () => {
  it('gets each slot in turn, and to encode those that no codec has taken', () => {
    const ring = new Ring(Ring.memoryFor(3, FRAME_BYTES), 3, Control.create());
    const fill = (sequence: number) => {
      ring.acquire(sequence).rawLength = sequence;
      ring.publish(sequence);
    };
    for (const sequence of [0, 1, 2]) fill(sequence);
    expect(ring.claim()?.sequence).toBe(0);
    const next = ring.takeOrClaim(0);
    expect('claimed' in next && next.claimed.sequence).toBe(1);
    ring.finish(1);
    ring.finish(0);
    const first = ring.takeOrClaim(0);
    expect('done' in first && first.done.rawLength).toBe(0);
    const second = ring.takeOrClaim(1);
    expect('done' in second && second.done.rawLength).toBe(1);
    const third = ring.takeOrClaim(2);
    expect('claimed' in third && third.claimed.sequence).toBe(2);
  });
});

describe('frames that several senders write', () => {
  const archiveHash = async (made: { readonly path: string; readonly archiveFile: string }) =>
    createHash('sha256')
      .update(await readFile(path.join(made.path, made.archiveFile)))
      .digest('hex');

  it.each(['None', 'Optimal', 'Fast'] as const)(
    'lie where one would have put them (%s)',
    async (compression) => {
      const one = await startBackup(request({ compression })).result;
      const wish = request({ compression, sendParallelism: 6, frameBytes: 65_536 });
      const many = await startBackup(wish).result;
      const same = await startBackup(request({ compression, frameBytes: 65_536 })).result;
      expect(many.archiveBytes).toBe(same.archiveBytes);
      expect(await archiveHash(many)).toBe(await archiveHash(same));
      expect(one.totals).toEqual(many.totals);
      const copy = { ...many, copyId: wish.copyId };
      expect(await fixture.verify(copy)).toMatchObject({ status: 'trusted', findings: [] });
      const out = path.join(fixture.folder, `out of ${compression}`);
      await fixture.restore(copy, out);
      expect(compareTrees(source, path.join(out, 'source'))).toEqual([]);
    },
  );

  const verified = (copyId: string, key: ClientKey) =>
    startVerify({ storagePath: fixture.storagePath, copyId, key }).result;

  it.each(['aes-256-gcm', 'age'] as const)('are whole when they are encrypted (%s)', async (cipher) => {
    const file = path.join(fixture.folder, `${cipher}.key`);
    const { key } = await ensureClientKey(file, cipher);
    const wish = request({ sendParallelism: 6, key });
    await startBackup(wish).result;
    expect(await verified(wish.copyId, key)).toMatchObject({
      status: 'trusted',
      findings: [],
    });
  });

  it('are written at the same time, and the end waits for all of them', () => {
    const control = Control.create();
    const slotCount = slotsFor(1, 2);
    const ring = new Ring(Ring.memoryFor(slotCount, FRAME_BYTES), slotCount, control);
    for (const sequence of [0, 1]) {
      ring.acquire(sequence).length = sequence + 10;
      ring.publish(sequence);
      const claimed = ring.claim();
      ring.finish(claimed?.sequence ?? -1);
      ring.take(sequence);
      ring.place(sequence);
    }
    const [first, second] = [ring.claimPlaced(), ring.claimPlaced()];
    expect([first?.slot.length, second?.slot.length]).toEqual([10, 11]);
    expect([ring.isFree(0), ring.isFree(1)]).toEqual([false, false]);
    control.set('limit', 0);
    ring.sent(first?.index ?? -1);
    expect([ring.isFree(slotCount), ring.isFree(slotCount + 1)]).toEqual([true, false]);
    ring.sent(second?.index ?? -1);
    ring.awaitSent();
    expect(ring.claimPlaced()).toBeNull();
  });
});

describe('a limit of memory', () => {
  const others = 3;
  const compression = 'Optimal';
  const frames = { frameBytes: FRAME_BYTES, codecBytes: codecBytesOf(compression, FRAME_BYTES) };

  /** The one that counts is not started for a backup that is over soon. */
  const atWork = (most: number) => workers.length === most || workers.length === most - 1;

  it('takes threads away until all fits, and says so', async () => {
    const memoryFor = vi.spyOn(Ring, 'memoryFor');
    const bytes = memoryNeed({ ...frames, codecs: 1, senders: 2, others });
    const job = startBackup(
      request({
        compression,
        workerParallelism: 1,
        sendParallelism: 30,
        memory: { bytes, isStrict: false },
      }),
    );
    const lines: string[] = [];
    job.onLog(({ message }) => lines.push(message));
    await job.result;
    expect(atWork(1 + 2 + others)).toBe(true);
    expect(lines).toEqual([expect.stringContaining('2 of 30 that send')]);
    const pool = memoryFor.mock.results[0]?.value as SharedArrayBuffer;
    expect(pool.byteLength).toBe(Ring.bytesFor(slotsFor(1, 2), FRAME_BYTES));
    expect(pool.byteLength + frames.codecBytes + workers.length * HEAP_BYTES).toBeLessThanOrEqual(bytes);
    // A soft one does not bound the heaps.
    const bounds = workers.map(({ maxOldGenerationSizeMb = 0 }) => maxOldGenerationSizeMb);
    expect(bounds.filter((bound) => bound > 0 && bound <= 1024)).toEqual([]);
  });

  it('that is strict refuses what does not fit before anything is written', async () => {
    const bytes = memoryNeed({ ...frames, codecs: 1, senders: 8, others }) - 1;
    const memory = { bytes, isStrict: true };
    const wish = { compression, workerParallelism: 1, sendParallelism: 8, memory } as const;
    await expect(startBackup(request(wish)).result).rejects.toThrow(
      /memory_threshold allows .* deny_memory_exceed/,
    );
    expect(workers).toEqual([]);
  });

  it('that is strict bounds the heap of every thread, all of them together within the limit', async () => {
    const bytes = memoryNeed({ ...frames, codecs: 1, senders: 4, others }) + 80 * mib;
    await startBackup(
      request({ compression, workerParallelism: 1, sendParallelism: 4, memory: { bytes, isStrict: true } }),
    ).result;
    const heaps = workers.map(({ maxOldGenerationSizeMb = 0, maxYoungGenerationSizeMb = 0 }) => {
      return (maxOldGenerationSizeMb + maxYoungGenerationSizeMb) * mib;
    });
    expect(atWork(1 + 4 + others)).toBe(true);
    const sum = heaps.reduce((before, heap) => before + heap, 0);
    expect(sum + frames.codecBytes + Ring.bytesFor(slotsFor(1, 4), FRAME_BYTES)).toBeLessThanOrEqual(bytes);
    expect(Math.min(...heaps)).toBeGreaterThanOrEqual(HEAP_BYTES);
  });

  it('of a copy whose frames stay as they are reckons with no thread that encodes', async () => {
    const bytes = memoryNeed({ ...frames, codecBytes: 0, codecs: 1, senders: 0, others: others - 1 });
    const refused = request({ compression: 'None', memory: { bytes: bytes - 1, isStrict: false } });
    await expect(startBackup(refused).result).rejects.toThrow(/memory_threshold allows .* this is the least/);
    const made = request({ compression: 'None', memory: { bytes, isStrict: false } });
    await startBackup(made).result;
    expect(atWork(others)).toBe(true);
  });

  it('starts a worker that may wait only when the others are still at work then', async () => {
    const file = path.join(fixture.folder, 'late.mjs');
    await writeFile(
      file,
      `import { parentPort, workerData } from 'node:worker_threads';
       const word = new Int32Array(workerData.word);
       if (workerData.isLate) Atomics.notify(word, 0, Atomics.store(word, 0, 1));
       else if (workerData.isWaiting) Atomics.wait(word, 0, 0);
       parentPort.postMessage({ type: 'result', value: Atomics.load(word, 0) });`,
    );
    const url = pathToFileURL(file);
    const run = (isWaiting: boolean, afterMs: number) => {
      const word = new SharedArrayBuffer(4);
      const specs = [
        { name: 'first', url, input: { word, isWaiting, isLate: false } },
        { name: 'late', url, input: { word, isWaiting, isLate: true }, afterMs },
      ];
      return runWorkers(Control.create(), specs, () => undefined);
    };
    expect([...(await run(true, 1))].sort()).toEqual([
      ['first', 1],
      ['late', 1],
    ]);
    expect([...(await run(false, 3_600_000))]).toEqual([['first', 0]]);
  });

  it('closes what it was to hand to a thread that nobody asked for, so that the other side forgets it', async () => {
    const file = path.join(fixture.folder, 'quick.mjs');
    await writeFile(
      file,
      "import { parentPort } from 'node:worker_threads'; parentPort.postMessage({ type: 'result', value: 1 });",
    );
    const url = pathToFileURL(file);
    const channels = [new MessageChannel(), new MessageChannel()] as const;
    const closed = channels.map(({ port1 }) => once(port1, 'close'));
    const specs = [
      { name: 'first', url, input: {} },
      { name: 'on call', url, input: {}, transfer: [channels[0].port2], isOnCall: true },
      { name: 'late', url, input: {}, transfer: [channels[1].port2], afterMs: 3_600_000 },
    ];
    expect([...(await runWorkers(Control.create(), specs, () => undefined))]).toEqual([['first', 1]]);
    await Promise.all(closed);
  });

  it('ends the job when a thread cannot be started at all, and says which', async () => {
    const control = Control.create();
    const url = new URL('https://example.invalid/worker.mjs');
    const { port1, port2 } = new MessageChannel();
    const closed = once(port1, 'close');
    await expect(
      runWorkers(control, [{ name: 'codec 2', url, input: {}, transfer: [port2] }], () => undefined),
    ).rejects.toMatchObject({
      kind: 'transient',
      message: expect.stringMatching(/codec 2 could not be started: ./),
    });
    expect(control.isStopped()).toBe(true);
    await closed;
  });

  it('ends the job when a thread outgrows its share, and names what to do', async () => {
    const file = path.join(fixture.folder, 'greedy.mjs');
    await writeFile(
      file,
      'const kept = []; for (;;) kept.push(String(kept.length).repeat(50) + Math.random());',
    );
    const spec = { name: 'reader', url: pathToFileURL(file), input: {}, heapMegabytes: 48 };
    await expect(runWorkers(Control.create(), [spec], () => undefined)).rejects.toThrow(
      /reader needs more than the 48 MiB .*Raise memory_threshold/,
    );
  });

  it('is reckoned in frames and heaps; senders and compressors go in turn, and one of each must fit', () => {
    const wish = { ...frames, codecs: 16, senders: 16, others };
    expect(planMemory({ ...wish, limit: null })).toMatchObject({
      codecs: 16,
      senders: 16,
      note: null,
      heapMegabytes: null,
    });
    expect(memoryNeed(wish)).toBeGreaterThan((2 * 16 + 16) * FRAME_BYTES + 35 * HEAP_BYTES);
    const half = { bytes: memoryNeed({ ...frames, codecs: 8, senders: 8, others }), isStrict: false };
    expect(planMemory({ ...wish, limit: half })).toMatchObject({
      codecs: 8,
      senders: 8,
      heapMegabytes: null,
    });
    const tiny = { bytes: memoryNeed({ ...frames, codecs: 1, senders: 0, others }), isStrict: false };
    expect(planMemory({ ...wish, limit: tiny })).toMatchObject({
      codecs: 1,
      senders: 0,
      slotCount: slotsFor(1),
    });
    expect(() => planMemory({ ...wish, limit: { ...tiny, bytes: tiny.bytes - 1 } })).toThrow(
      'this is the least',
    );
  });

  it('counts what codecs keep outside of the heaps', async () => {
    const codecBytes = codecBytesOf('Best', FRAME_BYTES);
    const wish = { ...frames, codecBytes, codecs: 4, senders: 0, others };
    const bytes = memoryNeed(wish);
    expect(bytes).toBe(memoryNeed({ ...wish, codecBytes: 0 }) + 4 * codecBytes);
    const strict = planMemory({ ...wish, limit: { bytes, isStrict: true } });
    expect((strict.heapMegabytes ?? 0) * mib).toBe(HEAP_BYTES);
    expect(planMemory({ ...wish, limit: { bytes: bytes - 1, isStrict: false } }).codecs).toBe(3);
    const least = memoryNeed({ ...wish, codecs: 1 });
    const refused = { workerParallelism: 1, compression: 'Best' } as const;
    const memory = { bytes: least - 1, isStrict: true };
    await expect(startBackup(request({ ...refused, memory })).result).rejects.toThrow(/deny_memory_exceed/);
    await startBackup(request({ ...refused, memory: { bytes: least, isStrict: true } })).result;
  });

  it.each(COMPRESSIONS)(
    'codecs of %s keep no more than that, of large and of small frames',
    { timeout: 180_000 },
    (compression) => {
      const program = path.join(import.meta.dirname, 'codec-process.ts');
      for (const frameBytes of [FRAME_BYTES, mib]) {
        const args = sourceProgram(program, compression, String(frameBytes));
        const out = execFileSync(process.execPath, args, { encoding: 'utf8' });
        // Without a codec, the process grows a little too.
        expect(Number(out)).toBeLessThan(codecBytesOf(compression, frameBytes) + 8 * mib);
      }
    },
  );

  it('of a job that reads leaves out the thread that decodes ahead before it refuses, and shares what there is', () => {
    const ring = 64 * mib;
    const both = 2 * HEAP_BYTES + ring;
    expect(planReading(null, ring)).toEqual({ isAhead: true, heapMegabytes: null });
    expect(planReading({ bytes: both, isStrict: false }, ring)).toEqual({
      isAhead: true,
      heapMegabytes: null,
    });
    expect(planReading({ bytes: both - 1, isStrict: false }, ring)).toEqual({
      isAhead: false,
      heapMegabytes: null,
    });
    expect(planReading({ bytes: both, isStrict: true }, ring)).toEqual({ isAhead: true, heapMegabytes: 48 });
    expect(planReading({ bytes: 100 * mib, isStrict: true }, ring)).toEqual({
      isAhead: false,
      heapMegabytes: 100,
    });
    expect(() => planReading({ bytes: HEAP_BYTES - 1, isStrict: true }, ring)).toThrow('this is the least');
  });
});
