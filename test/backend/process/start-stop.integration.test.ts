import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../backend/db/index.ts';
import { loginAt, spawnBackend } from '../../support/backend.ts';
import { makeTempDir } from '../../support/temp-dir.ts';

let folder: Awaited<ReturnType<typeof makeTempDir>>;
let dataDir: string;
const running: ReturnType<typeof spawnBackend>[] = [];

beforeEach(async () => {
  folder = await makeTempDir('process');
  dataDir = join(folder.path, 'data');
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((backend) => backend.kill()));
  await folder.remove();
});

function start(options: Parameters<typeof spawnBackend>[0] = { dataDir }) {
  const backend = spawnBackend(options);
  running.push(backend);
  return backend;
}

/** The one line for the person who starts it; log lines are JSON. */
const complaint = (stderr: string): readonly string[] =>
  stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{'));

describe('a start', () => {
  it('says that it is ready in exactly one line, everything else goes to standard error and to DIR/log', async () => {
    const backend = start();
    const ready = await backend.ready;
    expect(ready).toEqual({
      event: 'ready',
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/api\/v1$/),
      pid: backend.pid,
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    });
    expect((await fetch(ready.url)).status).toBe(200);
    expect(await backend.stop()).toBe(0);
    expect(backend.stdout().trimEnd().split('\n')).toHaveLength(1);
    const logged = await readFile(join(dataDir, 'log', 'backend.log'), 'utf8');
    expect(backend.stderr()).toBe(logged);
    for (const line of logged.trimEnd().split('\n')) expect(() => JSON.parse(line)).not.toThrow();
  });

  it('on an empty folder makes the superuser of the environment', async () => {
    const env = { STRONGROOM_ADMIN_USER: 'Zoë', STRONGROOM_ADMIN_PASSWORD: 'chosen password' };
    const backend = start({ dataDir, env });
    const call = await loginAt((await backend.ready).url, 'Zoë', 'chosen password');
    expect((await call('GET', '/auth/permissions')).body.data).toMatchObject({ role: ['superuser'] });
    await expect(stat(join(dataDir, 'initial-password'))).rejects.toThrow('ENOENT');
    await backend.stop();
    const logs = backend.stderr();
    expect(logs).not.toContain('chosen password');
  });

  it('without a password in the environment writes one down, for the owner only, and never logs it', async () => {
    const backend = start({ dataDir, env: { STRONGROOM_ADMIN_PASSWORD: '' } });
    const { url } = await backend.ready;
    const path = join(dataDir, 'initial-password');
    const password = (await readFile(path, 'utf8')).trim();
    expect(password.length).toBeGreaterThanOrEqual(20);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await loginAt(url, 'admin', password);
    await backend.stop();
    expect(backend.stderr() + backend.stdout()).not.toContain(password);
    expect(await readFile(join(dataDir, 'log', 'backend.log'), 'utf8')).not.toContain(password);
    const again = start({ dataDir, env: { STRONGROOM_ADMIN_PASSWORD: 'ignored from now on' } });
    await loginAt((await again.ready).url, 'admin', password);
    expect((await readFile(path, 'utf8')).trim()).toBe(password);
  });

  it('works in a folder whose name is awkward (case 10)', async () => {
    const awkward = join(folder.path, "Ünï çödé dir (x86) 100%'s");
    const backend = start({ dataDir: awkward, env: { STRONGROOM_ADMIN_PASSWORD: 'password 1' } });
    await loginAt((await backend.ready).url, 'admin', 'password 1');
    expect(await backend.stop()).toBe(0);
  });

  it('follows the clock file of the environment', async () => {
    const clockFile = join(folder.path, 'clock');
    await writeFile(clockFile, '0');
    const env = { STRONGROOM_ADMIN_PASSWORD: 'password 1', STRONGROOM_CLOCK_FILE: clockFile };
    const backend = start({ dataDir, env });
    const call = await loginAt((await backend.ready).url, 'admin', 'password 1');
    expect((await call('GET', '/auth/permissions')).status).toBe(200);
    await writeFile(clockFile, String(16 * 60_000));
    await expect
      .poll(async () => (await call('GET', '/auth/permissions')).status, { timeout: 5_000 })
      .toBe(401);
    await writeFile(clockFile, '0');
    await expect
      .poll(async () => (await call('GET', '/auth/permissions')).status, { timeout: 5_000 })
      .toBe(200);
  });

  it('keeps what others may not read from them', async () => {
    await mkdir(dataDir, { mode: 0o755 });
    const backend = start();
    await backend.ready;
    for (const name of await readdir(dataDir)) {
      if (name === 'lock.db' || name === 'pools') continue;
      const { mode } = await stat(join(dataDir, name));
      expect([name, mode & 0o077]).toEqual([name, 0]);
    }
  });
});

