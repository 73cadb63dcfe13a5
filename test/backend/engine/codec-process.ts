import { type Compression, codecFor, encodeChecked } from '../../../backend/engine/archive/codec.ts';
import { allowCollection } from '../../../backend/platform/collect-garbage.ts';

/** Works as a thread that compresses does, and prints by how much the process has grown over it at most. */
allowCollection();
const [compression, frameBytes] = process.argv.slice(2);
const raw = Buffer.alloc(Number(frameBytes));
let state = 1;
for (let at = 0; at < raw.length; at += 1) {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  raw[at] = 97 + ((state >>> 24) % 17);
}
const codec = codecFor(compression as Compression);
// Code and libraries are there before it is looked.
codec.release(encodeChecked(codec, raw.subarray(0, 4096)));
const before = process.memoryUsage.rss();
let most = before;
for (let round = 0; round < 8; round += 1) {
  const stored = encodeChecked(codec, raw);
  most = Math.max(most, process.memoryUsage.rss());
  codec.release(stored);
  await new Promise((resolve) => setImmediate(resolve));
}
process.stdout.write(String(most - before));
