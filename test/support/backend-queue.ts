import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { type BackendProcess, loginAt, spawnBackend } from './backend.ts';
import { makeBigFolder, type Queue, queueOf } from './queue.ts';
import { makeTempDir } from './temp-dir.ts';

const password = 'correct horse battery';

/** A backend as a process of its own, which can be killed at once, and the first superuser's look at its tasks. */
function spawnWithQueue(dataDir: string): {
  readonly backend: BackendProcess;
  readonly queue: Promise<Queue>;
} {
  const backend = spawnBackend({ dataDir, env: { STRONGROOM_ADMIN_PASSWORD: password } });
  const queue = backend.ready.then(async ({ url }) => queueOf(await loginAt(url, 'admin', password)));
  return { backend, queue };
}

/** What a test of cut-off work has: a folder of its own, and a backend that can be stopped or killed and started again over the same data. */
export interface CutOffLab {
  readonly path: string;
  /** A folder to back up, in `path`. */
  readonly source: string;
  /** Starts the backend, the first time or again. */
  readonly start: () => Promise<Queue>;
  readonly kill: () => ReturnType<BackendProcess['kill']>;
  readonly stop: () => ReturnType<BackendProcess['stop']>;
}

/** Makes it for each test of the file and takes it away again; the source has so many MiB, or is the test's own to make. */
export function cutOffLab(name: string, sourceMib?: number): CutOffLab {
  let folder: Awaited<ReturnType<typeof makeTempDir>>;
  let backend: BackendProcess | undefined;
  const running = (): BackendProcess => {
    if (backend === undefined) throw new Error('the backend was not started');
    return backend;
  };
  const lab: CutOffLab = {
    get path() {
      return folder.path;
    },
    get source() {
      return join(folder.path, 'source');
    },
    start: () => {
      const started = spawnWithQueue(join(folder.path, 'data'));
      backend = started.backend;
      return started.queue;
    },
    kill: () => running().kill(),
    stop: () => running().stop(),
  };
  beforeEach(async () => {
    folder = await makeTempDir(name);
    backend = undefined;
    if (sourceMib !== undefined) await makeBigFolder(lab.source, sourceMib);
  });
  afterEach(async () => {
    await backend?.kill();
    await folder.remove();
  });
  return lab;
}
