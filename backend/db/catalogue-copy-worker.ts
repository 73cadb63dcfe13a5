import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { DatabaseSync } from '@photostructure/sqlite';
import { syncDirectorySync } from '../platform/files.ts';
import { errorCode } from '../platform/native.ts';

export interface CatalogueCopyInput {
  readonly source: string;
  /** A file that is not there. */
  readonly target: string;
}

export interface CatalogueCopyResult {
  readonly bytes: number;
}

const { source, target } = workerData as CatalogueCopyInput;
const unfinished = `${target}.part`;

/** It holds password hashes: nobody else may read it, at no moment. */
function makePrivate(): void {
  closeSync(openSync(unfinished, 'wx', 0o600));
}

function copy(): void {
  const database = new DatabaseSync(source);
  try {
    database.exec('pragma busy_timeout = 30000');
    // One read transaction, so the copy is of one moment, with all that was committed until then.
    database.prepare('vacuum into ?').run(unfinished);
  } finally {
    database.close();
  }
}

function check(): void {
  const database = new DatabaseSync(unfinished, { readOnly: true });
  try {
    const found = Object.values(database.prepare('pragma quick_check(1)').get() ?? {})[0];
    if (found !== 'ok') throw new Error(`the copy is damaged: ${String(found)}`);
  } finally {
    database.close();
  }
}

/** A rename would silently replace what has come there meanwhile; where the disk knows no links, it is looked for at least. */
function nameIt(): void {
  try {
    linkSync(unfinished, target);
    rmSync(unfinished);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') throw error;
    if (existsSync(target)) throw Object.assign(new Error(`${target} exists`), { code: 'EEXIST' });
    renameSync(unfinished, target);
  }
}

function keep(): number {
  const file = openSync(unfinished, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  nameIt();
  syncDirectorySync(dirname(target));
  return statSync(target).size;
}

try {
  makePrivate();
  copy();
  check();
  const result: CatalogueCopyResult = { bytes: keep() };
  parentPort?.postMessage(result);
} catch (error) {
  rmSync(unfinished, { force: true });
  throw error;
}
