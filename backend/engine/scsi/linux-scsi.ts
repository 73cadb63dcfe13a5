import { access, readdir, readFile, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errorCode } from '../../platform/native.ts';
import type { FoundChanger, FoundDevices, FoundDrive, LibraryDriver } from '../device.ts';
import { deviceType } from './inquiry.ts';
import type { SgCalls } from './sg/sg-calls.ts';
import { openSgTransport } from './sg/sg-transport.ts';
import { openUnit, unitOpeners } from './target.ts';

/** Device types of SCSI that matter here, as sysfs writes them. */
const tapeType = String(deviceType.tape);
const changerType = String(deviceType.changer);

interface ScsiNode {
  readonly type: string;
  readonly path: string;
  readonly stPath: string | null;
  readonly vendor: string;
  readonly model: string;
  readonly serial: string;
  /** `host:channel:target:lun`. */
  readonly address: string;
}

/** Other than the system's own in tests. */
export interface LinuxScsiOptions {
  /** `/sys`. */
  readonly sysRoot?: string;
  /** `/dev`. */
  readonly devRoot?: string;
  /** The call into the kernel. */
  readonly calls?: SgCalls;
}

/**
 * Robots and drives behind Linux's SCSI generic nodes. The scan reads sysfs only, so it disturbs no device and needs no
 * rights. To open one the server has to be allowed to read and write its node.
 */
export function createLinuxScsiDriver(options: LinuxScsiOptions = {}): LibraryDriver {
  const sysRoot = options.sysRoot ?? '/sys';
  const devRoot = options.devRoot ?? '/dev';
  return {
    kind: 'linux-scsi',
    scan: async (signal) => pair(await readNodes(sysRoot, devRoot, signal)),
    owns: (path) => isSgPath(path, devRoot),
    isThere: async (path) => {
      try {
        await access(join(sysRoot, 'class/scsi_generic', basename(path)));
        return true;
      } catch {
        // Gone or not readable: either way it cannot be used now.
        return false;
      }
    },
    ...unitOpeners(async (path, type, signal) =>
      openUnit(await openSgTransport(path, options.calls), { lun: 0, path, type }, signal),
    ),
  };
}

/** A node of SCSI generic, by its form alone. */
export function isSgPath(path: string, devRoot = '/dev'): boolean {
  return dirname(path) === devRoot && /^sg\d+$/.test(basename(path));
}

async function readNodes(
  sysRoot: string,
  devRoot: string,
  signal: AbortSignal,
): Promise<readonly ScsiNode[]> {
  const folder = join(sysRoot, 'class/scsi_generic');
  const names = await readdir(folder).catch((error: unknown) => {
    // Without the kernel's SCSI layer (and on other systems) there are no such devices.
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return [];
    throw error;
  });
  const nodes: ScsiNode[] = [];
  for (const name of names.filter((entry) => /^sg\d+$/.test(entry)).sort(byNumber)) {
    signal.throwIfAborted();
    const node = await readNode(join(folder, name, 'device'), join(devRoot, name), devRoot);
    if (node) nodes.push(node);
  }
  return nodes;
}

/** Null for devices of other types and for one that went away while it was read. */
async function readNode(folder: string, path: string, devRoot: string): Promise<ScsiNode | null> {
  const type = await attribute(folder, 'type');
  if (type !== tapeType && type !== changerType) return null;
  const tapes = await readdir(join(folder, 'scsi_tape')).catch(() => [] as string[]);
  const st = tapes.find((name) => /^st\d+$/.test(name));
  return {
    type,
    path,
    stPath: st === undefined ? null : join(devRoot, st),
    vendor: await attribute(folder, 'vendor'),
    model: await attribute(folder, 'model'),
    serial: await readSerial(folder),
    address: basename(await realpath(folder).catch(() => '')),
  };
}

async function attribute(folder: string, name: string): Promise<string> {
  const text = await readFile(join(folder, name), 'latin1').catch(() => '');
  return printable(text);
}

/** Page 80h of the vital product data: four bytes of head, then the serial number, filled up with blanks. */
async function readSerial(folder: string): Promise<string> {
  const page = await readFile(join(folder, 'vpd_pg80')).catch(() => Buffer.alloc(0));
  if (page.length < 4) return '';
  return printable(page.subarray(4, 4 + page.readUInt16BE(2)).toString('latin1'));
}

/** What a device says about itself is only text when it is printable ASCII. */
function printable(text: string): string {
  return text.replace(/[^ -~]/g, '').trim();
}

/**
 * A robot is usually a further unit of the target of one of its drives; drives on the same host adapter as the only robot
 * there belong to it too. Nothing else is guessed.
 */
function pair(nodes: readonly ScsiNode[]): FoundDevices {
  const robots = nodes.filter(({ type }) => type === changerType);
  const changerOf = (drive: ScsiNode): string | null => {
    const sameTarget = robots.filter((robot) => targetOf(robot) === targetOf(drive));
    const sameHost = robots.filter((robot) => hostOf(robot) === hostOf(drive));
    const candidates = sameTarget.length > 0 ? sameTarget : sameHost;
    return candidates.length === 1 && drive.address !== '' ? (candidates[0]?.path ?? null) : null;
  };
  const drives: FoundDrive[] = nodes
    .filter(({ type }) => type === tapeType)
    .map((drive) => ({
      path: drive.path,
      stPath: drive.stPath,
      vendor: drive.vendor,
      model: drive.model,
      serial: drive.serial,
      changerPath: changerOf(drive),
    }));
  const changers: FoundChanger[] = robots.map(({ path, vendor, model, serial }) => {
    const own = drives.filter(({ changerPath }) => changerPath === path).length;
    return { path, vendor, model, serial, slotsCount: null, drivesCount: own };
  });
  return { changers, drives };
}

const targetOf = ({ address }: ScsiNode): string => address.split(':').slice(0, 3).join(':');
const hostOf = ({ address }: ScsiNode): string => address.split(':')[0] ?? '';

function byNumber(left: string, right: string): number {
  return Number(left.slice(2)) - Number(right.slice(2));
}
