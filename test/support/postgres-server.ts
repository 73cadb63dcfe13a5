import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, readdirSync } from 'node:fs';
import { chown, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';

/** Where the programs of the newest PostgreSQL on this machine are; otherwise why there is none to start. */
export function findPostgres(): { readonly binaries: string } | string {
  if (process.getuid?.() !== 0) return 'only root can become the user postgres';
  try {
    execFileSync('id', ['-u', 'postgres'], { stdio: 'pipe' });
    const versions = readdirSync('/usr/lib/postgresql').sort((left, right) => Number(right) - Number(left));
    const binaries = join('/usr/lib/postgresql', versions[0] ?? '', 'bin');
    accessSync(join(binaries, 'initdb'));
    return { binaries };
  } catch {
    return 'there is no /usr/lib/postgresql/*/bin/initdb or no user postgres';
  }
}

export interface PostgresServer {
  readonly port: number;
  readonly dataDirectory: string;
  /** The folder of its socket. */
  readonly socketFolder: string;
  readonly binaries: string;
  /** As the superuser, by the socket. */
  query<R extends object>(sql: string): Promise<readonly R[]>;
  stop(): Promise<void>;
}

export function postgresIds(): { readonly uid: number; readonly gid: number } {
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/** A cluster of its own in `folder`, which the user postgres then owns; `hba` are the lines of its pg_hba.conf. */
export async function initPostgres(
  binaries: string,
  folder: string,
  hba: readonly string[],
): Promise<string> {
  const { uid, gid } = postgresIds();
  await chown(folder, uid, gid);
  const data = join(folder, 'data');
  execFileSync(
    join(binaries, 'initdb'),
    ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--data-checksums'],
    { uid, gid, cwd: folder, stdio: 'pipe' },
  );
  await writeFile(join(data, 'pg_hba.conf'), `${hba.join('\n')}\n`);
  return data;
}

/** Starts a server on a data directory and waits until it answers. */
export async function startPostgres(
  binaries: string,
  dataDirectory: string,
  socketFolder: string,
): Promise<PostgresServer> {
  const { uid, gid } = postgresIds();
  const port = await freePort();
  const told: string[] = [];
  const server = spawn(
    join(binaries, 'postgres'),
    [
      ...['-D', dataDirectory, '-k', socketFolder, '-p', String(port)],
      ...['-c', 'listen_addresses=127.0.0.1', '-c', 'fsync=off', '-c', 'wal_keep_size=512MB'],
    ],
    { uid, gid, cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] },
  );
  server.stderr.setEncoding('utf8').on('data', (text: string) => told.push(text));
  const query = async <R extends object>(sql: string): Promise<readonly R[]> => {
    const client = new pg.Client({ host: socketFolder, port, user: 'postgres', database: 'postgres' });
    await client.connect();
    try {
      return (await client.query<R>(sql)).rows;
    } finally {
      await client.end();
    }
  };
  const answers = async (): Promise<boolean> => {
    try {
      await query('select 1');
      return true;
    } catch {
      if (server.exitCode !== null) throw new Error(`the server ended: ${told.join('')}`);
      return false;
    }
  };
  while (!(await answers())) await new Promise((resolve) => setTimeout(resolve, 50));
  return {
    port,
    dataDirectory,
    socketFolder,
    binaries,
    query,
    stop: async () => {
      if (server.exitCode !== null) return;
      server.kill('SIGINT');
      await once(server, 'exit');
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
