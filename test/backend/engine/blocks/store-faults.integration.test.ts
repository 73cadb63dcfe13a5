import { spawn } from 'node:child_process';
import { copyFileSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createBlockStore, openBlockStore } from '../../../../backend/engine/blocks/open-store.ts';
import { scanBlockStore } from '../../../../backend/engine/blocks/scan-store.ts';
import { type Fault, faultEnv } from '../../../lab/faultfs.ts';
import { callsToFail } from '../../../support/effort.ts';
import { sourceProgram } from '../../../support/source-program.ts';
import { blockOf, hashOf, MIB, makeDevice, numbers, type TestDevice } from './fixture.ts';

const script = join(import.meta.dirname, 'store-process.ts');
let device: TestDevice;
let empty = '';
beforeEach(() => {
  device = makeDevice(8 * MIB);
  empty = join(device.folder, 'empty.copy');
  createBlockStore(device.path, { blockBytes: 8192, algorithm: 'sha2', hashBits: 256 });
  copyFileSync(device.path, empty);
});
afterEach(() => device.remove());

/** The lines that the process said before it ended, however it ended. */
async function run(fault: Omit<Fault, 'path'>): Promise<readonly string[]> {
  const child = spawn(process.execPath, sourceProgram(script, device.path, device.indexFile), {
    env: { ...process.env, ...faultEnv({ path: 'device.', ...fault }) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString('utf8');
  });
  await new Promise((resolve) => child.once('close', resolve));
  return said.split('\n').filter((line) => line !== '');
}

function keptBy(lines: readonly string[]): ReadonlySet<number> {
  const kept = new Set<number>();
  for (const line of lines) {
    const [word, from, to] = line.split(' ');
    for (const value of numbers(
      Number(from),
      word === 'kept' || word === 'given' ? Number(to) : Number(from),
    )) {
      if (word === 'kept') kept.add(value);
      else kept.delete(value);
    }
  }
  return kept;
}

function expectWhole(lines: readonly string[]): void {
  const store = openBlockStore(device.path, { indexFile: device.indexFile });
  try {
    for (const value of keptBy(lines))
      expect(store.get(hashOf(blockOf(value))).equals(blockOf(value))).toBe(true);
    for (const block of scanBlockStore(store)) expect(block.isWhole).toBe(true);
  } finally {
    store.close();
  }
}

function startAnew(): void {
  copyFileSync(empty, device.path);
  rmSync(device.indexFile, { force: true });
}

async function countCalls(): Promise<number> {
  const log = join(device.folder, 'calls');
  expect((await run({ at: 0, log })).at(-1)).toBe('done');
  return Number(readFileSync(log, 'utf8').trim());
}

async function atEveryCall(
  fault: Omit<Fault, 'path' | 'at'>,
  check: (lines: readonly string[]) => void,
): Promise<void> {
  const calls = await countCalls();
  expect(calls).toBeGreaterThan(40);
  for (const at of callsToFail(calls, 3)) {
    startAnew();
    const lines = await run({ at, ...fault });
    check(lines);
    expectWhole(lines);
  }
}

describe('a block store whose process meets a fault', () => {
  test('is whole after kill -9 at every call, also of cleaning, which goes on later (case 85)', async () => {
    await atEveryCall({ mode: 'torn' }, (lines) => expect(lines).not.toContain('done'));
  });

  test('fails clean on a full disk at every call and keeps what it promised (cases 83, 84)', async () => {
    await atEveryCall({ mode: 'ENOSPC', sticky: true }, (lines) => expect(lines.at(-1)).toBe('noSpace'));
  });

  test('fails clean on an I/O error at every call (case 84)', async () => {
    await atEveryCall({ mode: 'EIO' }, (lines) => expect(lines.at(-1)).toBe('permanent'));
  });

  test('goes on after a short write at any call (case 84)', async () => {
    const ops = ['write', 'pwrite'] as const;
    const log = join(device.folder, 'calls');
    await run({ at: 0, log, ops });
    const writes = Number(readFileSync(log, 'utf8').trim());
    for (let at = 1; at <= writes; at += 1) {
      startAnew();
      const lines = await run({ at, ops, mode: 'short' });
      expect(lines.at(-1)).toBe('done');
      expectWhole(lines);
    }
  });
});
