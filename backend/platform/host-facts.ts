import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname, type NetworkInterfaceInfo, networkInterfaces, platform, release, type } from 'node:os';

/** What the backend knows about the host that it runs on. */
export interface HostFacts {
  readonly hostname: string;
  readonly ipv4: string | null;
  readonly ipv6: string | null;
  readonly mac: string | null;
  readonly osType: 'linux' | 'windows';
  readonly osDistribution: string;
}

export function readHostFacts(): HostFacts {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const outward = addresses.filter((address) => !address.internal);
  // A host without a network is still reachable from itself.
  const known = outward.length > 0 ? outward : addresses;
  const ofFamily = (family: string): NetworkInterfaceInfo | undefined =>
    known.find((address) => address.family === family && !address.address.startsWith('fe80:')) ??
    known.find((address) => address.family === family);
  const ipv4 = ofFamily('IPv4');
  const ipv6 = ofFamily('IPv6');
  return {
    hostname: hostname() || 'localhost',
    ipv4: ipv4?.address ?? null,
    ipv6: ipv6?.address ?? null,
    mac: (ipv4 ?? ipv6)?.mac ?? null,
    osType: platform() === 'win32' ? 'windows' : 'linux',
    osDistribution: osDistribution(),
  };
}

function osDistribution(): string {
  try {
    const name = /^PRETTY_NAME="?([^"\n]{1,200})"?$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1];
    if (name) return name;
  } catch {
    // Not every system has the file: the kernel's own name says enough then.
  }
  return `${type()} ${release()}`;
}

/** 16 hexadecimal digits that stay the same for this machine; random where the machine has no identity of its own. */
export function readHwid(): string {
  try {
    const machineId = readFileSync('/etc/machine-id', 'utf8').trim();
    if (/^[0-9a-f]{32}$/.test(machineId)) {
      // The machine's id itself is confidential, so only a hash of it leaves the host.
      return createHash('sha256').update(`strongroom ${machineId}`).digest('hex').slice(0, 16);
    }
  } catch {
    // Systems without systemd have no such file.
  }
  return randomBytes(8).toString('hex');
}
