import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { DatabasePlace } from '../../../backend/db/index.ts';
import { createLog } from '../../../backend/platform/log.ts';
import { type Session, startTestApp, type TestApp, testPassword } from '../../support/backend.ts';
import { makeSmallFolder, type Queue, queueOf } from '../../support/queue.ts';
import { createScriptedLibrary, type ScriptedLibrary } from '../../support/scripted-library.ts';
import { makeTempDir } from '../../support/temp-dir.ts';
import { createProbe, type Probe } from './probe.ts';

/** One running server on which all rows are tried. */
export interface Stage {
  readonly app: TestApp;
  readonly probe: Probe;
  readonly root: Session;
  readonly queue: Queue;
  /** Tape libraries that the server finds. */
  readonly libraries: readonly ScriptedLibrary[];
  readonly folder: string;
  /** A small folder to back up. */
  readonly source: string;
  /** Text form of the local client. */
  readonly client: string;
  readonly mediaServer: string;
  readonly password: string;
  /** What the server has logged as an error of its own. */
  readonly failures: readonly string[];
  close(): Promise<void>;
}

/** An id that nothing has. */
export const nobody = 999_999;

export async function openStage(place?: DatabasePlace): Promise<Stage> {
  const folder = await makeTempDir('endpoints');
  const source = join(folder.path, 'source');
  await makeSmallFolder(source);
  await mkdir(join(folder.path, 'empty'));
  const libraries = ['left', 'right'].map((name) =>
    createScriptedLibrary({ name, barcodes: [`${name.toUpperCase()}1L8`] }),
  );
  const failures: string[] = [];
  const log = createLog({
    sinks: [(line) => line.includes('"level":"error"') && failures.push(line)],
    now: Date.now,
  });
  const app = await startTestApp({
    started: true,
    log,
    libraryDrivers: libraries.map(({ driver }) => driver),
    ...(place ? { place } : {}),
  });
  const root = await app.loginAs('superuser');
  const queue = queueOf(root.send);
  const [server] = await queue.good<{ name: string }[]>('GET', '/media_servers');
  return {
    app,
    root,
    queue,
    source,
    libraries,
    failures,
    probe: createProbe(root.send),
    folder: folder.path,
    client: await queue.localClient(),
    mediaServer: server?.name ?? '',
    password: testPassword,
    close: async () => {
      await app.close();
      await folder.remove();
    },
  };
}
