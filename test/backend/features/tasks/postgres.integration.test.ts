import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type BackupLab, openBackupLab } from '../../../support/backup-lab.ts';
import {
  findPostgres,
  initPostgres,
  type PostgresServer,
  postgresIds,
  startPostgres,
} from '../../../support/postgres-server.ts';
import type { Queue } from '../../../support/queue.ts';
import { makeTempDir } from '../../../support/temp-dir.ts';

const found = findPostgres();
const whyNot = typeof found === 'string' ? found : null;
if (whyNot !== null) process.stderr.write(`skipped: backups of a PostgreSQL server, since ${whyNot}\n`);
const binaries = typeof found === 'string' ? '' : found.binaries;

const password = 'canary-4711-secret';
const rowsBefore = 20_000;
/** Of the rows that were there before the backup began. */
const checksum = `select count(*)::int as count, sum(hashtext(data)::bigint)::text as sum from rows where id <= ${rowsBefore}`;

describe.skipIf(whyNot !== null)('PostgreSQL universal', () => {
  let home: Awaited<ReturnType<typeof makeTempDir>>;
  let server: PostgresServer;
  let lab: BackupLab;
  let queue: Queue;
  const started: PostgresServer[] = [];

  beforeAll(async () => {
    home = await makeTempDir('postgres-source');
    const data = await initPostgres(binaries, home.path, [
      'local all postgres trust',
      'local replication postgres peer',
      'host replication backup 127.0.0.1/32 scram-sha-256',
      'host replication plain 127.0.0.1/32 trust',
    ]);
    server = await startPostgres(binaries, data, home.path);
    await server.query(`create role backup login replication password '${password}'`);
    await server.query('create role plain login');
    await server.query('create table rows (id int primary key, data text)');
    await server.query(
      `insert into rows select n, repeat(md5(random()::text), 20) from generate_series(1, ${rowsBefore}) n`,
    );
    lab = await openBackupLab('postgres');
    queue = lab.queue;
    await chmod(lab.folder.path, 0o755);
  }, 120_000);
  afterAll(async () => {
    await lab.close();
    await server.stop();
    await home.remove();
  });
  afterEach(async () => {
    for (const one of started.splice(0)) await one.stop();
  });

  const place = (name: string) => join(lab.folder.path, name);
  const address = (user = 'backup') => `postgresql://${user}@127.0.0.1:${server.port}`;
  const passwordFile = async (text: string, mode = 0o600): Promise<string> => {
    const file = place(`pass-${Math.random()}`);
    await writeFile(file, `*:*:*:backup:${text}\n`);
    await chmod(file, mode);
    return file;
  };
  const begin = async (resource: string, module: object = {}, more: object = {}): Promise<number> => {
    const { task } = await queue.draft(resource, { resource_type: 'PostgreSQL universal', ...more });
    const body = { task, module_extensions: { parameters: module } };
    return (await queue.good<{ id: number }>('POST', '/task_queue', body)).id;
  };
  const backedUp = async (resource: string, module: object = {}, more: object = {}) => {
    const task = await queue.ended(await begin(resource, module, more));
    expect(task).toMatchObject({ status: 'done', error_message: null });
    return queue.copy(Number(task.repository_id));
  };
  const logOf = async (id: number): Promise<string> =>
    [...(await queue.log(id, 'clients')), ...(await queue.log(id, 'servers'))]
      .map(({ message }) => message)
      .join('\n');
  const failure = async (resource: string, module: object = {}): Promise<string> => {
    const task = await queue.ended(await begin(resource, module));
    expect(task.status).toBe('error');
    expect(await logOf(task.id)).not.toContain(password);
    return task.error_message ?? '';
  };
  const startOn = async (data: string): Promise<PostgresServer> => {
    const sockets = await makeTempDir('postgres-restored');
    const { uid, gid } = postgresIds();
    execFileSync('chown', [`${uid}:${gid}`, sockets.path]);
    const one = await startPostgres(binaries, data, sockets.path);
    started.push({ ...one, stop: () => one.stop().then(sockets.remove) });
    return one;
  };

  /** Writes until it is told to stop; answers how many rows it has committed. */
  function writeLoad(): () => Promise<number> {
    let isOver = false;
    const run = async (): Promise<number> => {
      const client = new pg.Client({ host: server.socketFolder, port: server.port, user: 'postgres' });
      await client.connect();
      let written = 0;
      while (!isOver) {
        await client.query(
          `insert into rows select n, repeat(md5(random()::text), 20) from generate_series((select max(id) + 1 from rows), (select max(id) + 50 from rows)) n`,
        );
        written += 50;
      }
      await client.end();
      return written;
    };
    const running = run();
    return () => {
      isOver = true;
      return running;
    };
  }

  it('is backed up while it is written to, verified, and a server starts on what is restored', async () => {
    const before = await server.query<{ count: number; sum: string }>(checksum);
    expect(before[0]?.count).toBe(rowsBefore);
    const stopLoad = writeLoad();
    const copy = await backedUp(address(), { password_file: await passwordFile(password) });
    expect(await stopLoad()).toBeGreaterThan(0);
    expect(copy).toMatchObject({ resource: address(), backup_type: 'full', skipped_items: 0 });
    expect(copy.size).toBeGreaterThan(20_000_000);
    expect(await queue.ended(await queue.verify(copy.id))).toMatchObject({ status: 'done' });
    expect(await queue.copy(copy.id)).toMatchObject({ status: 'Trusted', damage: null });

    const data = place('new data');
    const task = await queue.ended(await queue.restore(copy.id, data, { data_deployment: true }));
    expect(task).toMatchObject({ status: 'done', error_message: null, skipped_items: 0 });
    expect(await logOf(task.id)).toContain(`pg_verifybackup found ${data} as the server wrote it`);
    const facts = await stat(data);
    expect([facts.mode & 0o777, facts.uid]).toEqual([0o700, postgresIds().uid]);
    expect(await readFile(join(data, 'backup_label'), 'utf8')).toContain('LABEL: strongroom');
    execFileSync(join(binaries, 'pg_verifybackup'), ['--no-parse-wal', data], { stdio: 'pipe' });

    const restored = await startOn(data);
    expect(await restored.query(checksum)).toEqual(before);
    // Checksums of all pages and the order of the index.
    const [whole] = await restored.query<{ count: number }>('select count(*)::int as count from rows');
    expect(whole?.count).toBeGreaterThanOrEqual(rowsBefore);
    await restored.query('insert into rows select max(id) + 1, $$after$$ from rows');

    const logs = (await logOf(copy.task_id ?? 0)) + JSON.stringify(await queue.task(copy.task_id ?? 0));
    expect(logs).not.toContain(password);
  });

  it('takes a password that is in the catalogue sealed, and in no answer, log or argument', async () => {
    const id = await begin(address(), { password });
    const shown = await queue.task(id);
    expect(shown.module_extensions?.parameters).toMatchObject({ password: '', checkpoint: 'fast' });
    expect(await queue.ended(id)).toMatchObject({ status: 'done', error_message: null });
    const { db, dataDir } = lab.app.built.features;
    const row = await db.selectFrom('tasks').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    expect(JSON.stringify(row)).toContain('sealed');
    for (const text of [JSON.stringify(row), await logOf(id), JSON.stringify(await queue.tasks())]) {
      expect(text).not.toContain(password);
    }
    const found = execFileSync('sh', ['-c', 'grep -rlaF "$1" "$2" || true', 'sh', password, dataDir], {
      encoding: 'utf8',
    });
    expect(found).toBe('');
    // The role's own password is wrong for it: what was given counts, not a file that would fit.
    const wrong = { password: 'another', password_file: await passwordFile(password) };
    expect(await failure(address(), wrong)).toContain('password authentication failed');
  });

  it('of a rule keeps its password sealed until it is changed or taken away, and its tasks have it', async () => {
    const rule = {
      strategy_rule: {
        resource_type: 'PostgreSQL universal',
        resource: address(),
        client_id: await queue.localClient(),
        strategy_id: 'Default',
        status: 'wait',
      },
      module_extensions: { parameters: { password } },
    };
    const { id } = await queue.good<{ id: number }>('POST', '/strategy_rules', { data: rule });
    const stored = async () => {
      const { db } = lab.app.built.features;
      const row = await db.selectFrom('strategy_rules').selectAll().where('id', '=', id).executeTakeFirst();
      expect(row?.module_extensions).not.toContain(password);
      return JSON.parse(row?.module_extensions ?? '') as { password: unknown };
    };
    const first = (await stored()).password;
    expect(first).toEqual({ sealed: expect.any(String) });
    const answer = JSON.stringify(await queue.good('GET', `/strategy_rules/${id}`));
    expect(answer).not.toContain(password);
    expect(answer).not.toContain('sealed');
    const patch = (parameters: object) =>
      queue.good('PATCH', `/strategy_rules/${id}`, { data: { module_extensions: { parameters } } });
    // As answers have it: whoever sends back what was read changes nothing.
    await patch({ password: '', checkpoint: 'spread' });
    expect((await stored()).password).toEqual(first);
    const extension = await queue.good<{ module_extensions: { name: string; value: unknown }[] }>(
      'GET',
      `/strategy_rules/extension?resource_type=PostgreSQL%20universal&rule_id=${id}`,
    );
    expect(extension.module_extensions.map(({ name, value }) => [name, value])).toEqual([
      ['password', ''],
      ['password_file', ''],
      ['checkpoint', 'spread'],
    ]);
    // A task with the rule's parameters, as the scheduler makes it.
    await queue.good('PATCH', '/global_configuration/service_mode', { service_mode: true });
    const task = await begin(address());
    await lab.app.built.features.db
      .updateTable('tasks')
      .set({ module_extensions: JSON.stringify({ parameters: await stored() }) })
      .where('id', '=', task)
      .execute();
    await queue.good('PATCH', '/global_configuration/service_mode', { service_mode: false });
    expect(await queue.ended(task)).toMatchObject({ status: 'done', error_message: null });
    await patch({ password: null });
    expect((await stored()).password).toBe('');
  });

  it('opens with zstd and tar alone, and a server starts on that', async () => {
    await mkdir(place('packed'));
    await queue.addPool('Packed', place('packed'), { compression_type: 'Optimal' });
    const copy = await backedUp(
      address(),
      { password_file: await passwordFile(password) },
      { pool: 'Packed' },
    );
    const byHand = place('by hand');
    await mkdir(byHand, { mode: 0o755 });
    execFileSync('sh', [
      '-c',
      'zstd -dc "$1"/archive.tar.zst | tar -xp --numeric-owner -C "$2"',
      'sh',
      copy.path ?? '',
      byHand,
    ]);
    const [name] = await readdir(byHand);
    expect(name).toBe(`postgresql-127.0.0.1-${server.port}`);
    const restored = await startOn(join(byHand, name ?? ''));
    expect(await restored.query(checksum)).toEqual(await server.query(checksum));
  });

  it('goes by the socket as the user of that name without a password, encrypted, and to another pool', async () => {
    const socket = `postgresql://postgres@/?host=${encodeURIComponent(server.socketFolder)}&port=${server.port}`;
    const copy = await backedUp(socket, { checkpoint: 'fast' }, { crypto: 'aes-256-gcm' });
    expect(await logOf(copy.task_id ?? 0)).toContain('as the user postgres of this host');
    expect(await queue.ended(await queue.verify(copy.id))).toMatchObject({ status: 'done' });
    await mkdir(place('other'));
    await queue.addPool('Other', place('other'));
    expect(await queue.ended(await queue.copyTo(copy.id, 'Other'))).toMatchObject({ status: 'done' });
    const second = (await queue.copies()).find(({ copy_of }) => copy_of === copy.id);
    const under = place('under');
    const task = await queue.ended(await queue.restore(second?.id ?? 0, under));
    expect(task).toMatchObject({ status: 'done', error_message: null });
    const restored = await startOn(join(under, `postgresql-local-${server.port}`));
    expect(await restored.query(checksum)).toEqual(await server.query(checksum));
  });

  it('goes to a pool of block devices, from there to a file pool, and comes back', async () => {
    await mkdir(place('metadata'));
    await queue.addPool('Metadata', place('metadata'));
    const [host] = await queue.good<{ name: string }[]>('GET', '/media_servers');
    await queue.good('POST', '/pools', {
      data: {
        pool_name: 'Blocks',
        pool_type: 'Block device',
        media_server: host?.name,
        meta_data_pool: 'Metadata',
        block_size: 65536,
        algorithm: 'blake3',
        hash_length: 256,
      },
    });
    const device = place('store.img');
    execFileSync('truncate', ['-s', '512M', device]);
    const draft = { device, pool: 'Blocks', overwrite_file_system: false };
    await queue.good('POST', '/storage_block_devices', { data: draft });
    const wish = { password_file: await passwordFile(password) };
    const first = await backedUp(address(), wish, { pool: 'Blocks' });
    const second = await backedUp(address(), wish, { pool: 'Blocks' });
    // Files are cut by themselves, so what has not changed is there.
    expect(second.real_size).toBeLessThan(first.real_size / 2);
    expect(await queue.ended(await queue.verify(second.id))).toMatchObject({ status: 'done' });
    await mkdir(place('from blocks'));
    await queue.addPool('From blocks', place('from blocks'));
    const passed = await queue.ended(await queue.copyTo(second.id, 'From%20blocks'));
    expect(passed).toMatchObject({ status: 'done', error_message: null });
    const copy = (await queue.copies()).find(({ copy_of }) => copy_of === second.id);
    const data = place('out of blocks');
    const task = await queue.ended(await queue.restore(copy?.id ?? 0, data, { data_deployment: true }));
    expect(task).toMatchObject({ status: 'done', error_message: null });
    expect(await (await startOn(data)).query(checksum)).toEqual(await server.query(checksum));
  });

  it('is refused into a folder that is not empty, and takes over one that is', async () => {
    const copy = await backedUp(address(), { password_file: await passwordFile(password) });
    const data = place('taken');
    await mkdir(data, { mode: 0o755 });
    await writeFile(join(data, 'own'), 'mine');
    const refused = await queue.ended(await queue.restore(copy.id, data, { data_deployment: true }));
    expect(refused.status).toBe('error');
    expect(refused.error_message).toContain(`The target ${data} is not empty, and nothing was restored`);
    expect(await readdir(data)).toEqual(['own']);
    const empty = place('empty');
    await mkdir(empty, { mode: 0o755 });
    const task = await queue.ended(await queue.restore(copy.id, empty, { data_deployment: true }));
    expect(task).toMatchObject({ status: 'done', error_message: null });
    expect((await stat(empty)).mode & 0o777).toBe(0o700);
    expect(await (await startOn(empty)).query(checksum)).toEqual(await server.query(checksum));
  });

  describe('says what to do when', () => {
    it('the password is wrong, missing, or in a file that others can read', async () => {
      const wrong = await failure(address(), { password_file: await passwordFile('something else') });
      expect(wrong).toContain('password authentication failed');
      expect(wrong).toContain('correct the line');
      expect(await failure(address())).toContain('Give the password, or name a password_file');
      expect(await failure(address(), { password_file: await passwordFile(password, 0o644) })).toContain(
        'chmod 600',
      );
    });

    it('the server is down or not there', async () => {
      const down = await failure('postgresql://backup@127.0.0.1:1');
      expect(down).toContain('Connection refused');
      expect(down).toContain('The server cannot be reached. Start it');
      expect(await failure('postgresql://postgres@/?host=/nonexistent')).toContain('cannot be reached');
    });

    it('the user may not replicate, or is not known', async () => {
      expect(await failure(address('plain'))).toContain('WITH REPLICATION');
      const unknown = await failure(address('nobody-there'));
      expect(unknown).toContain('pg_hba.conf');
    });

    it('there are tablespaces elsewhere', async () => {
      const elsewhere = join(home.path, 'elsewhere');
      await mkdir(elsewhere);
      const { uid, gid } = postgresIds();
      execFileSync('chown', [`${uid}:${gid}`, elsewhere]);
      await server.query(`create tablespace elsewhere location '${elsewhere}'`);
      const told = await failure(address(), { password_file: await passwordFile(password) });
      expect(told).toContain('tablespaces outside of its data directory');
      await server.query('drop tablespace elsewhere');
    });

    it('the address is none, or holds a password', async () => {
      const refusal = async (resource: string, module: object = {}) => {
        const { task } = await queue.draft(resource, { resource_type: 'PostgreSQL universal' });
        const reply = await queue.call('POST', '/task_queue', {
          task,
          module_extensions: { parameters: module },
        });
        expect(reply.status).toBe(400);
        expect(JSON.stringify(reply.body)).not.toContain(password);
        return reply.body.errors;
      };
      expect((await refusal(`postgresql://backup:${password}@127.0.0.1`)).resource).toContain(
        'password_file',
      );
      expect((await refusal('postgresql://backup@127.0.0.1/orders')).resource).toContain('whole server');
      expect((await refusal('postgresql://backup@127.0.0.1:99999')).resource).toBeDefined();
      expect((await refusal('mysql://x')).resource).toContain('postgresql://');
      expect((await refusal(address(), { file_list: true })).file_list).toContain('PostgreSQL universal');
    });
  });

  describe('while it runs', () => {
    const backups = async () => {
      const [row] = await server.query<{ count: number }>(
        'select count(*)::int as count from pg_stat_progress_basebackup',
      );
      return row?.count ?? -1;
    };
    let limitId: number;
    beforeEach(async () => {
      const limit = { client: await queue.localClient(), backup_bandwidth: 2000 };
      limitId = (await queue.good<{ id: number }>('POST', '/client_bandwidth', { data: limit })).id;
    });
    const endLimit = () => queue.good('DELETE', `/client_bandwidth/${limitId}`);

    it('a kill ends the program', async () => {
      const id = await begin(address(), { password_file: await passwordFile(password) });
      await queue.moving(id);
      await expect.poll(backups, { timeout: 20_000 }).toBe(1);
      await queue.good('POST', `/tasks/${id}/kill`);
      await expect.poll(backups, { timeout: 20_000 }).toBe(0);
      expect((await queue.task(id)).status).toBe('killed');
      await endLimit();
    });

    it('a pause ends it too, and the backup begins anew when the task goes on', async () => {
      const id = await begin(address(), { password_file: await passwordFile(password) });
      await queue.moving(id);
      await expect.poll(backups, { timeout: 20_000 }).toBe(1);
      await queue.good('POST', `/tasks/${id}/pause`);
      await expect.poll(backups, { timeout: 20_000 }).toBe(0);
      expect((await queue.task(id)).status).toBe('suspended');
      await endLimit();
      await queue.good('POST', `/tasks/${id}/continue`, { task_id: id });
      const task = await queue.ended(id);
      expect(task).toMatchObject({ status: 'done', error_message: null });
      expect(await logOf(id)).toContain('begins anew');
      const data = place('after the pause');
      const back = await queue.restore(Number(task.repository_id), data, { data_deployment: true });
      expect(await queue.ended(back)).toMatchObject({ status: 'done' });
    });
  });
});
