import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import type { CutOffLab } from './backend-queue.ts';

/** A mount that can be made to hang as one of a file server that went away does: calls on it do not come back. */
interface MuteMount {
  readonly path: string;
  /** From here on no call on it comes back, */
  mute(): void;
  /** until here. */
  answer(): void;
  remove(): Promise<void>;
}

/** Why there can be none here; null when there can. Printed by whoever skips its tests. */
export function whyNoMuteMount(): string | null {
  if (process.platform !== 'linux') return 'a mount that hangs is made with Linux’ FUSE';
  if (process.getuid?.() !== 0) return 'only root can mount';
  try {
    execFileSync('bindfs', ['--version'], { stdio: 'ignore' });
    execFileSync('test', ['-c', '/dev/fuse']);
    return null;
  } catch {
    return 'there is no bindfs or no /dev/fuse';
  }
}

/** A folder of `folder`, mounted there a second time by a process that can be held. */
async function makeMuteMount(folder: string): Promise<MuteMount> {
  const [source, path] = [join(folder, 'behind'), join(folder, 'mount')];
  await mkdir(source);
  await mkdir(path);
  // Nothing is remembered: each call goes to the process.
  const server = spawn('bindfs', ['-f', '-o', 'attr_timeout=0,entry_timeout=0', source, path], {
    stdio: 'inherit',
  });
  const over = once(server, 'exit');
  const isMounted = (): boolean => {
    try {
      execFileSync('mountpoint', ['-q', path]);
      return true;
    } catch {
      return false;
    }
  };
  while (!isMounted()) {
    if (server.exitCode !== null) throw new Error(`bindfs ended with ${server.exitCode}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return {
    path,
    mute: () => void server.kill('SIGSTOP'),
    answer: () => void server.kill('SIGCONT'),
    remove: async () => {
      server.kill('SIGCONT');
      execFileSync('umount', ['-l', path]);
      await over;
    },
  };
}

/** Makes one in the folder of the lab for each test of the file; the backend is gone before it is taken away. */
export function muteMountOf(lab: CutOffLab): Omit<MuteMount, 'remove'> {
  let mount: MuteMount;
  beforeEach(async () => {
    mount = await makeMuteMount(lab.path);
  });
  afterEach(async () => {
    await lab.kill();
    await mount.remove();
  });
  return {
    get path() {
      return mount.path;
    },
    mute: () => mount.mute(),
    answer: () => mount.answer(),
  };
}
