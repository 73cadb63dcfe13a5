import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { blockDeviceOf, deviceText, mountSource } from '../../../backend/platform/device-of.ts';
import {
  type HostCounters,
  parseLinuxCounters,
  readLinuxCounters,
} from '../../../backend/platform/host-load.ts';
import { createLoadHistory } from '../../../backend/platform/load-history.ts';

const counters = (busyTicks: number, allTicks: number, reads = 0, writes = 0): HostCounters => ({
  busyTicks,
  allTicks,
  devices: new Map([['8:0', { reads, writes }]]),
});

/** A history that is fed one look at a time. */
function fedHistory() {
  let atMs = 0;
  let next: HostCounters | null = null;
  const history = createLoadHistory({
    clock: { now: () => 0, monotonic: () => atMs },
    read: async () => next,
  });
  const look = async (at: number, value: HostCounters | null) => {
    atMs = at;
    next = value;
    await history.sample();
  };
  return { history, look };
}

describe('the counters of this host', () => {
  it('are read from the texts of Linux; waiting for a disk is no work', () => {
    const stat = 'cpu  100 5 50 800 40 0 3 2 7 0\ncpu0 1 1 1 1\nintr 5\n';
    const disks =
      '   8       0 sda 11 0 90 4 22 0 33 1 0 1 1\n 259       1 nvme0n1p1 5 0 0 0 6 0 0 0 0 0 0\n';
    expect(parseLinuxCounters(stat, disks)).toEqual({
      busyTicks: 160,
      allTicks: 1000,
      devices: new Map([
        ['8:0', { reads: 11, writes: 22 }],
        ['259:1', { reads: 5, writes: 6 }],
      ]),
    });
    expect(parseLinuxCounters('nothing', '')).toBeNull();
  });

  it.runIf(process.platform === 'linux')(
    'are there on Linux, with processors that do something',
    async () => {
      const read = await readLinuxCounters();
      expect(read?.busyTicks).toBeGreaterThan(0);
      expect(read?.allTicks).toBeGreaterThan(read?.busyTicks ?? 0);
    },
  );
});

describe('the history of the load', () => {
  it('averages over the period alone', async () => {
    const { history, look } = fedHistory();
    await look(0, counters(0, 0));
    await look(50_000, counters(4_000, 5_000, 1_000, 0));
    await look(60_000, counters(4_100, 6_000, 1_050, 200));
    const load = (seconds: number) => {
      const over = history.over(seconds);
      if (over.kind !== 'measured') throw new Error(over.kind);
      return { cpu: over.averages.cpuPercent, ...over.averages.devices.get('8:0') };
    };
    expect(load(10)).toEqual({ cpu: 10, readsPerSecond: 5, writesPerSecond: 20 });
    expect(load(60)).toMatchObject({ readsPerSecond: 17.5 });
    // What is not known of a longer period is left out.
    expect(load(3600)).toEqual(load(60));
  });

  it('has no average of a single look, of counters that began anew, or of a host that tells nothing', async () => {
    const { history, look } = fedHistory();
    expect(history.over(60).kind).toBe('unmeasured');
    await look(0, counters(50, 100));
    expect(history.over(60).kind).toBe('unmeasured');
    await look(1_000, counters(1, 2));
    expect(history.over(60).kind).toBe('unmeasured');
    await look(2_000, null);
    expect(history.over(60).kind).toBe('untold');
  });

  it('keeps an hour in a bounded number of samples', async () => {
    const { history, look } = fedHistory();
    for (let second = 0; second <= 8_000; second += 1)
      await look(second * 1_000, counters(second, 2 * second, second));
    expect(history.size()).toBeLessThan(500);
    for (const period of [1, 60, 3600]) {
      const over = history.over(period);
      expect(over.kind === 'measured' && over.averages.cpuPercent).toBe(50);
    }
  });
});

describe('the device below a folder', () => {
  it('is named by the numbers of its device', () => {
    expect(deviceText(0x0801)).toBe('8:1');
    expect(deviceText(0x10301)).toBe('259:1');
    expect(deviceText(0x100834)).toBe('8:308');
  });

  it('is found in the mount table where the file system has a number of its own', () => {
    const table =
      '36 1 0:33 /sub /data rw - btrfs /dev/sdb1 rw\n37 1 0:34 / /run rw shared:1 master:2 - tmpfs tmpfs rw\n';
    expect(mountSource(table, '0:33')).toBe('/dev/sdb1');
    expect(mountSource(table, '0:34')).toBeNull();
  });

  it.runIf(process.platform === 'linux')('is one that the kernel counts, or unknown', async () => {
    const device = await blockDeviceOf(tmpdir());
    if (device === null) expect(deviceText((await stat(tmpdir())).dev)).toMatch(/^0:/);
    else expect((await readLinuxCounters())?.devices.has(device)).toBe(true);
    expect(await blockDeviceOf('/not/there')).toBeNull();
  });
});
