import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { errorCode } from './native.ts';

/** A killed process is listed until the system has taken it apart. */
const againAfterMs = 10;
const mostRounds = 100;
/** Of a process that is gone or belongs to somebody else; or there is no such list here (this is not Linux). */
const notOurs = ['ENOENT', 'ESRCH', 'EACCES', 'EPERM'];

/** Sends a signal to every process in whose environment `mark` (`NAME=value`) stands; answers how many there are. */
export async function signalMarked(mark: string, signal: NodeJS.Signals): Promise<number> {
  let found = 0;
  for (const pid of await processes()) {
    if (!(await isMarked(pid, mark))) continue;
    found += 1;
    orNothing(() => process.kill(pid, signal));
  }
  return found;
}

/** Ends them all, also those that they begin meanwhile. One that hangs in the kernel is waited for no longer than a second or two. */
export async function endMarked(mark: string): Promise<void> {
  for (let round = 0; round < mostRounds; round += 1) {
    if ((await signalMarked(mark, 'SIGKILL')) === 0) return;
    await pause(againAfterMs);
  }
}

async function processes(): Promise<readonly number[]> {
  try {
    const names = await readdir('/proc');
    return names
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((pid) => pid !== process.pid);
  } catch (error) {
    if (notOurs.includes(errorCode(error))) return [];
    throw error;
  }
}

/** By what it was begun with: what it changes later in its own memory does not count. */
async function isMarked(pid: number, mark: string): Promise<boolean> {
  try {
    const environment = await readFile(`/proc/${pid}/environ`, 'latin1');
    return environment.split('\0').includes(mark);
  } catch (error) {
    if (notOurs.includes(errorCode(error))) return false;
    throw error;
  }
}

function orNothing(act: () => void): void {
  try {
    act();
  } catch (error) {
    if (!notOurs.includes(errorCode(error))) throw error;
  }
}
