import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, chown } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openDatabase } from '../../../backend/db/index.ts';
import { createClientGroupStore } from '../../../backend/features/client-groups/client-group-store.ts';
import { createClientStore } from '../../../backend/features/clients/client-store.ts';
import { createRunStore } from '../../../backend/features/scheduler/run-store.ts';
import { createTaskStore } from '../../../backend/features/tasks/task-store.ts';
import { bandwidthSuite } from '../../suites/bandwidth-suite.ts';
import { basesSuite } from '../../suites/bases-suite.ts';
import { databaseSuite } from '../../suites/database-suite.ts';
import { devicesSuite } from '../../suites/devices-suite.ts';
import { everyRouteSuite } from '../../suites/every-route-suite.ts';
import { expectUniformList, furnishedLists } from '../../suites/list-suite.ts';
import { placingSuite } from '../../suites/placing-suite.ts';
import { proofSuite } from '../../suites/proof-suite.ts';
import { repositorySuite } from '../../suites/repository-suite.ts';
import { statisticsSuite } from '../../suites/statistics-suite.ts';
import { tapeSuite } from '../../suites/tape-suite.ts';
import { transferSuite } from '../../suites/transfer-suite.ts';
import { loginAt, spawnBackend, startTestApp } from '../../support/backend.ts';
import { watchPlans } from '../../support/query-plans.ts';
import { makeTempDir } from '../../support/temp-dir.ts';
import { everyEndpointSuite } from '../endpoints/suite.ts';
import { hourMs, openCalendar } from '../scheduler/support.ts';

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
  const makeDatabase = async (name: string, like: string): Promise<string> => {
    const admin = new pg.Client({ connectionString: urlOf('postgres') });
    await admin.connect();
    await admin.query(`create database ${name} template ${like}`);
    await admin.end();
    return urlOf(name);
  };
  const emptyDatabase = (): Promise<string> => {
    made += 1;
    return makeDatabase(`empty_${made}`, 'template0');
  };
  /** In the newest schema already; how it comes to it from nothing is tested with an empty one. */
  const newDatabase = (): Promise<string> => {
    made += 1;
    return makeDatabase(`strongroom_${made}`, 'newest');
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
    const newest = await openDatabase({ kind: 'postgres', url: await makeDatabase('newest', 'template0') });
    await newest.close();
  });

  afterAll(async () => {
    server.kill('SIGINT');
    await once(server, 'exit');
    await folder.remove();
  });

  databaseSuite('PostgreSQL', async () => openDatabase({ kind: 'postgres', url: await emptyDatabase() }));

  repositorySuite('PostgreSQL', async () => ({ place: { kind: 'postgres', url: await newDatabase() } }));

  basesSuite('PostgreSQL', async () => ({ place: { kind: 'postgres', url: await newDatabase() } }));

  devicesSuite('PostgreSQL', async () => ({ place: { kind: 'postgres', url: await newDatabase() } }));

  tapeSuite('PostgreSQL', async () => ({ place: { kind: 'postgres', url: await newDatabase() } }));

  bandwidthSuite('PostgreSQL', async () => ({ place: { kind: 'postgres', url: await newDatabase() } }));

  placingSuite('PostgreSQL', async () => ({ place: { kind: 'postgres', url: await newDatabase() } }));

  proofSuite('PostgreSQL', async () => ({ place: { kind: 'postgres', url: await newDatabase() } }));

  statisticsSuite('PostgreSQL', async () => ({ place: { kind: 'postgres', url: await newDatabase() } }));

  transferSuite('PostgreSQL', async () => ({ place: { kind: 'postgres', url: await newDatabase() } }));

  everyRouteSuite('PostgreSQL', async (log) =>
    startTestApp({ log, started: true, place: { kind: 'postgres', url: await newDatabase() } }),
  );

  everyEndpointSuite('PostgreSQL', async () => ({ kind: 'postgres', url: await newDatabase() }));

  it('refuses a NUL character by name, which PostgreSQL cannot keep', async () => {
    const backend = await startTestApp({ place: { kind: 'postgres', url: await newDatabase() } });
    const root = await backend.loginAs('superuser');
    const login = { backup_database: 'strongroom', backup_user: 'a\u0000b', password: 'x' };
    for (const [answer, field] of [
      [await root.send('GET', '/client_groups?search=a%00b'), 'search'],
      [await root.send('GET', '/client_groups?name=%00'), 'name'],
      [await backend.send('POST', '/auth/login', login), 'backup_user'],
      [await root.send('PATCH', '/media_servers/1', { description: 'a\u0000' }), 'description'],
    ] as const) {
      expect([answer.status, Object.keys(answer.body.errors)]).toEqual([400, [field]]);
    }
    await backend.close();
  });

  it('runs that fall due are planned, skipped and missed, and old tasks and runs go', async () => {
    const calendar = await openCalendar('2030-01-01T00:30:00Z', {
      place: { kind: 'postgres', url: await newDatabase() },
    });
    await calendar.look();
    const [full, hourly] = [
      await calendar.strategy({ full_schedule: '0 1 * * *' }),
      await calendar.strategy({ incremental_schedule: '0 * * * *' }),
    ];
    // Of another resource: with the full copy of the same one at the same moment it would not be made.
    const other = { resource: '/srv' };
    const rules = [await calendar.rule(full), await calendar.rule(hourly, other), await calendar.rule(full)];
    await calendar.look();
    await calendar.pass(hourMs);
    calendar.clock.advance(2 * hourMs);
    await calendar.look();
    const runs = await Promise.all(rules.map((id) => calendar.runs(id)));
    const outcomes = runs.map((all) => all.map(({ type, outcome }) => `${type} ${outcome}`));
    expect(outcomes).toEqual([
      ['full planned'],
      ['incremental planned', 'incremental missed', 'incremental planned'],
      ['full planned'],
    ]);
    for (const [index, id] of rules.entries()) {
      const made = (await calendar.tasks(id)).map((task) => task.id);
      expect(made).toEqual(runs[index]?.flatMap(({ taskId }) => taskId ?? []));
    }
    await calendar.endTasks();
    calendar.clock.advance(1);
    expect(await createTaskStore(calendar.db).purge(['done'], calendar.clock.now())).toBe(4);
    await createRunStore(calendar.db).removeBefore(calendar.clock.now());
    expect((await Promise.all(rules.map((id) => calendar.runs(id)))).flat()).toHaveLength(3);
    await calendar.close();
  });

  it('counts the clients of a group in an index alone', async () => {
    // An empty table would be read as a whole.
    const only = encodeURIComponent('-c enable_seqscan=off -c enable_bitmapscan=off');
    const database = await openDatabase({ kind: 'postgres', url: `${await newDatabase()}&options=${only}` });
    const plans = watchPlans(database);
    try {
      await createClientGroupStore(database.db).get(1, null);
      const filter = { hostname: 'web', dialect: database.dialect };
      await createClientStore(database.db, Date.now).membersOf(1, null, filter);
      const found = await plans.since(0, 'clients');
      const scans = found.filter((line) => /Scan .* on clients/.test(line));
      expect(scans).toHaveLength(2);
      for (const scan of scans) expect(scan).toContain('Index Only Scan using clients_of_group');
    } finally {
      vi.restoreAllMocks();
      await database.close();
    }
  });

  it('a backend keeps its catalogue there, over a restart', async () => {
    const dataDir = await makeTempDir('postgres-backend');
    const url = await emptyDatabase();
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

  it('holds clients, pools, storages, users and the configuration', async () => {
    const dataDir = await makeTempDir('postgres-backend');
    const env = { STRONGROOM_ADMIN_PASSWORD: 'first password' };
    const args = ['--database-url', await newDatabase()];
    const backend = spawnBackend({ dataDir: dataDir.path, env, args });
    const call = await loginAt((await backend.ready).url, 'admin', 'first password');
    for (const path of furnishedLists) await expectUniformList(call, path);
    const [host] = (await call('GET', '/media_servers')).body.data as { name: string }[];
    const user = { user_name: 'eve', password: 'a long enough one', roles: ['auditor'], client_groups: [1] };
    const writes = [
      ['POST', '/pools', { pool_name: 'Second', pool_type: 'File system', media_server: host?.name }, 201],
      ['POST', '/pools', { pool_name: 'SECOND', pool_type: 'File system', media_server: host?.name }, 400],
      ['PATCH', '/pools/2', { retention_period: '1 years', ignore_free_space_check: true }, 200],
      ['POST', '/storage_local_catalogs', { path: `${dataDir.path}/pools/second`, pool: 'Second' }, 201],
      ['DELETE', '/pools', { ids: [1, 2] }, 207],
      ['DELETE', '/storage_local_catalogs/2', undefined, 200],
      ['GET', '/pools/destination_available?pool_name=Default&action=move', undefined, 200],
      ['DELETE', '/pools', { ids: [2] }, 204],
      ['POST', '/clients/tree', { clients: [{ client_group_id: 1, clients_page: 1 }] }, 200],
      ['POST', '/clients/tree', { filter_clients_hostname: 'no such host' }, 404],
      ['PATCH', '/clients/1', { lsf_flag: true, group_id: null }, 200],
      ['POST', '/client_groups', { name: 'Servers', shared: true }, 201],
      ['DELETE', '/client_groups/2', undefined, 200],
      ['POST', '/users', user, 201],
      ['PATCH', '/users/2', { roles: ['administrator'], password: 'another long one' }, 200],
      ['DELETE', '/users', { ids: [1] }, 400],
      ['PATCH', '/global_configuration', { mandatory_storage_time: 3, monitoring_period: null }, 200],
      ['PATCH', '/global_configuration/service_mode', { service_mode: true }, 200],
      ['DELETE', '/media_servers', { ids: [1] }, 400],
      ['DELETE', '/clients', { ids: [1] }, 200],
    ] as const;
    for (const [method, path, body, status] of writes) {
      expect({ method, path, status: (await call(method, path, body)).status }).toEqual({
        method,
        path,
        status,
      });
    }
    expect(await backend.stop()).toBe(0);
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
