import { execFile, execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RestoreRequest, RestoreResult } from '../../../backend/engine/index.ts';
import { utf8Bytes } from '../../../backend/platform/byte-path.ts';
import { type NativeCalls, nativeState } from '../../../backend/platform/native.ts';
import { makeSmallDisk, type SmallDisk, whyNoSmallDisk } from '../../support/small-disk.ts';
import { sourceProgram } from '../../support/source-program.ts';
import { type Copy, type Fixture, makeFixture } from './fixture.ts';

const reason = whyNoSmallDisk('ext4');
if (reason !== null)
  process.stderr.write(`skipped: large and privileged extended attributes, since ${reason}\n`);

/** Linux takes no more; an ordinary ext4 not even a tenth of it. */
const LARGEST = 64 * 1024;
const LARGE = Buffer.alloc(LARGEST, 'large ');
/** cap_net_bind_service, as setcap writes it. */
const CAPABILITY = Buffer.from('0100000200040000000000000000000000000000', 'hex');

describe.skipIf(reason !== null)('extended attributes that not every target takes (case 78)', () => {
  let fixture: Fixture;
  let roomy: SmallDisk;
  let source: string;
  let copy: Copy;
  let calls: NativeCalls;

  beforeEach(async () => {
    const state = nativeState();
    if (!state.available) throw new Error(state.reason);
    calls = state.calls;
    fixture = await makeFixture('attributes');
    roomy = await makeSmallDisk(fixture.folder, { kind: 'ext4', megabytes: 32, features: 'ea_inode' });
    source = path.join(roomy.path, 'source');
    fs.mkdirSync(source);
    for (const name of ['large', 'privileged', 'shared']) fs.writeFileSync(path.join(source, name), name);
    calls.setXattr(utf8Bytes(path.join(source, 'large')), 'user.large', LARGE);
    calls.setXattr(utf8Bytes(path.join(source, 'large')), 'user.small', Buffer.from('small'));
    calls.setXattr(utf8Bytes(path.join(source, 'privileged')), 'security.capability', CAPABILITY);
    calls.setXattr(utf8Bytes(path.join(source, 'privileged')), 'trusted.note', Buffer.from('of root'));
    execFileSync('setfacl', ['-m', 'u:1234:r', path.join(source, 'shared')]);
    copy = await fixture.backUp(source);
  });
  afterEach(async () => {
    roomy.remove();
    await fixture.remove();
  });

  const attribute = (file: string, name: string) => calls.getXattr(utf8Bytes(file), name);
  const acl = (file: string) => execFileSync('getfacl', ['-cp', file], { encoding: 'utf8' });
  const contents = (folder: string) =>
    ['large', 'privileged', 'shared'].map((name) =>
      fs.readFileSync(path.join(folder, 'source', name), 'utf8'),
    );

  it('all come back where there is room for them', async () => {
    const out = path.join(roomy.path, 'out');
    expect(await fixture.restore(copy, out)).toMatchObject({ outcome: 'complete', problems: [] });
    const at = (name: string) => path.join(out, 'source', name);
    expect(attribute(at('large'), 'user.large').equals(LARGE)).toBe(true);
    expect(attribute(at('privileged'), 'security.capability')).toEqual(CAPABILITY);
    expect(attribute(at('privileged'), 'trusted.note').toString()).toBe('of root');
    expect(acl(at('shared'))).toBe(acl(path.join(source, 'shared')));
  });

  it('one that the target cannot hold is named; the file, its other attributes and all else come back', async () => {
    const small = await makeSmallDisk(fixture.folder, { kind: 'ext4', megabytes: 32, name: 'small' });
    try {
      const out = path.join(small.path, 'out');
      const restored = await fixture.restore(copy, out);
      expect(restored.outcome).toBe('withProblems');
      expect(restored.problems).toEqual([
        expect.objectContaining({
          path: path.join(source, 'large'),
          reason: expect.stringMatching(
            /its extended attribute user\.large could not be set \((ENOSPC|E2BIG)\)/,
          ),
        }),
      ]);
      expect(contents(out)).toEqual(['large', 'privileged', 'shared']);
      expect(attribute(path.join(out, 'source', 'large'), 'user.small').toString()).toBe('small');
      expect(attribute(path.join(out, 'source', 'privileged'), 'security.capability')).toEqual(CAPABILITY);
    } finally {
      small.remove();
    }
  });

  it('who is not root gets the data, and each owner and attribute that it may not set is named', async () => {
    const uid = 12_345;
    const out = path.join(fixture.folder, 'out');
    fs.mkdirSync(out);
    for (const folder of [fixture.folder, fixture.storagePath, out]) fs.chmodSync(folder, 0o777);
    execFileSync('chown', ['-R', String(uid), fixture.storagePath]);
    const request: RestoreRequest = {
      storagePath: fixture.storagePath,
      copyId: copy.copyId,
      destination: out,
      onExisting: 'replace',
      forbidden: [fixture.storagePath],
    };
    const { stdout } = await promisify(execFile)(
      process.execPath,
      sourceProgram(path.join(import.meta.dirname, 'restore-process.ts'), JSON.stringify(request)),
      { uid, gid: uid },
    );
    const restored = JSON.parse(stdout) as RestoreResult;
    expect(restored.outcome).toBe('withProblems');
    const of = (name: string) =>
      restored.problems
        .filter((problem) => problem.path === path.join(source, name))
        .map((problem) => problem.reason);
    expect(of('privileged')).toEqual([
      expect.stringContaining('its owner could not be set (EPERM)'),
      expect.stringContaining('its extended attribute security.capability could not be set (EPERM)'),
      expect.stringContaining('its extended attribute trusted.note could not be set (EPERM)'),
    ]);
    expect(of('shared')).toEqual([expect.stringContaining('its owner could not be set (EPERM)')]);
    expect(contents(out)).toEqual(['large', 'privileged', 'shared']);
    expect(acl(path.join(out, 'source', 'shared'))).toContain('user:1234:r--');
  });
});