describe('two starts on one folder', () => {
  it('end the second one at once with exit code 3, naming the process that holds it', async () => {
    const first = start();
    await first.ready;
    const second = start();
    expect(await second.ended).toBe(3);
    expect(second.stdout()).toBe('');
    expect(complaint(second.stderr())).toEqual([expect.stringContaining(String(first.pid))]);
    await symlink(dataDir, join(folder.path, 'other-name'));
    const third = start({ dataDir: join(folder.path, 'other-name') });
    expect(await third.ended).toBe(3);
    expect((await fetch((await first.ready).url)).status).toBe(200);
  });

  it('that come at the same moment leave exactly one running', async () => {
    const backends = Array.from({ length: 4 }, () => start());
    const outcomes = await Promise.all(
      backends.map((backend) =>
        Promise.race([backend.ready.then(() => 'ready' as const).catch(() => backend.ended)]),
      ),
    );
    expect([...outcomes].sort()).toEqual([3, 3, 3, 'ready']);
  });

  it('work once the first one was killed: its lock is taken over (cases 20 and 94)', async () => {
    const first = start();
    await first.ready;
    await first.kill();
    const second = start();
    await second.ready;
    expect(second.stderr()).toContain('taken over');
    expect(await second.stop()).toBe(0);
  });
});

describe('a stop', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'by %s ends with exit code 0, also while a connection is open',
    async (signal) => {
      const backend = start();
      const { port } = new URL((await backend.ready).url);
      const idle = connect(Number(port), '127.0.0.1');
      await once(idle, 'connect');
      idle.on('error', () => undefined);
      backend.child.kill(signal);
      expect(await backend.ended).toBe(0);
    },
  );

  it('that comes before the start is over ends it with exit code 0', async () => {
    const backend = start();
    await once(backend.child.stderr ?? backend.child, 'data');
    expect(await backend.stop()).toBe(0);
  });

  it('twice is one stop', async () => {
    const backend = start();
    await backend.ready;
    backend.child.kill('SIGINT');
    backend.child.kill('SIGTERM');
    expect(await backend.ended).toBe(0);
  });
});

describe('bad options', () => {
  const never = '/nonexistent/strongroom';
  it.each([
    [[], '--data-dir'],
    [['--data-dir', ''], '--data-dir'],
    [['--data-dir', never, '--nonsense'], '--nonsense'],
    [['--data-dir', never, '--port', 'x'], '--port'],
    [['--data-dir', never, '--port', '65536'], '--port'],
    [['--data-dir', never, '--port=-1'], '--port'],
    [['--data-dir', never, 'extra'], 'extra'],
    [['--data-dir', never, '--host', '0.0.0.0'], '--host'],
    [['--data-dir', never, '--tls-cert', '/nonexistent'], '--tls-cert'],
    [['--data-dir', never, '--tls-key', '/nonexistent'], '--tls-key'],
    [['--data-dir', never, '--tls-cert', '/nonexistent', '--tls-key', '/nonexistent'], '--tls-cert'],
    [['--data-dir', never, '--database-url', 'mysql://user:canary-123@host/db'], '--database-url'],
    [['--data-dir', never, '--config', '/nonexistent'], '--config'],
  ])('%j end with exit code 2 and one line that names %s', async (args, option) => {
    const backend = start({ args });
    expect(await backend.ended).toBe(2);
    expect(backend.stdout()).toBe('');
    expect(backend.stderr().trimEnd().split('\n')).toEqual([expect.stringContaining(option)]);
    expect(backend.stderr()).not.toContain('canary-123');
  });

  it('in the configuration file are named too; good ones count where the command line has none', async () => {
    const file = join(folder.path, 'config.json');
    const outcome = async (content: unknown) => {
      await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
      const backend = start({ args: ['--config', file] });
      return [await backend.ended, backend.stderr()] as const;
    };
    expect(await outcome('{')).toEqual([2, expect.stringContaining('--config')]);
    expect(await outcome([])).toEqual([2, expect.stringContaining('--config')]);
    expect(await outcome({ 'data-dir': dataDir, sport: 1 })).toEqual([2, expect.stringContaining('sport')]);
    expect(await outcome({ 'data-dir': 7 })).toEqual([2, expect.stringContaining('data-dir')]);
    await writeFile(file, JSON.stringify({ 'data-dir': dataDir, port: 1, host: 'localhost' }));
    const backend = start({ args: ['--config', file] });
    const { url } = await backend.ready;
    expect(url).toMatch(/^http:\/\/localhost:\d+\/api\/v1$/);
    expect(url).not.toContain(':1/');
  });
});

