import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const pollMs = 100;

/**
 * Runs `work` while holding the lock file: one process at a time installs, builds or unpacks. A lock left by a dead process
 * is taken over. `onWait` is told once, with the holder's pid, when somebody else is at it.
 */
export async function withLock(path, work, onWait = () => {}) {
  mkdirSync(dirname(path), { recursive: true });
  const own = `${path}.${process.pid}`;
  writeFileSync(own, String(process.pid));
  let told = false;
  try {
    while (!tryTake(own, path)) {
      const holder = readHolder(path);
      if (holder !== undefined && !isAlive(holder)) {
        dropDeadLock(path, holder);
        continue;
      }
      if (!told) onWait(holder);
      told = true;
      await delay(pollMs);
    }
  } finally {
    rmSync(own, { force: true });
  }
  try {
    return await work();
  } finally {
    rmSync(path, { force: true });
  }
}

function tryTake(own, path) {
  try {
    linkSync(own, path); // a link appears whole, with the pid in it, or not at all
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

function readHolder(path) {
  try {
    return Number(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return undefined; // released since; the next try takes it
    throw error;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Moves the lock away first: when two waiters see the same dead holder, only what still names it is dropped. */
function dropDeadLock(path, holder) {
  const aside = `${path}.dead.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if (error.code === 'ENOENT') return; // another waiter was first
    throw error;
  }
  if (readHolder(aside) !== holder) tryTake(aside, path);
  rmSync(aside, { force: true });
}
