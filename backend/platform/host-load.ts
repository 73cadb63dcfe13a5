import { readFile } from 'node:fs/promises';

/** Counters since the host started, at one moment. They only grow (until the host starts again). */
export interface HostCounters {
  /** Ticks of all processors that were busy, and all their ticks. */
  readonly busyTicks: number;
  readonly allTicks: number;
  /** Finished reads and writes, by `major:minor` of the device. */
  readonly devices: ReadonlyMap<string, { readonly reads: number; readonly writes: number }>;
}

/** Null where the system does not tell. */
export type ReadHostCounters = () => Promise<HostCounters | null>;

/** Figures averaged over a period. */
export interface HostAverages {
  readonly cpuPercent: number;
  /** Operations in a second, by `major:minor`. */
  readonly devices: ReadonlyMap<
    string,
    { readonly readsPerSecond: number; readonly writesPerSecond: number }
  >;
}

/** The counters of Linux. */
export async function readLinuxCounters(): Promise<HostCounters | null> {
  if (process.platform !== 'linux') return null;
  try {
    const [stat, disks] = await Promise.all([
      readFile('/proc/stat', 'latin1'),
      readFile('/proc/diskstats', 'latin1'),
    ]);
    return parseLinuxCounters(stat, disks);
  } catch {
    // A container may hide these files: then there are no figures, and limits on them cannot be judged.
    return null;
  }
}

/** Texts of `/proc/stat` and `/proc/diskstats`. Pure. */
export function parseLinuxCounters(stat: string, disks: string): HostCounters | null {
  const line = /^cpu +([\d ]+)$/m.exec(stat)?.[1];
  if (line === undefined) return null;
  // user, nice, system, idle, iowait, irq, softirq, steal; guest time is part of user time already.
  const ticks = line.trim().split(/ +/).slice(0, 8).map(Number);
  const allTicks = ticks.reduce((sum, part) => sum + part, 0);
  const idleTicks = (ticks[3] ?? 0) + (ticks[4] ?? 0);
  const devices = disks.split('\n').flatMap((row) => {
    const [major, minor, , reads, , , , writes] = row.trim().split(/ +/);
    if (major === undefined || minor === undefined || writes === undefined) return [];
    return [[`${major}:${minor}`, { reads: Number(reads), writes: Number(writes) }] as const];
  });
  return { busyTicks: allTicks - idleTicks, allTicks, devices: new Map(devices) };
}

/** Between two looks at the counters; null when no time has passed or the counters began anew. Pure. */
export function averageBetween(
  earlier: { readonly atMs: number; readonly counters: HostCounters },
  later: { readonly atMs: number; readonly counters: HostCounters },
): HostAverages | null {
  const seconds = (later.atMs - earlier.atMs) / 1000;
  const ticks = later.counters.allTicks - earlier.counters.allTicks;
  if (seconds <= 0 || ticks <= 0) return null;
  const busy = Math.max(0, later.counters.busyTicks - earlier.counters.busyTicks);
  const devices = [...later.counters.devices].flatMap(([device, now]) => {
    const before = earlier.counters.devices.get(device);
    if (before === undefined) return [];
    const perSecond = (to: number, from: number) => Math.max(0, to - from) / seconds;
    const readsPerSecond = perSecond(now.reads, before.reads);
    return [[device, { readsPerSecond, writesPerSecond: perSecond(now.writes, before.writes) }] as const];
  });
  return { cpuPercent: Math.min(100, (busy / ticks) * 100), devices: new Map(devices) };
}
