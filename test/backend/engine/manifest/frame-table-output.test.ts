import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { blockLine } from '../../../../backend/engine/manifest/block-lines.ts';
import { FrameTableOutput } from '../../../../backend/engine/manifest/frame-table-output.ts';

const SEGMENT = 4096;
const FRAMES = 10_000;
const hashes = Array.from({ length: FRAMES }, () => randomBytes(32));
const lengthOf = (at: number): number => 1 + ((at * 7919) % 1_048_576);
const lineOf = (at: number): string => blockLine(lengthOf(at), hashes[at]?.toString('base64') ?? '');
const ends = Array.from({ length: FRAMES }, (_, at) => lengthOf(at));
for (let at = 1; at < FRAMES; at += 1) ends[at] = (ends[at] ?? 0) + (ends[at - 1] ?? 0);
const endOf = (at: number): number => ends[at - 1] ?? 0;

interface Segment {
  readonly first: number;
  readonly count: number;
  readonly text: string;
  readonly base: number;
}

function tableOf(fill: (table: FrameTableOutput) => void): readonly Segment[] {
  const segments: Segment[] = [];
  const table = new FrameTableOutput((first, count, text, base) => {
    segments.push({ first, count, text: text.toString(), base });
  });
  fill(table);
  expect(table.frames).toBe(FRAMES);
  table.end(endOf(FRAMES));
  return segments;
}

const runOf = (from: number, to: number): Buffer =>
  Buffer.from(Array.from({ length: to - from }, (_, at) => lineOf(from + at)).join(''));
const wanted = [0, SEGMENT, 2 * SEGMENT].map((first) => {
  const to = Math.min(FRAMES, first + SEGMENT);
  return { first, count: to - first, text: runOf(first, to).toString(), base: endOf(first) };
});

it('is the same by blocks, by lines and by runs of any length', () => {
  const byBlocks = tableOf((table) => {
    for (const [at, hash] of hashes.entries()) table.addBlock(lengthOf(at), hash, endOf(at + 1));
  });
  expect(byBlocks).toEqual(wanted);
  const byLines = tableOf((table) => {
    for (const at of hashes.keys()) table.addLine(lineOf(at), endOf(at + 1));
  });
  expect(byLines).toEqual(wanted);
  for (const length of [1, 100, 2600, SEGMENT, 5000, FRAMES]) {
    const byRuns = tableOf((table) => {
      for (let from = 0; from < FRAMES; from += length) {
        const to = Math.min(FRAMES, from + length);
        table.addRun(runOf(from, to), to - from, endOf(from), endOf(to));
      }
    });
    expect(byRuns).toEqual(wanted);
  }
});

it('has no empty segment', () => {
  const segments: number[] = [];
  new FrameTableOutput((first) => segments.push(first)).end(0);
  expect(segments).toEqual([]);
});
