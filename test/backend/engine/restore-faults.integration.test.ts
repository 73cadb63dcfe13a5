import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RestoreRequest } from '../../../backend/engine/index.ts';
import { type Fault, faultEnv, whyNoFaults } from '../../lab/faultfs.ts';
import { compareTrees } from '../../support/compare-trees.ts';
import { callsToFail } from '../../support/effort.ts';
import { sourceProgram } from '../../support/source-program.ts';
import { type Copy, type Fixture, makeFixture } from './fixture.ts';

const reason = whyNoFaults();

if (reason !== null) process.stderr.write(`skipped: restores under failing file calls, since ${reason}\n`);

const program = path.join(import.meta.dirname, 'restore-process.ts');

describe.skipIf(reason !== null)('a restore to a disk that is full from some call on', () => {
  let fixture: Fixture;
  let source: string;
  let copy: Copy;
  let destination: string;

  beforeAll(async () => {
    fixture = await makeFixture('restore-faults');
    source = path.join(fixture.folder, 'source');
    destination = path.join(fixture.folder, 'target');
    fs.mkdirSync(path.join(source, 'below'), { recursive: true });
    for (const name of ['a', 'b', 'below/c']) fs.writeFileSync(path.join(source, name), randomBytes(300_000));
    fs.writeFileSync(path.join(source, 'below', 'sparse'), '');
    fs.truncateSync(path.join(source, 'below', 'sparse'), 5_000_000);
    fs.symlinkSync('a', path.join(source, 'link'));
    copy = await fixture.backUp(source);
  });
  afterAll(() => fixture.remove());

  function attempt(fault: Omit<Fault, 'path'>) {
    const request: RestoreRequest = {
      storagePath: fixture.storagePath,
      copyId: copy.copyId,
      destination,
      onExisting: 'replace',
      forbidden: [],
    };
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      sourceProgram(program, JSON.stringify(request)),
      { env: { ...process.env, ...faultEnv({ ...fault, path: destination }) }, encoding: 'utf8' },
    );
    return { isDone: status === 0, stdout, stderr };
  }

  /** Paths of files below the target. */
  const there = (): readonly string[] =>
    fs.existsSync(destination)
      ? fs
          .readdirSync(destination, { recursive: true, withFileTypes: true })
          .filter((item) => item.isFile())
          .map((item) =>
            path.relative(path.join(destination, 'source'), path.join(item.parentPath, item.name)),
          )
      : [];

  it('ends and says so; what is there under its name is whole, nothing else is left, and the next one brings the rest (case 83)', {
    timeout: 240_000,
  }, () => {
    const ops = ['write', 'pwrite', 'ftruncate'] as const;
    const log = path.join(fixture.folder, 'calls.log');
    expect(attempt({ at: 0, log, ops }).isDone).toBe(true);
    const calls = Number(fs.readFileSync(log, 'utf8').trim().split('\n').at(-1));
    expect(calls).toBeGreaterThan(3);
    const counts: number[] = [];
    for (const at of callsToFail(calls, 2)) {
      fs.rmSync(destination, { recursive: true });
      const { isDone, stderr } = attempt({ at, mode: 'ENOSPC', ops, sticky: true });
      const where = `call ${at} of ${calls}: ${stderr}`;
      expect(isDone, where).toBe(false);
      expect(stderr, where).toContain('The destination is full. Free space and start the restore again.');
      for (const name of there()) {
        const restored = fs.readFileSync(path.join(destination, 'source', name));
        expect(restored.equals(fs.readFileSync(path.join(source, name))), `${name}, ${where}`).toBe(true);
      }
      counts.push(there().length);
      expect(attempt({ at: 0 }).isDone, where).toBe(true);
      expect(compareTrees(source, path.join(destination, 'source')), where).toEqual([]);
    }
    expect(counts.length).toBeGreaterThan(1);
  });

  it('a disk that reports an error at one file costs that one, and it is told (case 84)', () => {
    fs.rmSync(destination, { recursive: true, force: true });
    const { isDone, stdout } = attempt({ at: 1, mode: 'EIO', ops: ['write', 'pwrite'] });
    expect(isDone).toBe(true);
    const { problems } = JSON.parse(stdout) as { readonly problems: readonly { readonly path: string }[] };
    expect(problems).toEqual([
      { path: path.join(source, 'a'), code: 'EIO', reason: 'it could not be restored (EIO)' },
    ]);
    expect(there().toSorted()).toEqual(['b', 'below/c', 'below/sparse']);
  });
});
