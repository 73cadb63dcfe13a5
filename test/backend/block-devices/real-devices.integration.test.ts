import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, type TestContext } from 'vitest';
import { messageOf } from '../../../backend/platform/errors.ts';
import { createLog } from '../../../backend/platform/log.ts';
import type { BlockDevice } from '../../../contract/block-devices/block-device.ts';
import { type Session, startTestApp, type TestApp } from '../../support/backend.ts';
import { type LoopDevice, makeLoopDevice } from '../../support/loop-device.ts';
import { makeTempDir } from '../../support/temp-dir.ts';

const path = '/storage_block_devices';
let app: TestApp;
let superuser: Session;
let folder: Awaited<ReturnType<typeof makeTempDir>>;
let logged: string[];
let cleanUps: (() => void)[];

beforeEach(async () => {
  logged = [];
  cleanUps = [];
  const log = createLog({ sinks: [(line) => logged.push(line)], now: () => 0 });
  app = await startTestApp({ started: true, log });
  superuser = await app.loginAs('superuser');
  folder = await makeTempDir('loops');
  await superuser.send('POST', '/pools', {
    pool_name: 'Blocks',
    pool_type: 'Block device',
    media_server: hostname(),
    meta_data_pool: 'Default',
  });
});
afterEach(async () => {
  for (const cleanUp of cleanUps.reverse()) cleanUp();
  await app.close();
  await folder.remove();
});

const run = (program: string, ...args: string[]): string =>
  execFileSync(program, args, { encoding: 'utf8', stdio: 'pipe' });

/** Runs what needs rights of the system; skips with the reason where it is refused. */
const attempt = (context: TestContext, program: string, ...args: string[]): string => {
  try {
    return run(program, ...args);
  } catch (error) {
    return context.skip(`${program} is refused here: ${messageOf(error)}`);
  }
};

const loop = async (
  context: TestContext,
  options?: Parameters<typeof makeLoopDevice>[1],
): Promise<LoopDevice> => {
  const device = await makeLoopDevice(folder.path, options);
  if (typeof device === 'string') return context.skip(device);
  cleanUps.push(device.remove);
  return device;
};
const create = (device: string, overwrites: boolean) =>
  superuser.send('POST', path, { data: { device, pool: 'Blocks', overwrite_file_system: overwrites } });

describe('a real block device', () => {
  it('that is empty is taken; it is offline once it is gone', async (context) => {
    const device = await loop(context, { sizeBytes: 16 * 1024 * 1024 });
    const answer = await create(device.path, false);
    expect(answer.body.errors).toEqual({});
    const { id } = answer.data<{ id: number }>();
    const get = async () => (await superuser.send('GET', `${path}/${id}`)).data<BlockDevice>();
    expect(await get()).toMatchObject({ device: device.path, size: 16 * 1024 * 1024, status: 'Online' });
    expect(logged.join()).not.toContain('plain file');
    device.remove();
    cleanUps = [];
    expect(await get()).toMatchObject({ size: 16 * 1024 * 1024, status: 'Offline' });
  });

  it('with a file system is refused, unless that may go: then it is gone, and the log tells', async (context) => {
    const device = await loop(context);
    run('mkfs.ext4', '-q', device.path);
    const refused = await create(device.path, false);
    expect(refused.status).toBe(400);
    expect(refused.body.errors.device).toContain('ext4');
    expect(run('blkid', '--probe', device.path)).toContain('ext4');
    expect((await superuser.send('GET', path)).data()).toEqual([]);

    expect((await create(device.path, true)).status).toBe(201);
    expect(run('wipefs', '--no-act', device.path)).toBe('');
    expect(logged.filter((line) => line.includes('removed, as asked')).join()).toContain('ext4');
    const audit = (await superuser.send('GET', '/audit_log?page=1&limit=1')).data<unknown[]>();
    expect(audit[0]).toMatchObject({
      action: 'blockDevices.create',
      status: 201,
      user_name: 'superuser',
    });
  });

  it('keeps what is on it when the request is refused for another reason', async (context) => {
    const device = await loop(context);
    run('mkfs.ext4', '-q', device.path);
    const body = { data: { device: device.path, pool: 'Default', overwrite_file_system: true } };
    expect((await superuser.send('POST', path, body)).status).toBe(400);
    expect(run('blkid', '--probe', device.path)).toContain('ext4');
  });

  it('that is mounted is refused always, and so is the file behind it', async (context) => {
    const device = await loop(context);
    run('mkfs.ext4', '-q', device.path);
    const at = join(folder.path, 'mount point');
    await mkdir(at);
    attempt(context, 'mount', device.path, at);
    cleanUps.push(() => run('umount', at));
    for (const overwrites of [false, true]) {
      const answer = await create(device.path, overwrites);
      expect([answer.status, answer.body.errors.device]).toEqual([
        400,
        `is mounted at ${at}; unmount it first`,
      ]);
      expect((await create(device.file, overwrites)).body.errors.device).toContain(device.path);
    }
    expect(run('blkid', '--probe', device.path)).toContain('ext4');
  });

  it('that is swap space is refused always', async (context) => {
    const device = await loop(context);
    run('mkswap', device.path);
    attempt(context, 'swapon', device.path);
    cleanUps.push(() => run('swapoff', device.path));
    expect((await create(device.path, true)).body.errors.device).toContain('swap');
  });

  it('with a partition table is refused, unless that may go', async (context) => {
    const device = await loop(context, { partitions: true });
    expect((await create(device.path, false)).body.errors.device).toContain('dos partition table');
    expect((await create(device.path, true)).status).toBe(201);
    expect(run('wipefs', '--no-act', device.path)).toBe('');
  });

  it('is refused while one of its partitions is mounted or used here', async (context) => {
    const device = await loop(context, { partitions: true });
    const partition = `${device.path}p1`;
    // Told directly, so that it does not matter which partition tables the kernel reads.
    if (!existsSync(partition)) attempt(context, 'addpart', device.path, '1', '2048', '49152');
    cleanUps.push(() => run('delpart', device.path, '1'));
    run('mkfs.ext4', '-q', partition);
    const at = join(folder.path, 'mnt');
    await mkdir(at);
    attempt(context, 'mount', partition, at);
    const mounted = await create(device.path, true);
    run('umount', at);
    expect([mounted.status, mounted.body.errors.device]).toEqual([400, expect.stringContaining(at)]);
    expect((await create(partition, true)).status).toBe(201);
    expect((await create(device.path, true)).body.errors.device).toContain(partition);
  });

  it('that is write-protected is refused', async (context) => {
    const device = await loop(context);
    run('blockdev', '--setro', device.path);
    // The kernel would keep it for the next loop device of this number.
    cleanUps.push(() => run('blockdev', '--setrw', device.path));
    expect((await create(device.path, false)).body.errors.device).toContain('write-protected');
  });
});
