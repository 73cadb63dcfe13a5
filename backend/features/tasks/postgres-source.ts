import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import type { BackupOrigin } from '../../engine/index.ts';
import { DeviceError } from '../../engine/index.ts';
import {
  isOfThisHost,
  isSocket,
  type PostgresAddress,
  readPostgresAddress,
  serverName,
} from '../postgres-address.ts';
import { findPostgresProgram } from '../postgres-programs.ts';
import { adviceFor } from './postgres-rules.ts';

export interface PostgresWish {
  readonly resource: string;
  /** Empty: it is in the password file. */
  readonly password: string;
  /** Empty: that of the user of this server. */
  readonly passwordFile: string;
  readonly checkpoint: string;
  /** Written into the copy's backup_label. */
  readonly label: string;
}

export interface PostgresSource {
  readonly origin: Extract<BackupOrigin, { kind: 'program' }>;
  /** Lines for the client's log of the task. */
  readonly notes: readonly string[];
}

/** Seconds until a host that does not answer is given up. */
const connectTimeoutS = 15;

/**
 * How the server is read: one base backup with the log that belongs to it, streamed. The password is in no argument,
 * where every user could read it: it goes by the environment, which only root and the user of this process can read. Rejects with a `DeviceError` that says what is missing.
 */
export async function postgresSource(wish: PostgresWish): Promise<PostgresSource> {
  const look = readPostgresAddress(wish.resource);
  if (look.kind === 'refused') throw new DeviceError('permanent', `The resource ${look.reason}.`);
  const { address } = look;
  const path = await findPostgresProgram('pg_basebackup');
  if (path === null) {
    throw new DeviceError(
      'notFound',
      'pg_basebackup is not installed on this client. Install it (Debian: postgresql-client), of the version of the server or newer.',
    );
  }
  const user = await userFor(address, wish);
  const as = user === null ? '' : ` as the user ${user.name} of this host`;
  return {
    origin: {
      kind: 'program',
      name: serverName(address),
      isOfThisHost: isOfThisHost(address),
      program: {
        path,
        args: [
          '--pgdata=-',
          '--format=tar',
          '--wal-method=fetch',
          `--checkpoint=${wish.checkpoint === 'spread' ? 'spread' : 'fast'}`,
          `--label=${wish.label}`,
          '--no-password',
          '--progress',
        ],
        env: environmentOf(address, wish),
        user: user === null ? null : { uid: user.uid, gid: user.gid },
      },
    },
    notes: [
      `The server is read by ${path}${as}.`,
      'Configuration files that lie outside of the data directory (Debian: /etc/postgresql) are not in the copy.',
    ],
  };
}

function environmentOf(
  address: PostgresAddress,
  { password, passwordFile }: PostgresWish,
): Readonly<Record<string, string>> {
  const { host, port, user, sslmode, sslrootcert } = address;
  return {
    HOME: homedir(),
    PGUSER: user,
    PGPORT: String(port),
    PGCONNECT_TIMEOUT: String(connectTimeoutS),
    PGAPPNAME: 'strongroom',
    ...(host === null ? {} : { PGHOST: host }),
    ...(sslmode === null ? {} : { PGSSLMODE: sslmode }),
    ...(sslrootcert === null ? {} : { PGSSLROOTCERT: sslrootcert }),
    ...(passwordFile === '' ? {} : { PGPASSFILE: passwordFile }),
    ...(password === '' ? {} : { PGPASSWORD: password }),
  };
}

/**
 * By a socket a server usually lets in who has the same name in the system. Where this process is root and no password
 * is given, the program therefore runs as that user, with less rights than it has.
 */
async function userFor(
  { host, user }: PostgresAddress,
  { password, passwordFile }: PostgresWish,
): Promise<{ readonly name: string; readonly uid: number; readonly gid: number } | null> {
  if (process.getuid?.() !== 0 || !isSocket(host)) return null;
  if (password !== '' || passwordFile !== '') return null;
  const lines = (await readFile('/etc/passwd', 'utf8').catch(() => '')).split('\n');
  for (const line of lines) {
    const [name = '', , uid = '', gid = ''] = line.split(':');
    if (name !== user || !/^\d+$/.test(uid) || !/^\d+$/.test(gid)) continue;
    return { name, uid: Number(uid), gid: Number(gid) };
  }
  return null;
}

/** What the program said, in the words of a person who can do something about it. */
export function explainBaseBackup(error: unknown): unknown {
  if (!(error instanceof DeviceError) || error.kind !== 'permanent') return error;
  const message = adviceFor(error.message);
  return message === null ? error : new DeviceError(error.kind, message, { cause: error });
}
