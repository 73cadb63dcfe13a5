import { spawnSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fault, faultEnv, whyNoFaults } from '../../lab/faultfs.ts';
import { callsToFail } from '../../support/effort.ts';
import { sourceProgram } from '../../support/source-program.ts';
import { type Fixture, makeFixture } from './fixture.ts';

const reason = whyNoFaults();

if (reason !== null) process.stderr.write(`skipped: backups under failing file calls, since ${reason}\n`);

const program = path.join(import.meta.dirname, 'backup-process.ts');

describe.skipIf(reason !== null)('a backup to a storage that is full from some call on', () => {
  let fixture: Fixture;
  let source: string;

  beforeAll(async () => {
    fixture = await makeFixture('backup-faults');
    source = path.join(fixture.folder, 'source');
    fs.mkdirSync(source);
    for (const name of ['a', 'b', 'c']) fs.writeFileSync(path.join(source, name), randomBytes(1_100_000));
  });
  afterAll(() => fixture.remove());

  function attempt(fault: Omit<Fault, 'path'>, more: object) {
    const copyId = randomUUID();
    const wish = { source, storagePath: fixture.storagePath, copyId, base: null, ...more };
    const env = { ...process.env, ...faultEnv({ ...fault, path: fixture.storagePath }) };
    const { status, stderr } = spawnSync(process.execPath, sourceProgram(program, JSON.stringify(wish)), {
      env,
      encoding: 'utf8',
    });
    return { isDone: status === 0, stderr, copyId };
  }

  it.each([{}, { sendParallelism: 3 }])(
    'leaves nothing, whichever call it is, renaming and syncs among them, and names the place %o (case 83)',
    { timeout: 180_000 },
    (more) => {
      const log = path.join(fixture.folder, `calls ${Object.keys(more)}.log`);
      expect(attempt({ at: 0, log }, more).isDone).toBe(true);
      const calls = Number(fs.readFileSync(log, 'utf8').trim().split('\n').at(-1));
      expect(calls).toBeGreaterThan(8);
      for (const name of fs.readdirSync(fixture.storagePath)) {
        fs.rmSync(path.join(fixture.storagePath, name), { recursive: true });
      }
      const told: string[] = [];
      for (const at of callsToFail(calls, 2)) {
        const { isDone, stderr } = attempt(
          { at, mode: 'ENOSPC', ops: ['write', 'pwrite', 'fsync', 'fdatasync', 'rename'] },
          more,
        );
        const where = `call ${at} of ${calls}: ${stderr}`;
        if (isDone) continue;
        told.push(where);
        expect(fs.readdirSync(fixture.storagePath), where).toEqual([]);
        expect(stderr, where).toContain(`storage ${fixture.storagePath} is full`);
      }
      expect(told.length).toBeGreaterThan(4);
    },
  );
});
