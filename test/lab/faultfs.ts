import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';

const source = join(import.meta.dirname, 'faultfs.c');
const cache = join(import.meta.dirname, '..', '..', '.cache', 'lab');

export type FaultOp = 'write' | 'pwrite' | 'fsync' | 'fdatasync' | 'rename' | 'unlink' | 'ftruncate';

export interface Fault {
  /** Only files whose path contains this. */
  readonly path: string;
  readonly ops?: readonly FaultOp[];
  /** The call that meets the fault, from 1; 0 only counts. */
  readonly at: number;
  readonly mode?: 'kill' | 'torn' | 'short' | 'EIO' | 'ENOSPC' | 'lie';
  /** Every call from `at` on, not only that one. */
  readonly sticky?: boolean;
  /** Only calls of the first thread of the process, or of all others. */
  readonly thread?: 'main' | 'others';
  /** A file to which the number of calls counted is appended when the process exits by itself. */
  readonly log?: string;
}

/** Why file calls cannot be made to fail here; null when they can. */
export function whyNoFaults(): string | null {
  if (process.platform !== 'linux') return 'file calls are made to fail through LD_PRELOAD';
  try {
    execFileSync('gcc', ['--version'], { stdio: 'ignore' });
    return null;
  } catch {
    return 'there is no gcc';
  }
}

/** The environment that makes a process meet the fault; give it to `spawn` together with the usual one. */
export function faultEnv(fault: Fault): Record<string, string> {
  return {
    LD_PRELOAD: buildFaultfs(),
    FAULT_PATH: fault.path,
    FAULT_N: String(fault.at),
    FAULT_MODE: fault.mode ?? 'kill',
    ...(fault.ops === undefined ? {} : { FAULT_OPS: fault.ops.join(',') }),
    ...(fault.sticky === true ? { FAULT_STICKY: '1' } : {}),
    ...(fault.thread === undefined ? {} : { FAULT_THREAD: fault.thread }),
    ...(fault.log === undefined ? {} : { FAULT_LOG: fault.log }),
  };
}

/** Compiles the library once per version of its source and gives its path. */
export function buildFaultfs(): string {
  const version = createHash('sha256').update(readFileSync(source)).digest('hex').slice(0, 16);
  const library = join(cache, `faultfs-${version}.so`);
  if (existsSync(library)) return library;
  mkdirSync(cache, { recursive: true });
  // By a rename, since several test processes may compile at once.
  const own = `${library}.${process.pid}`;
  execFileSync('gcc', ['-shared', '-fPIC', '-O2', '-Wall', '-Werror', '-o', own, source, '-ldl']);
  renameSync(own, library);
  return library;
}
