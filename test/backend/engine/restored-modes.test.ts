import { execFile, execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { RestoreRequest } from '../../../backend/engine/index.ts';
import { sourceProgram } from '../../support/source-program.ts';
import { type Fixture, makeFixture } from './fixture.ts';

/** A file is made with its own permissions where it can be: what the place adds or takes away must not show. */
let fixture: Fixture;
let source: string;
let out: string;
const umask = process.umask();
const modes = [0o000, 0o200, 0o444, 0o600, 0o644, 0o666, 0o755, 0o777, 0o2755, 0o4755];
const name = (mode: number) => mode.toString(8).padStart(4, '0');

beforeEach(async () => {
  fixture = await makeFixture('restored-modes');
  source = path.join(fixture.folder, 'source');
  out = path.join(fixture.folder, 'out');
  fs.mkdirSync(source);
  fs.mkdirSync(out);
  for (const mode of modes) {
    fs.writeFileSync(path.join(source, name(mode)), `with ${name(mode)}`);
    fs.chmodSync(path.join(source, name(mode)), mode);
  }
});
afterEach(async () => {
  process.umask(umask);
  await fixture.remove();
});

async function expectAsBefore(destination: string): Promise<void> {
  const copy = await fixture.backUp(source);
  expect(await fixture.restore(copy, destination)).toMatchObject({ outcome: 'complete' });
  for (const mode of modes) {
    const before = fs.statSync(path.join(source, name(mode)));
    const after = fs.statSync(path.join(destination, 'source', name(mode)));
    expect([after.mode, after.uid, after.gid, after.mtimeMs]).toEqual([
      before.mode,
      before.uid,
      before.gid,
      before.mtimeMs,
    ]);
  }
}

it('files have their permissions whatever the umask takes away', async () => {
  process.umask(0o077);
  await expectAsBefore(out);
});

it('files have their permissions where the umask takes nothing away', async () => {
  process.umask(0);
  await expectAsBefore(out);
});

it('files have their group in a folder that gives its own to what is made in it', async ({ skip }) => {
  if (process.getuid?.() !== 0) skip('only root can give a folder to another group');
  fs.mkdirSync(path.join(out, 'source'));
  fs.chownSync(path.join(out, 'source'), 0, 4242);
  fs.chmodSync(path.join(out, 'source'), 0o2775);
  await expectAsBefore(out);
});

it('files have their permissions in a folder whose default ACL takes some away', async () => {
  execFileSync('setfacl', ['-d', '-m', 'u::rwx,g::-,o::-', out]);
  await expectAsBefore(out);
});

it('who is not root, too, gives a file its own group in a folder that gives another one', async ({
  skip,
}) => {
  if (process.getuid?.() !== 0) skip('only root can act as somebody else');
  const uid = 12_345;
  for (const mode of modes) {
    fs.chownSync(path.join(source, name(mode)), uid, uid);
    fs.chmodSync(path.join(source, name(mode)), mode);
  }
  const copy = await fixture.backUp(source);
  fs.mkdirSync(path.join(out, 'source'));
  fs.chownSync(path.join(out, 'source'), uid, 4242);
  fs.chmodSync(path.join(out, 'source'), 0o2775);
  for (const folder of [fixture.folder, fixture.storagePath, out]) fs.chmodSync(folder, 0o777);
  execFileSync('chown', ['-R', String(uid), fixture.storagePath]);
  const request: RestoreRequest = {
    storagePath: fixture.storagePath,
    copyId: copy.copyId,
    destination: out,
    onExisting: 'replace',
    forbidden: [fixture.storagePath],
  };
  await promisify(execFile)(
    process.execPath,
    sourceProgram(path.join(import.meta.dirname, 'restore-process.ts'), JSON.stringify(request)),
    { uid, gid: uid },
  );
  for (const mode of modes) {
    const { mode: bits, gid } = fs.statSync(path.join(out, 'source', name(mode)));
    expect([name(bits & 0o7777), gid]).toEqual([name(mode), uid]);
  }
});

it('files of others have their owner', async ({ skip }) => {
  if (process.getuid?.() !== 0) skip('only root can give a file to somebody else');
  for (const mode of modes) {
    // A change of the owner takes the set-uid bit away.
    fs.chownSync(path.join(source, name(mode)), 4242, 4343);
    fs.chmodSync(path.join(source, name(mode)), mode);
  }
  await expectAsBefore(out);
});
