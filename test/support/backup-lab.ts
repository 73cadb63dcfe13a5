import { join } from 'node:path';
import { type Session, startTestApp, type TestApp } from './backend.ts';
import { makeSmallFolder, type Queue, queueOf } from './queue.ts';
import { makeTempDir } from './temp-dir.ts';

export interface BackupLab {
  readonly app: TestApp;
  readonly superuser: Session;
  readonly queue: Queue;
  readonly folder: Awaited<ReturnType<typeof makeTempDir>>;
  /** A small folder in `folder`, to be backed up. */
  readonly source: string;
  close(): Promise<void>;
}

/** A running server whose queue works in earnest, and something to back up. */
export async function openBackupLab(
  name: string,
  options: NonNullable<Parameters<typeof startTestApp>[0]> = {},
): Promise<BackupLab> {
  const folder = await makeTempDir(name);
  const source = join(folder.path, 'source');
  await makeSmallFolder(source);
  const app = await startTestApp({ started: true, ...options });
  const superuser = await app.loginAs('superuser');
  return {
    app,
    superuser,
    queue: queueOf(superuser.send),
    folder,
    source,
    close: async () => {
      await app.close();
      await folder.remove();
    },
  };
}
