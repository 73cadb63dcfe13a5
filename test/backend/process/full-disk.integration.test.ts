import { execFileSync } from 'node:child_process';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loginAt, spawnBackend } from '../../support/backend.ts';
import { makeTempDir } from '../../support/temp-dir.ts';

const reason = whyNot();

function whyNot(): string | null {
  if (process.platform !== 'linux') return 'small disks are made with Linux’ tmpfs';
  return process.getuid?.() === 0 ? null : 'only root can mount';
}

if (reason !== null) process.stderr.write(`skipped: the tests on a full disk, since ${reason}\n`);

describe.skipIf(reason !== null)('on a disk that is full', () => {
  let folder: Awaited<ReturnType<typeof makeTempDir>>;
  let disk: string;

  beforeEach(async () => {
    folder = await makeTempDir('disk');
    disk = join(folder.path, 'disk');
    await mkdir(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', disk]);
  });
  afterEach(async () => {
    execFileSync('umount', ['-l', disk]);
    await folder.remove();
  });

  const filler = () => join(disk, 'filler');
  async function fill(): Promise<void> {
    const file = await open(filler(), 'w');
    try {
      for (;;) await file.write(Buffer.alloc(4096, 1));
    } catch (error) {
      expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC');
    } finally {
      await file.close();
    }
  }

  it('a start ends with exit code 4 and says so', async () => {
    await fill();
    const backend = spawnBackend({ dataDir: join(disk, 'data') });
    expect(await backend.ended).toBe(4);
    expect(backend.stderr()).toContain('disk is full');
    expect(backend.stderr().trimEnd().split('\n').at(-1)).not.toMatch(/^\s+at /);
  });

  it('a running backend refuses what it cannot save, says why, and goes on when there is room again', async () => {
    const backend = spawnBackend({
      dataDir: join(disk, 'data'),
      env: { STRONGROOM_ADMIN_PASSWORD: 'password 1' },
    });
    const { url } = await backend.ready;
    const call = await loginAt(url, 'admin', 'password 1');
    const made: unknown[] = [];
    const makeGroup = async (number: number) => {
      const answer = await call('POST', '/client_groups', {
        data: { name: `group ${number} ${'x'.repeat(200)}` },
      });
      if (answer.status === 201) made.push((answer.body.data as { id: number }).id);
      return answer;
    };
    await makeGroup(0);
    await fill();
    let refused = await makeGroup(1);
    for (let number = 2; refused.status === 201 && number < 2_000; number += 1)
      refused = await makeGroup(number);
    expect(refused.status).toBe(500);
    expect(refused.body.message).toContain('is full');
    expect(JSON.stringify(refused.body)).not.toContain('SQLITE');
    expect((await call('GET', '/client_groups')).status).toBe(200);
    await rm(filler());
    expect((await makeGroup(5_000)).status).toBe(201);
    expect(await backend.stop()).toBe(0);

    const again = spawnBackend({ dataDir: join(disk, 'data') });
    const callAgain = await loginAt((await again.ready).url, 'admin', 'password 1');
    const groups = (await callAgain('GET', '/client_groups')).body.data as { id: number }[];
    expect(groups.map(({ id }) => id)).toEqual(expect.arrayContaining(made));
    expect(await again.stop()).toBe(0);
  });
});
