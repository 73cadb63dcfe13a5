import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { CatalogueCopy } from '../../../contract/catalogue-copy/catalogue-copy.ts';
import { copyDatabaseFile, type Db, type Dialect, databaseFile, isDiskFull } from '../../db/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { invalidField, messageOf, Refusal } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import { errorCode } from '../../platform/native.ts';
import { toWireTime } from '../../platform/wire-time.ts';

/** Small catalogues are copied by then, and the answer is the end; a big one goes on after it. */
const answeredAfterMs = 5_000;

const none: CatalogueCopy = {
  status: 'none',
  path: null,
  size: null,
  started: null,
  finished: null,
  error_message: null,
};

export type CatalogueCopyService = ReturnType<typeof createCatalogueCopyService>;

/** Copies of the server's own catalogue, one at a time. The key of the data directory is not part of them. */
export function createCatalogueCopyService(deps: {
  readonly db: Db;
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly log: Log;
  readonly copyFile?: typeof copyDatabaseFile;
}) {
  const { db, dialect, clock, log } = deps;
  const copyFile = deps.copyFile ?? copyDatabaseFile;
  let last = none;

  const run = async (source: string, path: string): Promise<void> => {
    try {
      const size = await copyFile(source, path);
      last = { ...last, status: 'done', size, finished: toWireTime(clock.now()) };
      log.info('the catalogue was copied', { path, size });
    } catch (error) {
      log.warn('the catalogue could not be copied', { path, error });
      const error_message = failureText(error, path);
      last = { ...last, status: 'failed', finished: toWireTime(clock.now()), error_message };
    }
  };

  return {
    last: (): CatalogueCopy => last,

    make: async (folder: string): Promise<CatalogueCopy> => {
      const source = dialect.fileCheck ? await databaseFile(db) : null;
      if (source === null) throw notAFile();
      if (last.status === 'running') {
        throw new Refusal('state.notAllowed', {
          message: `The catalogue is being copied to ${last.path} already. Wait until that is done.`,
        });
      }
      await refuseUnusable(folder);
      const started = toWireTime(clock.now());
      const path = join(folder, `strongroom-catalogue-${started.replaceAll(':', '-').slice(0, 19)}.db`);
      last = { ...none, status: 'running', path, started };
      const stop = new AbortController();
      const early = wait(answeredAfterMs, undefined, { signal: stop.signal, ref: false }).catch(
        () => undefined,
      );
      await Promise.race([run(source, path), early]);
      stop.abort();
      if (last.status === 'failed') {
        throw new Refusal('state.notAllowed', { message: last.error_message ?? 'The copy failed.' });
      }
      return last;
    },
  };
}

function notAFile(): Refusal {
  return new Refusal('feature.notAvailable', {
    message:
      'The catalogue of this server is no file of its own but a database of PostgreSQL: copy it with pg_dump, together with the data directory.',
  });
}

async function refuseUnusable(folder: string): Promise<void> {
  try {
    const found = await stat(folder);
    if (!found.isDirectory()) throw invalidField('folder', 'is not a folder; name one that is there');
    await access(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw invalidField('folder', reasonOf(error));
  }
}

function reasonOf(error: unknown): string {
  switch (errorCode(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
      return 'does not exist on the server; make it first, or name another';
    case 'EACCES':
    case 'EPERM':
      return 'cannot be written by the server; give it the right to, or name another';
    case 'EROFS':
      return 'is on a disk that cannot be written; name another';
    default:
      return `cannot be used: ${messageOf(error)}`;
  }
}

function failureText(error: unknown, path: string): string {
  if (isDiskFull(error))
    return `There is no room for ${path}. Free some space there, or name another folder.`;
  if (errorCode(error) === 'EEXIST') return `${path} is there already. Try again in a second.`;
  return `${path} could not be written: ${messageOf(error)}. Nothing is left of it.`;
}
