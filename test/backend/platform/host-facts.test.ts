import { writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readDiskSpace } from '../../../backend/platform/disk-space.ts';
import { readHostFacts, readHwid } from '../../../backend/platform/host-facts.ts';
import { makeTempDir } from '../../support/temp-dir.ts';

let folder: Awaited<ReturnType<typeof makeTempDir>>;
beforeEach(async () => {
  folder = await makeTempDir('host');
});
afterEach(() => folder.remove());

describe('the host', () => {
  it('has a name, a system and, where there is a network, addresses', () => {
    const facts = readHostFacts();
    expect(facts.hostname).toBe(hostname());
    expect(facts.osDistribution).not.toBe('');
    expect(facts.ipv4 ?? facts.ipv6).toBeTruthy();
    if (facts.mac !== null) expect(facts.mac).toMatch(/^([0-9a-f]{2}:){5}[0-9a-f]{2}$/);
  });

  it('has an identity of 16 hexadecimal digits', () => expect(readHwid()).toMatch(/^[0-9a-f]{16}$/));
});

describe('the space of a folder', () => {
  it('is told in bytes that fit together', async () => {
    const space = await readDiskSpace(folder.path);
    expect(space).not.toBeNull();
    expect(space?.totalBytes).toBeGreaterThan(0);
    expect((space?.usedBytes ?? 0) + (space?.freeBytes ?? 0)).toBeLessThanOrEqual(space?.totalBytes ?? 0);
  });

  it('is not known of a file or of nothing', async () => {
    await writeFile(join(folder.path, 'file'), '');
    expect(await readDiskSpace(join(folder.path, 'file'))).toBeNull();
    expect(await readDiskSpace(join(folder.path, 'nothing'))).toBeNull();
  });
});
