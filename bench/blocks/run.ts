import { type ContenderName, contenders } from './contenders.ts';
import { BATCH, fillHashes, HASH_BYTES, scattered } from './hashes.ts';

/** One contender in a process of its own: prints one line of JSON. Started by main.ts. */
const [name = '', folder = '', blocksText = '0', lookupsText = '0'] = process.argv.slice(2);
const blocks = Number(blocksText);
const lookups = Number(lookupsText);
const bare = process.memoryUsage().rss;
const contender = contenders[name as ContenderName](folder, blocks);

/** Seconds that `work` took for all batches; making the hashes is not counted. */
function timed(
  total: number,
  numberOf: (index: number) => number,
  work: (hashes: Buffer, at: number, value: number) => void,
) {
  const hashes = Buffer.alloc(BATCH * HASH_BYTES);
  let spentMs = 0;
  for (let done = 0; done < total; done += BATCH) {
    const count = Math.min(BATCH, total - done);
    const values = Array.from({ length: count }, (_, index) => numberOf(done + index));
    for (const [index, value] of values.entries()) fillHashes(hashes.subarray(index * HASH_BYTES), value, 1);
    const startMs = performance.now();
    for (const [index, value] of values.entries()) work(hashes, index * HASH_BYTES, value);
    spentMs += performance.now() - startMs;
  }
  return spentMs / 1000;
}

let wrong = 0;
const insertSeconds = timed(blocks, (index) => index, contender.insert);
contender.settle();
const hitSeconds = timed(
  lookups,
  (index) => scattered(index, blocks),
  (hashes, at, value) => {
    if (!contender.has(hashes, at, value)) wrong += 1;
  },
);
const missSeconds = timed(
  lookups,
  (index) => blocks + index,
  (hashes, at, value) => {
    if (contender.has(hashes, at, value)) wrong += 1;
  },
);
// Tables that growing left behind are not what the contender needs.
globalThis.gc?.();
const memoryBytes = process.memoryUsage().rss - bare;
if (wrong > 0) throw new Error(`${name}: ${wrong} wrong answers`);
process.stdout.write(
  JSON.stringify({
    contender: name,
    blocks,
    insertsPerSecond: Math.round(blocks / insertSeconds),
    hitsPerSecond: Math.round(lookups / hitSeconds),
    missesPerSecond: Math.round(lookups / missSeconds),
    memoryMb: Math.round(memoryBytes / 1e6),
    peakMb: Math.round(process.resourceUsage().maxRSS / 1024),
    memoryBytesPerBlock: Number((memoryBytes / blocks).toFixed(1)),
    fileBytesPerBlock: Number((contender.fileBytes() / blocks).toFixed(1)),
  }),
);
