import { spawnSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startStoreThread, startVerify } from '../../../backend/engine/index.ts';
import { type Fault, faultEnv, whyNoFaults } from '../../lab/faultfs.ts';
import { callsToFail } from '../../support/effort.ts';
import { sourceProgram } from '../../support/source-program.ts';
import { type Fixture, makeFixture } from './fixture.ts';

const reason = whyNoFaults();

if (reason !== null) process.stderr.write(`skipped: backups under failing file calls, since ${reason}\n`);

const program = path.join(import.meta.dirname, 'backup-process.ts');

describe.skipIf(reason !== null)('a backup to a storage that fails', () => {
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
    'that is full at some call leaves nothing, whichever it is, renaming and syncs among them, and names the place %o (case 83)',
    { timeout: 180_000 },
    (more) => {
      const log = path.join(fixture.folder, `calls ${Object.keys(more)}.log`);
      expect(attempt({ at: 0, log }, more).isDone).toBe(true);
      const calls = Number(fs.readFileSync(log, 'utf8').trim().split('\n').at(-1));
      expect(calls).toBeGreaterThan(8);
      fixture.clear();
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

  it.each([{}, { sendParallelism: 3 }])(
    'whose disk reports an error at any one call: it leaves nothing, and says where and what %o (case 84)',
    { timeout: 180_000 },
    (more) => {
      const log = path.join(fixture.folder, `calls of errors ${Object.keys(more)}.log`);
      expect(attempt({ at: 0, log }, more).isDone).toBe(true);
      const calls = Number(fs.readFileSync(log, 'utf8').trim().split('\n').at(-1));
      fixture.clear();
      let failed = 0;
      for (const at of callsToFail(calls, 2)) {
        const { isDone, stderr, copyId } = attempt(
          { at, mode: 'EIO', ops: ['write', 'pwrite', 'fsync', 'fdatasync', 'rename'] },
          more,
        );
        const where = `call ${at} of ${calls}: ${stderr}`;
        const left = fs.readdirSync(fixture.storagePath);
        // Calls of other kinds meet no error.
        if (isDone) {
          expect(left, where).toEqual([copyId]);
          fixture.clear();
          continue;
        }
        failed += 1;
        expect(left, where).toEqual([]);
        expect(stderr, where).toContain(
          `written to the storage ${fixture.storagePath}: the disk reports an error (EIO)`,
        );
      }
      expect(failed).toBeGreaterThan(4);
    },
  );

  it('whose blocks lie elsewhere: no list and no half of one is left, and the store goes on (case 83)', {
    timeout: 180_000,
  }, async () => {
    const device = path.join(fixture.folder, 'device.img');
    fs.writeFileSync(device, '');
    fs.truncateSync(device, 64 * 1024 * 1024);
    const log = path.join(fixture.folder, 'calls of lists.log');
    const ops = ['write', 'pwrite', 'fsync', 'fdatasync', 'rename'] as const;
    expect(attempt({ at: 0, log, ops }, { device }).isDone).toBe(true);
    const calls = Number(fs.readFileSync(log, 'utf8').trim().split('\n').at(-1));
    expect(calls).toBeGreaterThan(3);
    fixture.clear();
    for (let at = 1; at <= calls; at += 1) {
      const { isDone, stderr } = attempt({ at, mode: 'ENOSPC', ops, sticky: true }, { device });
      const where = `call ${at} of ${calls}: ${stderr}`;
      expect(isDone, where).toBe(false);
      expect(fs.readdirSync(fixture.storagePath), where).toEqual([]);
      // The folder of the lists, and not the device.
      expect(stderr, where).toContain(`storage ${fixture.storagePath} is full`);
    }
    const { copyId } = attempt({ at: 0 }, { device });
    const store = await startStoreThread(device, { indexFile: `${device}.index` });
    try {
      const { status } = await startVerify({ storagePath: fixture.storagePath, copyId, blocks: store })
        .result;
      expect(status).toBe('trusted');
    } finally {
      await store.close();
    }
  });
});
