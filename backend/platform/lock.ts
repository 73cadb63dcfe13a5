import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { isRunning, ownIdentity, type ProcessIdentity } from './process-identity.ts';

/** Another process works in the data directory. */
export class DataDirInUse extends Error {
  override readonly name = 'DataDirInUse';
}

export interface DataDirLock {
  /** What a dead owner has left behind, for the log. */
  readonly takenOver: ProcessIdentity | null;
  release(): void;
}

/**
 * One backend for one data directory.
 *
 * Two locks together. `lock.db` is held by the operating system for as long as the process lives (through
 * SQLite's file locks, which exist everywhere): it is gone the moment the owner dies, so nothing stale can stay.
 * `lock.json` says who the owner is, for the message, and guards file systems whose locks do nothing: an owner
 * who is still running (pid and start time) keeps the directory, a recycled pid does not.
 */
export function lockDataDir(dataDir: string): DataDirLock {
  const ownerFile = join(dataDir, 'lock.json');
  const held = acquire(join(dataDir, 'lock.db'));
  if (!held) {
    const owner = readOwner(ownerFile);
    throw new DataDirInUse(
      `the data directory ${dataDir} is in use by ${owner ? `process ${ownerText(owner)}` : 'another process'}: stop it, or choose another --data-dir`,
    );
  }
  const previous = readOwner(ownerFile);
  if (previous && previous.pid !== process.pid && isRunning(previous) === 'yes') {
    held.close();
    throw new DataDirInUse(
      `the data directory ${dataDir} is in use by process ${ownerText(previous)}: stop it, or choose another --data-dir`,
    );
  }
  writeFileSync(ownerFile, `${JSON.stringify({ ...ownIdentity(), since: new Date().toISOString() })}\n`, {
    mode: 0o600,
  });
  return {
    takenOver: previous,
    release: () => {
      rmSync(ownerFile, { force: true });
      held.close();
    },
  };
}

interface Held {
  close(): void;
}

function acquire(path: string): Held | null {
  const file = new DatabaseSync(path);
  try {
    file.exec(
      'pragma busy_timeout = 0; pragma locking_mode = exclusive; pragma journal_mode = memory; begin exclusive;',
    );
    return file;
  } catch (error) {
    file.close();
    if (/locked|busy/i.test(String(error))) return null;
    throw error;
  }
}

/** The owner writes the file right after it has the lock, so a file that is not there yet means "just starting". */
function readOwner(path: string): ProcessIdentity | null {
  try {
    const owner: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isIdentity(owner) ? owner : null;
  } catch {
    // Missing or cut short: the lock itself counts, the name is only for the message.
    return null;
  }
}

function isIdentity(value: unknown): value is ProcessIdentity {
  if (typeof value !== 'object' || value === null) return false;
  const { pid, host, started } = value as Record<string, unknown>;
  return (
    Number.isSafeInteger(pid) &&
    Number(pid) > 0 &&
    typeof host === 'string' &&
    (typeof started === 'string' || started === null)
  );
}

function ownerText(owner: ProcessIdentity): string {
  const { since } = owner as ProcessIdentity & { since?: unknown };
  const age = typeof since === 'string' && !Number.isNaN(Date.parse(since)) ? ` since ${since}` : '';
  return `${owner.pid} on ${owner.host}${age}`;
}
