import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A fresh file system for each restore: on ext4, creating many files soon after deleting many gets slower and
 * slower, which would punish whoever comes second. Without root a plain folder serves, and the report says so.
 */
export function withFreshFolder<T>(
  work: string,
  sizeMb: number,
  use: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = join(work, 'fresh');
  mkdirSync(folder, { recursive: true });
  if (!canMount()) {
    return use(folder).finally(() => rmSync(folder, { recursive: true, force: true }));
  }
  const image = join(work, 'fresh.img');
  writeFileSync(image, '');
  truncateSync(image, sizeMb * 1024 * 1024);
  execFileSync('mkfs.ext4', ['-q', '-F', '-i', '4096', image], { stdio: 'ignore' });
  execFileSync('mount', ['-o', 'loop', image, folder]);
  return use(folder).finally(() => {
    execFileSync('umount', [folder]);
    rmSync(image, { force: true });
  });
}

export function canMount(): boolean {
  return process.getuid?.() === 0;
}
