import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, chown } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../backend/db/index.ts';
import { databaseSuite } from '../../suites/database-suite.ts';
import { loginAt, spawnBackend } from '../../support/backend.ts';
import { makeTempDir } from '../../support/temp-dir.ts';

/** A PostgreSQL of its own in a temporary folder, reached by a socket in it. */
const binaries = '/usr/lib/postgresql/15/bin';
const reason = await whyNot();

async function whyNot(): Promise<string | null> {
  if (process.getuid?.() !== 0) return 'only root can become the user postgres';
  try {
    await access(join(binaries, 'initdb'));
    execFileSync('id', ['-u', 'postgres']);
    return null;
  } catch {
    return `there is no ${binaries}/initdb or no user postgres`;
  }
}

if (reason !== null) {
  process.stderr.write(`skipped: the tests with PostgreSQL, since ${reason}\n`);
}

describe.skipIf(reason !== null)('with PostgreSQL', () => {
  let folder: Awaited<ReturnType<typeof makeTempDir>>;
  let server: ReturnType<typeof spawn>;
  let made = 0;

  const ids = () => ({
    uid: Number(execFileSync('id', ['-u', 'postgres'])),
    gid: Number(execFileSync('id', ['-g', 'postgres'])),
  });
  const urlOf = (database: string) =>
    `postgres://postgres@localhost/${database}?host=${encodeURIComponent(folder.path)}`;
  const newDatabase = async (): Promise<string> => {
    made += 1;
    const name = `strongroom_${made}`;
    const admin = new pg.Client({ connectionString: urlOf('postgres') });
    await admin.connect();
    await admin.query(`create database ${name}`);
    await admin.end();
    return urlOf(name);
  };

  beforeAll(async () => {
    folder = await makeTempDir('postgres');
    const { uid, gid } = ids();
    await chown(folder.path, uid, gid);
    const data = join(folder.path, 'data');
    execFileSync(
      join(binaries, 'initdb'),
      ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8'],
      {
        uid,
        gid,
        cwd: folder.path,
        stdio: 'pipe',
      },
    );
    server = spawn(
      join(binaries, 'postgres'),
      ['-D', data, '-k', folder.path, '-c', 'listen_addresses=', '-c', 'fsync=off'],
      { uid, gid, cwd: folder.path, stdio: 'ignore' },
    );
    await untilItAnswers(urlOf('postgres'));
  });

  afterAll(async () => {
    server.kill('SIGINT');
    await once(server, 'exit');
    await folder.remove();
  });

  databaseSuite('PostgreSQL', async () => openDatabase({ kind: 'postgres', url: await newDatabase() }));

  it('a backend keeps its catalogue there, over a restart', async () => {
    const dataDir = await makeTempDir('postgres-backend');
    const url = await newDatabase();
    const env = { STRONGROOM_ADMIN_PASSWORD: 'first password' };
    const first = spawnBackend({ dataDir: dataDir.path, env, args: ['--database-url', url] });
    const call = await loginAt((await first.ready).url, 'admin', 'first password');
    expect((await call('GET', '/auth/permissions')).status).toBe(200);
    expect(await first.stop()).toBe(0);
    // The password of the environment counts only for an empty installation.
    const second = spawnBackend({
      dataDir: dataDir.path,
      env: { STRONGROOM_ADMIN_PASSWORD: 'another password' },
      args: ['--database-url', url],
    });
    await loginAt((await second.ready).url, 'admin', 'first password');
    expect(await second.stop()).toBe(0);
    await dataDir.remove();
  });

  it('that cannot be reached ends the start with exit code 4, without showing the password', async () => {
    const dataDir = await makeTempDir('postgres-backend');
    const url = `postgres://user:canary-4711@localhost/none?host=${encodeURIComponent('/nonexistent')}`;
    const backend = spawnBackend({ dataDir: dataDir.path, args: ['--database-url', url] });
    expect(await backend.ended).toBe(4);
    expect(backend.stderr()).toContain('--database-url');
    expect(backend.stderr() + backend.stdout()).not.toContain('canary-4711');
    await dataDir.remove();
  });
});

async function untilItAnswers(connectionString: string): Promise<void> {
  for (;;) {
    const client = new pg.Client({ connectionString });
    try {
      await client.connect();
      await client.end();
      return;
    } catch {
      // Still starting: the test's own time limit ends this.
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
