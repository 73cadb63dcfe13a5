import { open } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { type BuiltApp, build } from './app.ts';
import { type DatabasePlace, DatabaseUnusable, type OpenDatabase, openDatabase } from './db/index.ts';
import { ensureFirstSuperuser } from './first-superuser.ts';
import { createFastify } from './http/create-fastify.ts';
import { apiPrefix } from './http/mount.ts';
import { listen } from './listen.ts';
import { BadOption, isLoopbackHost, type Options } from './options.ts';
import { type Clock, clockOf } from './platform/clock.ts';
import { prepareDataDir } from './platform/data-dir.ts';
import { messageOf } from './platform/errors.ts';
import { lockDataDir } from './platform/lock.ts';
import { createLog, type Log, type LogSink } from './platform/log.ts';
import { openLogFiles } from './platform/log-files.ts';
import { errorCode } from './platform/native.ts';
import { productVersion } from './version.ts';

export interface RunningServer {
  /** Address of the API. */
  readonly url: string;
  readonly version: string;
  readonly log: Log;
  /** The superuser as whom the desktop app may sign in with its launch secret. */
  readonly superuser: string | null;
  /** What answers and works in it. */
  readonly built: BuiltApp;
  /** No new work starts, running work stops at a safe point. Answers once everything is closed. */
  stop(): Promise<void>;
}

export interface StartInput {
  readonly options: Options;
  /** One-run secret of the desktop app that starts this backend; `null` for one that stands alone. */
  readonly launchSecret: string | null;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Where log lines go beside the files. */
  readonly logSink: LogSink;
  /** The clock that the environment asks for unless told. */
  readonly clock?: Clock;
}

/**
 * Starts everything in order; what was opened before a failure is closed again. Throws `BadOption`,
 * `DataDirUnusable`, `DataDirInUse`, `DatabaseUnusable`, `CannotListen`.
 */
export async function startServer(input: StartInput): Promise<RunningServer> {
  const { options } = input;
  const opened: (() => Promise<void> | void)[] = [];
  const closeAll = async (): Promise<void> => {
    for (const close of opened.splice(0).reverse()) await close();
  };
  try {
    const clock = input.clock ?? clockOf(input.environment);
    const dataDir = prepareDataDir(options.dataDir);
    const lock = lockDataDir(dataDir);
    opened.push(lock.release);
    const files = openLogFiles(join(dataDir, 'log'));
    opened.push(files.close);
    const log = createLog({ sinks: [input.logSink, files.sink], now: clock.now });
    log.info('starting', { version: productVersion, pid: process.pid, dataDir, node: process.version });
    if (lock.takenOver)
      log.warn('a dead process has left its lock; it was taken over', { owner: lock.takenOver });

    const database = await openDatabaseOf(options, dataDir, log);
    opened.push(database.close);
    const app = makeFastify(options, log);
    const stopping = new AbortController();
    const built = await build(app, {
      database,
      clock,
      log,
      dataDir,
      version: productVersion,
      secure: options.tls !== null,
      loopbackOnly: isLoopbackHost(options.host),
      launchSecret: input.launchSecret,
      stopping: stopping.signal,
      ...(options.scratchDir === null ? {} : { scratchDir: resolve(options.scratchDir) }),
      ...(options.tasksAtOnce === null ? {} : { tasksAtOnce: options.tasksAtOnce }),
    });
    await ensureFirstSuperuser({ ...built.features, environment: input.environment });
    await built.start();
    opened.push(built.stop);
    const port = await listen(app, options, log);
    opened.push(() => app.close());
    opened.push(() => stopping.abort());
    const url = addressOf(options, port);
    log.info('ready', { url });
    return {
      url,
      version: productVersion,
      log,
      superuser: await built.firstSuperuserName(),
      built,
      stop: async () => {
        log.info('stopping');
        await built.prepareStop();
        await closeAll();
      },
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

async function openDatabaseOf(options: Options, dataDir: string, log: Log): Promise<OpenDatabase> {
  const place: DatabasePlace =
    options.databaseUrl === null
      ? { kind: 'sqlite', path: join(dataDir, 'strongroom.db') }
      : { kind: 'postgres', url: options.databaseUrl };
  const where = place.kind === 'sqlite' ? place.path : 'of --database-url';
  try {
    if (place.kind === 'sqlite') await keepPrivate(place.path);
    return await openDatabase(place, {
      onIdleError: (error) => log.warn('a database connection was lost', { error }),
    });
  } catch (error) {
    if (error instanceof DatabaseUnusable)
      throw new DatabaseUnusable(`${where}: ${error.message}`, { cause: error });
    const reason = errorCode(error) === '' ? messageOf(error) : `${errorCode(error)}: ${messageOf(error)}`;
    throw new DatabaseUnusable(`the database ${where} cannot be used: ${reason}`, { cause: error });
  }
}

/** The database holds password hashes: whatever the folder allows, others may not read it. */
async function keepPrivate(path: string): Promise<void> {
  const file = await open(path, 'a', 0o600);
  try {
    await file.chmod(0o600);
  } finally {
    await file.close();
  }
}

function makeFastify(options: Options, log: Log): FastifyInstance {
  try {
    return createFastify({ tls: options.tls, log });
  } catch (error) {
    throw new BadOption(`--tls-cert and --tls-key do not make a usable pair: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

function addressOf(options: Options, port: number): string {
  const scheme = options.tls ? 'https' : 'http';
  const everywhere = options.host === '0.0.0.0' || options.host === '::';
  const host = everywhere ? '127.0.0.1' : options.host;
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}${apiPrefix}`;
}
