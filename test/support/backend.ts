import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { type AppDeps, type BuiltApp, build } from '../../backend/app.ts';
import { type DatabasePlace, foldCase, type OpenDatabase, openDatabase } from '../../backend/db/index.ts';
import { createFastify } from '../../backend/http/create-fastify.ts';
import { type Clock, systemClock } from '../../backend/platform/clock.ts';
import { type Log, silentLog } from '../../backend/platform/log.ts';
import { productVersion } from '../../backend/version.ts';
import type { Role } from '../../contract/permissions.ts';
import { beginWithNewCatalogue } from './new-catalogue.ts';
import { makeTempDir, memoryParent } from './temp-dir.ts';

/** A clock that stands still until it is told to go on. */
export interface HandClock extends Clock {
  advance(ms: number): void;
  set(epochMs: number): void;
}

export function handClock(startMs = Date.UTC(2030, 0, 15, 12)): HandClock {
  let nowMs = startMs;
  let passedMs = 0;
  return {
    now: () => nowMs,
    monotonic: () => passedMs,
    advance: (ms) => {
      nowMs += ms;
      passedMs += ms;
    },
    set: (epochMs) => {
      nowMs = epochMs;
    },
  };
}

export interface Answer {
  readonly status: number;
  readonly headers: LightMyRequestResponse['headers'];
  readonly cookies: LightMyRequestResponse['cookies'];
  /** The envelope; `null` for an empty body. */
  readonly body: {
    readonly data: unknown;
    readonly errors: Readonly<Record<string, string>>;
    readonly is_error: boolean;
    readonly message: string;
  };
  /** `body.data`, as whatever the test expects. */
  data<T>(): T;
}

