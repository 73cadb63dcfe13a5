import { spawnSync } from 'node:child_process';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  listCopies,
  removePartials,
  startProof,
  startTransfer,
  startVerify,
} from '../../../backend/engine/index.ts';
import { type Fault, faultEnv, whyNoFaults } from '../../lab/faultfs.ts';
import { callsToFail } from '../../support/effort.ts';
import { sourceProgram } from '../../support/source-program.ts';
import { type Copy, type Fixture, makeFixture } from './fixture.ts';

const reason = whyNoFaults();

if (reason !== null) process.stderr.write(`skipped: copying under failing file calls, since ${reason}\n`);

const script = path.join(import.meta.dirname, 'transfer-process.ts');

describe.skipIf(reason !== null)('a copy on its way to another storage', () => {
  let fixture: Fixture;
  let copy: Copy;
  let target: string;
  let untouched: string;
  let calls: number;

  beforeAll(async () => {
    fixture = await makeFixture('faults');
    const source = path.join(fixture.folder, 'source');
    fs.mkdirSync(source);
    for (const name of ['a', 'b', 'c']) fs.writeFileSync(path.join(source, name), randomBytes(1_100_000));
    copy = await fixture.backUp(source, 'Fast');
    target = path.join(fixture.folder, 'elsewhere');
    fs.mkdirSync(target);
    untouched = contentOf(fixture.storagePath);
    const log = path.join(fixture.folder, 'calls.log');
    expect(attempt({ at: 0, log }).outcome).toBe('done');
    calls = Number(fs.readFileSync(log, 'utf8').trim().split('\n').at(-1));
    expect(calls).toBeGreaterThan(8);
  }, 60_000);
  afterAll(() => fixture.remove());

  function attempt(fault: Omit<Fault, 'path'>): { readonly outcome: string; readonly copyId: string } {
    const copyId = randomUUID();
    const args = sourceProgram(script, fixture.storagePath, copy.copyId, target, copyId);
    const env = { ...process.env, ...faultEnv({ ...fault, path: target }) };
    const { stdout, signal } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
    return { outcome: signal ?? stdout, copyId };
  }

  /** What a start of the server finds: nothing, or a copy that is right in every byte. */
  async function lookAround(copyId: string, where: string): Promise<boolean> {
    await removePartials(target);
    expect(fs.readdirSync(target), where).toEqual(await listCopies(target));
    expect(contentOf(fixture.storagePath), where).toBe(untouched);
    if (!fs.existsSync(path.join(target, copyId))) return false;
    const { status } = await startVerify({ storagePath: target, copyId }).result;
    expect(status, where).toBe('trusted');
    fs.rmSync(path.join(target, copyId), { recursive: true });
    return true;
  }

  /** Whatever lies there, the next attempt makes the same copy of it. */
  async function goOn(copyId: string, where: string): Promise<void> {
    const to = { storagePath: target, copyId };
    const from = { storagePath: fixture.storagePath, copyId: copy.copyId };
    await startTransfer({ from, to, isResumable: true }).result;
    const proved = await startProof(to).result;
    expect(contentOf(proved.path), where).toBe(contentOf(copy.path));
  }

  it.each([
    ['ENOSPC', 'noSpace'],
    ['EIO', ''],
    ['kill', 'SIGKILL'],
    ['torn', ''],
  ] as const)(
    'that meets %s at each of its calls is either whole or not there, and the source is untouched (case 84)',
    { timeout: 300_000 },
    async (mode, expected) => {
      for (const name of fs.readdirSync(target)) fs.rmSync(path.join(target, name), { recursive: true });
      for (const at of callsToFail(calls, 2)) {
        const where = `${mode} at call ${at} of ${calls}`;
        const { outcome, copyId } = attempt({ at, mode });
        expect(outcome, where).not.toBe('done');
        if (expected !== '') expect(outcome, where).toBe(expected);
        if (mode === 'kill') await goOn(copyId, where);
        await lookAround(copyId, where);
      }
    },
  );

  it('goes on after writes that were cut short', { timeout: 300_000 }, async () => {
    for (const at of callsToFail(calls, 2)) {
      const { outcome, copyId } = attempt({ at, mode: 'short', ops: ['write', 'pwrite'] });
      expect(outcome).toBe('done');
      expect(await lookAround(copyId, `short write ${at}`)).toBe(true);
    }
  });

  it('is no copy when the storage only says that it has written', { timeout: 300_000 }, async () => {
    let lies = 0;
    for (let at = 1; at <= calls; at += 1) {
      const { outcome, copyId } = attempt({ at, mode: 'lie', ops: ['write', 'pwrite'] });
      // Past the last write there is nothing to lie about.
      const isThere = await lookAround(copyId, `lie at write ${at}`);
      expect(isThere).toBe(outcome === 'done');
      if (outcome !== 'done') lies += 1;
    }
    expect(lies).toBeGreaterThan(3);
  });
});

function contentOf(folder: string): string {
  const hash = createHash('sha256');
  for (const name of fs.readdirSync(folder, { recursive: true }).map(String).sort()) {
    const file = path.join(folder, name);
    hash.update(name);
    if (fs.statSync(file).isFile()) hash.update(fs.readFileSync(file));
  }
  return hash.digest('hex');
}
