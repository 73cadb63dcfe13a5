import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

/** Which process it is: a pid alone is used again by the system, pid and start time are not. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly host: string;
  /** Start time in clock ticks since boot, with the name of the boot; `null` where the system does not tell. */
  readonly started: string | null;
}

export function ownIdentity(): ProcessIdentity {
  return { pid: process.pid, host: hostname(), started: startOf(process.pid) };
}

/**
 * Is this very process still running on this host?
 * `unknown`: the pid is in use and the system does not tell since when, or it is another host's.
 */
export function isRunning(identity: ProcessIdentity): 'yes' | 'no' | 'unknown' {
  if (identity.host !== hostname()) return 'unknown';
  if (!pidInUse(identity.pid)) return 'no';
  const started = startOf(identity.pid);
  if (started === null || identity.started === null) return 'unknown';
  return started === identity.started ? 'yes' : 'no';
}

function pidInUse(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The command's name may hold blanks and brackets; fields are counted after its closing bracket.
    const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
    return ticks === undefined ? null : `${boot}:${ticks}`;
  } catch {
    // No /proc on this system, or the process has just ended.
    return null;
  }
}