export type Send = (
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'HEAD' | 'PUT' | 'OPTIONS',
  /** Relative to `/api/v1`, with its query. */
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<Answer>;

export interface Session {
  readonly userName: string;
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly csrfToken: string;
  /** Calls with the header `Authorization: Bearer`. */
  readonly send: Send;
}

export interface TestApp {
  readonly app: FastifyInstance;
  readonly built: BuiltApp;
  readonly database: OpenDatabase;
  readonly dataDir: string;
  /** Calls without any token. */
  readonly send: Send;
  /** Makes a user with the role(s), once, and logs in. `clientGroupIds` limits an administrator. */
  loginAs(role: Role | readonly Role[], options?: { clientGroupIds?: readonly number[] }): Promise<Session>;
  login(userName: string, password: string): Promise<Session>;
  /** Stops everything and removes the folder. */
  close(): Promise<void>;
}

export const testPassword = 'correct horse battery';

/** The backend's app on a SQLite of its own in a temporary folder, called through `app.inject`. */
export async function startTestApp(
  options: {
    readonly clock?: Clock;
    readonly log?: Log;
    readonly secure?: boolean;
    readonly loopbackOnly?: boolean;
    readonly launchSecret?: string;
    readonly moreHandlers?: AppDeps['moreHandlers'];
    readonly libraryDrivers?: AppDeps['libraryDrivers'];
    readonly readHostCounters?: AppDeps['readHostCounters'];
    readonly scriptTimeoutMs?: number;
    readonly scratchDir?: string;
    readonly tasksAtOnce?: number;
    /** Also run what a start of the server runs: first objects, task queue. Off unless told. */
    readonly started?: boolean;
    /** A folder that is kept when the app closes, to start again on it. */
    readonly dataDir?: string;
    /** Another database than a SQLite of its own. */
    readonly place?: DatabasePlace;
  } = {},
): Promise<TestApp> {
  const folder = options.dataDir
    ? { path: options.dataDir, remove: async () => undefined }
    : // Each request commits. Where no engine works on disks, none of them needs to wait for one.
      await makeTempDir('app', options.started ? tmpdir() : memoryParent);
  const clock = options.clock ?? systemClock;
  const log = options.log ?? silentLog;
  const place = options.place ?? { kind: 'sqlite', path: join(folder.path, 'strongroom.db') };
  if (place.kind === 'sqlite') await beginWithNewCatalogue(place.path);
  const database = await openDatabase(place);
  const stopping = new AbortController();
  const app = createFastify({ tls: null, log });
  const built = await build(app, {
    database,
    clock,
    log,
    dataDir: folder.path,
    version: productVersion,
    secure: options.secure ?? false,
    loopbackOnly: options.loopbackOnly ?? true,
    launchSecret: options.launchSecret ?? null,
    stopping: stopping.signal,
    ...(options.moreHandlers ? { moreHandlers: options.moreHandlers } : {}),
    ...(options.scratchDir ? { scratchDir: options.scratchDir } : {}),
    ...(options.tasksAtOnce ? { tasksAtOnce: options.tasksAtOnce } : {}),
    ...(options.scriptTimeoutMs ? { scriptTimeoutMs: options.scriptTimeoutMs } : {}),
    ...(options.readHostCounters ? { readHostCounters: options.readHostCounters } : {}),
    ...(options.libraryDrivers ? { libraryDrivers: options.libraryDrivers } : {}),
  });
  if (options.started) await built.start();
  await app.ready();
  const send = sender(app, {});
  const login = async (userName: string, password: string): Promise<Session> => {
    const answer = await send('POST', '/auth/login', {
      backup_database: 'strongroom',
      backup_user: userName,
      password,
    });
    if (answer.status !== 200)
      throw new Error(`login as ${userName}: ${answer.status} ${answer.body.message}`);
    const data = answer.data<{ access_token: string; refresh_token: string; csrf_token: string }>();
    return {
      userName,
      accessToken: data.access_token,
      refreshToken: data.refresh_token,
      csrfToken: data.csrf_token,
      send: sender(app, { authorization: `Bearer ${data.access_token}` }),
    };
  };
  return {
    app,
    built,
    database,
    dataDir: folder.path,
    send,
    login,
    loginAs: async (role, limits = {}) => {
      const roles = typeof role === 'string' ? [role] : [...role];
      const groups = limits.clientGroupIds ?? [];
      const userName = [...roles, ...groups].join('-');
      await addUser(built, { userName, roles, clientGroupIds: groups });
      return login(userName, testPassword);
    },
    close: async () => {
      stopping.abort();
      await built.prepareStop();
      await app.close();
      await built.stop();
      await database.close();
      await folder.remove();
    },
  };
}

function sender(app: FastifyInstance, always: Readonly<Record<string, string>>): Send {
  return async (method, path, body, headers = {}) => {
    const response = await app.inject({
      method,
      url: `/api/v1${path}`,
      headers: { host: '127.0.0.1', ...always, ...headers },
      ...(body === undefined ? {} : { payload: body as object }),
    });
    const json = response.headers['content-type']?.toString().includes('json') && response.body !== '';
    const envelope = json ? response.json() : null;
    return {
      status: response.statusCode,
      headers: response.headers,
      cookies: response.cookies,
      body: envelope,
      data: <T>() => envelope.data as T,
    };
  };
}

const hashes = new Map<string, Promise<string>>();

/** Adds a user directly, unless there is one with the name. */
export async function addUser(
  built: BuiltApp,
  user: {
    readonly userName: string;
    readonly roles: readonly Role[];
    readonly password?: string;
    readonly enabled?: boolean;
    readonly clientGroupIds?: readonly number[];
  },
): Promise<number> {
  const { db, passwords } = built.features;
  const key = foldCase(user.userName);
  const known = await db.selectFrom('users').select('id').where('user_name_key', '=', key).executeTakeFirst();
  if (known) return known.id;
  const password = user.password ?? testPassword;
  // Hashing is slow by design; the same password is hashed once for all apps of a test file.
  const hash = hashes.get(password) ?? passwords.hash(password);
  hashes.set(password, hash);
  const passwordHash = await hash;
  return db.transaction().execute(async (tx) => {
    const { id } = await tx
      .insertInto('users')
      .values({
        user_name: user.userName,
        user_name_key: key,
        password_hash: passwordHash,
        enabled: user.enabled === false ? 0 : 1,
        last_success_login_ms: null,
        last_fail_login_ms: null,
        created_ms: Date.now(),
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    for (const role of user.roles) await tx.insertInto('user_roles').values({ user_id: id, role }).execute();
    for (const group of user.clientGroupIds ?? []) {
      await tx.insertInto('user_client_groups').values({ user_id: id, client_group_id: group }).execute();
    }
    return id;
  });
}

const projectDir = join(import.meta.dirname, '..', '..');

export interface BackendProcess {
  readonly child: ChildProcess;
  readonly pid: number;
  /** The ready line, once it is there; rejects when the process ends before. */
  readonly ready: Promise<{ readonly url: string; readonly pid: number; readonly version: string }>;
  /** Exit code, or the name of the signal. */
  readonly ended: Promise<number | string>;
  stdout(): string;
  stderr(): string;
  /** SIGTERM, then waits for the end. */
  stop(): Promise<number | string>;
  kill(): Promise<number | string>;
}

/** Of a backend as it is built: from source each start would take twice as long. */
export const backendProgram = join(projectDir, 'out/backend/main.js');

/** The backend as a process of its own. */
export function spawnBackend(options: {
  readonly dataDir?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** Run as another user (only root can). */
  readonly uid?: number;
}): BackendProcess {
  const dataDir = options.dataDir === undefined ? [] : ['--data-dir', options.dataDir];
  const port = options.args?.some((argument) => argument.startsWith('--port')) ? [] : ['--port', '0'];
  const child = spawn(
    join(projectDir, 'node_modules/.bin/node'),
    [backendProgram, ...dataDir, ...port, ...(options.args ?? [])],
    {
      cwd: projectDir,
      env: { ...process.env, ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(options.uid === undefined ? {} : { uid: options.uid, gid: options.uid }),
    },
  );
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string);
  const ready = new Promise<{ url: string; pid: number; version: string }>((resolve, reject) => {
    child.stdout.on('data', () => {
      const line = output.stdout.split('\n')[0] ?? '';
      if (output.stdout.includes('\n')) resolve(JSON.parse(line));
    });
    void ended.then((how) => reject(new Error(`the backend ended with ${how}: ${output.stderr}`)));
  });
  // Tests that expect the start to fail look at `ended` only.
  ready.catch(() => undefined);
  return {
    child,
    pid: child.pid ?? -1,
    ready,
    ended,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    stop: () => {
      child.kill('SIGTERM');
      return ended;
    },
    kill: () => {
      child.kill('SIGKILL');
      return ended;
    },
  };
}

/** Logs in at a running backend; answers a caller of its API. */
export async function loginAt(
  url: string,
  userName: string,
  password: string,
): Promise<
  (method: string, path: string, body?: unknown) => Promise<{ status: number; body: Answer['body'] }>
> {
  const call = async (method: string, path: string, body: unknown, headers: Record<string, string>) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: (text === '' ? null : JSON.parse(text)) as Answer['body'] };
  };
  const login = { backup_database: 'strongroom', backup_user: userName, password };
  const answer = await call('POST', '/auth/login', login, {});
  if (answer.status !== 200) throw new Error(`login: ${answer.status} ${answer.body.message}`);
  const { access_token } = answer.body.data as { access_token: string };
  return (method, path, body) => call(method, path, body, { authorization: `Bearer ${access_token}` });
}
