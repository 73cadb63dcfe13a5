import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type WorkContext, type WorkEnd, WorkStopped } from '../../jobs/index.ts';
import { ProcessError, runProcess } from '../../platform/process-runner.ts';
import { readPostgresAddress, serverName } from '../postgres-address.ts';
import { findPostgresProgram } from '../postgres-programs.ts';

/** The largest data directories take hours to read. */
const checkTimeoutMs = 24 * 3_600_000;
const mostLines = 100;

/**
 * Lets PostgreSQL's own program compare the restored data directory with the manifest that the server gave with the
 * backup. Null: all is as it was, or the program is not there, which the log says.
 */
export async function checkDataDirectory(context: WorkContext, folder: string): Promise<WorkEnd | null> {
  const version = (await readFile(join(folder, 'PG_VERSION'), 'utf8').catch(() => '')).trim();
  const program = await findPostgresProgram('pg_verifybackup', version);
  const line = (level: 'info' | 'warning' | 'error', text: string) => context.log('client', level, text);
  if (program === null) {
    line(
      'info',
      `pg_verifybackup of version ${version} is not installed here, so it did not look at ${folder}.`,
    );
    return null;
  }
  const stop = new AbortController();
  // A task that is this far can be killed, but not paused.
  context.attach({ pause: () => undefined, resume: () => undefined, stop: () => stop.abort() });
  try {
    await runProcess({
      program,
      // The log is read by the server itself when it starts.
      args: ['--no-parse-wal', '--quiet', folder],
      expected: [0],
      timeoutMs: checkTimeoutMs,
      signal: stop.signal,
    });
    line('info', `pg_verifybackup found ${folder} as the server wrote it.`);
    return null;
  } catch (error) {
    if (!(error instanceof ProcessError)) throw error;
    if (error.reason === 'cancelled') throw new WorkStopped();
    for (const told of error.message.split('\n').slice(0, mostLines)) line('error', told);
    return {
      kind: 'error',
      message: `pg_verifybackup found the data directory ${folder} different from what the server wrote; do not start a server on it. The client's log has the details.`,
    };
  }
}

/** Where the data directory is: the folder itself, or one in it with the name of the copy. */
export function dataDirectoryOf(
  resource: string,
  input: { readonly destination: string; readonly deployInto: boolean; readonly newName: string | null },
): string {
  if (input.deployInto) return input.destination;
  const look = readPostgresAddress(resource);
  const name = input.newName ?? (look.kind === 'good' ? serverName(look.address) : '');
  return join(input.destination, name);
}