describe('a data directory that cannot be used ends the start with exit code 4 and one clear line:', () => {
  const fails = async (backend: ReturnType<typeof spawnBackend>, reason: RegExp) => {
    expect(await backend.ended).toBe(4);
    expect(backend.stdout()).toBe('');
    expect(complaint(backend.stderr())).toEqual([expect.stringMatching(reason)]);
    expect(backend.stderr()).not.toMatch(/^\s+at /m);
  };

  it('a file', async () => {
    await writeFile(dataDir, '');
    await fails(start(), /not a directory/);
  });

  it('in a place where nothing can be made', async () => {
    await fails(start({ dataDir: '/proc/strongroom/data' }), /cannot be made/);
  });

  it('below a file', async () => {
    await writeFile(dataDir, '');
    await fails(start({ dataDir: join(dataDir, 'below') }), /not a directory/);
  });

  it.skipIf(process.getuid?.() !== 0)('without the right to write', async () => {
    await chmod(folder.path, 0o755);
    await mkdir(dataDir, { mode: 0o755 });
    await fails(start({ dataDir, uid: 65_534 }), /permission/);
  });

  it.skipIf(process.getuid?.() !== 0)('with a database that may not be read', async () => {
    await chmod(folder.path, 0o755);
    await mkdir(dataDir);
    await chown(dataDir, 65_534, 65_534);
    await writeFile(join(dataDir, 'strongroom.db'), '', { mode: 0o600 });
    await fails(start({ dataDir, uid: 65_534 }), /strongroom\.db.*EACCES/);
  });

  it('with something else than a database', async () => {
    await mkdir(dataDir);
    await writeFile(join(dataDir, 'strongroom.db'), 'not a database at all. '.repeat(1000));
    await fails(start(), /damaged.*not a database/);
  });

  it('with a database of a newer version', async () => {
    await mkdir(dataDir);
    const { db, close } = await openDatabase({ kind: 'sqlite', path: join(dataDir, 'strongroom.db') });
    await sql`insert into schema_version (version, name, applied_ms) values (999, 'future', 1)`.execute(db);
    await close();
    await fails(start(), /newer version/);
  });

  it('with a folder in the place of the database', async () => {
    await mkdir(join(dataDir, 'strongroom.db'), { recursive: true });
    await fails(start(), /strongroom\.db/);
  });
});

describe('a port', () => {
  it('that is taken ends the start, naming the cause (case 9)', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const backend = start({ dataDir, args: ['--port', String(port)] });
    expect(await backend.ended).toBe(1);
    expect(complaint(backend.stderr())).toEqual([expect.stringMatching(/port \d+ .*taken.*--port/)]);
    other.close();
  });

  it('on an address that this computer does not have ends the start (case 9)', async () => {
    const backend = start({ dataDir, args: ['--host', '192.0.2.1', '--insecure-http'] });
    expect(await backend.ended).toBe(1);
    expect(complaint(backend.stderr())).toEqual([expect.stringContaining('--host 192.0.2.1')]);
  });

  it.skipIf(process.getuid?.() !== 0)('that the system reserves ends the start (case 9)', async () => {
    const limit = Number(await readFile('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8'));
    await chmod(folder.path, 0o777);
    const backend = start({ dataDir, uid: 65_534, args: ['--port', '81'] });
    if (limit > 81) {
      expect(await backend.ended).toBe(1);
      expect(complaint(backend.stderr())).toEqual([expect.stringMatching(/port 81 .*reserved.*--port/)]);
    } else {
      await backend.ready;
    }
  });
});

describe('a connection', () => {
  it('that speaks no HTTP gets the envelope and is closed', async () => {
    const backend = start();
    const { port } = new URL((await backend.ready).url);
    const answer = async (request: string): Promise<string> => {
      const socket = connect(Number(port), '127.0.0.1');
      let text = '';
      socket.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      socket.write(request);
      await once(socket, 'close');
      return text;
    };
    for (const request of [
      'GARBAGE\r\n\r\n',
      `GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`,
      'POST /api/v1/auth/login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ]) {
      const text = await answer(request);
      expect(text).toMatch(/^HTTP\/1\.1 400 /);
      expect(JSON.parse(text.slice(text.indexOf('{')))).toMatchObject({ is_error: true, data: null });
    }
  });

  it('by TLS is served with the given certificate, and a bad pair ends the start', async () => {
    const [cert, key] = [join(folder.path, 'cert.pem'), join(folder.path, 'key.pem')];
    const openssl = spawn('openssl', [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'],
      ...['-subj', '/CN=localhost', '-keyout', key, '-out', cert],
    ]);
    await once(openssl, 'exit');
    const backend = start({ dataDir, args: ['--tls-cert', cert, '--tls-key', key] });
    const { url } = await backend.ready;
    expect(url).toMatch(/^https:/);
    const curl = spawn('curl', [
      '-s',
      '--cacert',
      cert,
      '--resolve',
      `localhost:${new URL(url).port}:127.0.0.1`,
      '-o',
      '/dev/null',
      '-w',
      '%{http_code}',
      url.replace('127.0.0.1', 'localhost'),
    ]);
    let status = '';
    curl.stdout.setEncoding('utf8').on('data', (text: string) => {
      status += text;
    });
    await once(curl, 'close');
    expect(status).toBe('200');
    await backend.stop();
    const swapped = start({ dataDir, args: ['--tls-cert', key, '--tls-key', cert] });
    expect(await swapped.ended).toBe(2);
    expect(complaint(swapped.stderr())).toEqual([expect.stringContaining('--tls-cert')]);
  });
});
