import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loginAt } from './backend.ts';
import { type Caller, type Queue, queueOf } from './queue.ts';

/** For a backend whose clock reads the file `clock` of this folder. */
export function clockEnv(folder: string): { readonly STRONGROOM_CLOCK_FILE: string } {
  return { STRONGROOM_CLOCK_FILE: join(folder, 'clock') };
}

/** How far that clock is ahead of this one. */
export async function setClock(folder: string, aheadMs: number): Promise<void> {
  await writeFile(join(folder, 'clock.new'), String(aheadMs));
  await rename(join(folder, 'clock.new'), join(folder, 'clock'));
}

/**
 * Signed in anew for each call: a session ends while hours go by, even between the login and the call, as the backend reads
 * its clock only now and then.
 */
export function queueThroughTime(url: string, password: string): Queue {
  const callOnce: Caller = async (...call) => (await loginAt(url, 'admin', password))(...call);
  return queueOf(async (...call) => {
    const reply = await callOnce(...call);
    return reply.status === 401 ? callOnce(...call) : reply;
  });
}
