import type { FoundChanger, FoundDevices, FoundDrive, LibraryDriver } from '../../device.ts';
import { DeviceError } from '../../device-error.ts';
import { createScsiChanger } from '../changer/changer.ts';
import { createScsiDrive } from '../drive/drive.ts';
import { deviceType, inquire, readSerial, reportLuns, type UnitIdentity } from '../inquiry.ts';
import { senseOf } from '../sense-words.ts';
import type { ScsiTransport } from '../transport.ts';
import { createUnit, type ScsiUnit } from '../unit.ts';
import { openConnection, portalName } from './connection.ts';
import { formatIscsiPath, type IscsiPath, parseIscsiPath } from './device-path.ts';
import { createIscsiTransport, discoverTargets, type IscsiOptions, type IscsiPortal } from './initiator.ts';

export interface IscsiDriverOptions extends IscsiOptions {
  /** Where to look; nothing else is ever connected to. */
  readonly portals: () => Promise<readonly IscsiPortal[]>;
  /** A portal or target that a scan leaves out, and why. */
  readonly onLeftOut?: (where: string, error: unknown) => void;
}

const kind = 'iscsi';
/** A scan does not wait long for what is switched off. */
const scanLoginMs = 8_000;
const isThereMs = 1_000;

interface FoundUnit {
  readonly lun: number;
  readonly path: string;
  readonly identity: UnitIdentity;
  readonly serial: string;
  readonly slotsCount: number | null;
  readonly drivesCount: number | null;
}

/** Robots and drives behind iSCSI portals. Each opened device has a session of its own, so that none disturbs another. */
export function createIscsiDriver(options: IscsiDriverOptions): LibraryDriver {
  const portalOf = async (path: IscsiPath): Promise<IscsiPortal | undefined> => {
    const portals = await options.portals();
    return portals.find((one) => portalName(one).toLowerCase() === portalName(path).toLowerCase());
  };
  const scanPortal = async (portal: IscsiPortal, signal: AbortSignal): Promise<FoundDevices> => {
    const quick = { ...options, loginMs: Math.min(scanLoginMs, options.loginMs ?? scanLoginMs) };
    const targets = await discoverTargets(portal, quick, signal);
    const all: FoundDevices[] = [];
    for (const { name } of targets) {
      signal.throwIfAborted();
      const transport = createIscsiTransport(portal, name, quick);
      try {
        all.push(pair(await findUnits(transport, { ...portal, targetName: name, lun: 0 }, signal)));
      } catch (error) {
        signal.throwIfAborted();
        options.onLeftOut?.(`${portalName(portal)}/${name}`, error);
      } finally {
        await transport.close();
      }
    }
    return joined(all);
  };
  const open = async (
    text: string,
    type: number,
    signal: AbortSignal,
  ): Promise<{ readonly unit: ScsiUnit; readonly transport: ScsiTransport }> => {
    const path = parseIscsiPath(text);
    const portal = path === null ? undefined : await portalOf(path);
    if (path === null || portal === undefined) {
      throw new DeviceError('notFound', `${text}: its portal is not configured; add it to the SCSI portals.`);
    }
    const transport = createIscsiTransport(portal, path.targetName, options);
    const unit = createUnit(transport, { lun: path.lun, path: text });
    try {
      const identity = await inquire(unit, signal);
      if (identity.type === type) return { unit, transport };
      const wanted = type === deviceType.changer ? 'a medium changer' : 'a tape drive';
      throw new DeviceError(
        identity.type === 0x1f ? 'notFound' : 'permanent',
        `${text}: there is no such unit, or it is not ${wanted}.`,
      );
    } catch (error) {
      await transport.close();
      throw error;
    }
  };

  return {
    kind,
    owns: (path) => parseIscsiPath(path) !== null,
    isThere: async (text) => {
      const path = parseIscsiPath(text);
      if (path === null) return false;
      try {
        if ((await portalOf(path)) === undefined) return false;
        (await openConnection(path, { timeoutMs: isThereMs })).destroy();
        return true;
      } catch {
        // No answer, whatever the reason: it cannot be used now.
        return false;
      }
    },
    scan: async (signal) => {
      const portals = await options.portals();
      const found = await Promise.all(
        portals.map((portal) =>
          scanPortal(portal, signal).catch((error: unknown): FoundDevices => {
            signal.throwIfAborted();
            options.onLeftOut?.(portalName(portal), error);
            return { changers: [], drives: [] };
          }),
        ),
      );
      signal.throwIfAborted();
      return joined(found);
    },
    openChanger: async (path, signal) => {
      const { unit, transport } = await open(path, deviceType.changer, signal);
      return createScsiChanger(unit, transport.close);
    },
    openDrive: async (path, signal) => {
      const { unit, transport } = await open(path, deviceType.tape, signal);
      return createScsiDrive(unit, transport.close);
    },
  };
}

/** Robots and drives of a target; those that do not answer rightly are left out. */
async function findUnits(
  transport: ScsiTransport,
  target: IscsiPath,
  signal: AbortSignal,
): Promise<readonly FoundUnit[]> {
  const unitAt = (lun: number): ScsiUnit =>
    createUnit(transport, { lun, path: formatIscsiPath({ ...target, lun }) });
  const units: FoundUnit[] = [];
  for (const lun of await reportLuns(unitAt(0), signal)) {
    const unit = unitAt(lun);
    try {
      const identity = await inquire(unit, signal);
      if (identity.type !== deviceType.tape && identity.type !== deviceType.changer) continue;
      const serial = await readSerial(unit, signal);
      const counts = identity.type === deviceType.changer ? await readCounts(unit, signal) : noCounts;
      units.push({ lun, path: unit.path, identity, serial, ...counts });
    } catch (error) {
      // The target as a whole is gone when there is no word of the unit itself.
      if (senseOf(error) === null) throw error;
    }
  }
  return units;
}

const noCounts = { slotsCount: null, drivesCount: null };

/** How much the robot has, if it can say so now. */
async function readCounts(
  unit: ScsiUnit,
  signal: AbortSignal,
): Promise<{ readonly slotsCount: number | null; readonly drivesCount: number | null }> {
  try {
    const addresses = await createScsiChanger(unit, async () => undefined).addresses(signal);
    return addresses === null
      ? noCounts
      : { slotsCount: addresses.storage.count, drivesCount: addresses.drive.count };
  } catch (error) {
    if (senseOf(error) === null && !(error instanceof DeviceError && error.kind === 'corrupt')) throw error;
    return noCounts;
  }
}

/** The drives of a target belong to its robot where there is only one. */
function pair(units: readonly FoundUnit[]): FoundDevices {
  const robots = units.filter(({ identity }) => identity.type === deviceType.changer);
  const common = ({ path, identity, serial }: FoundUnit) => ({
    path,
    vendor: identity.vendor,
    model: identity.model,
    serial,
  });
  const changerPath = robots.length === 1 ? (robots[0]?.path ?? null) : null;
  const changers: FoundChanger[] = robots.map((robot) => ({
    ...common(robot),
    slotsCount: robot.slotsCount,
    drivesCount: robot.drivesCount,
  }));
  const drives: FoundDrive[] = units
    .filter(({ identity }) => identity.type === deviceType.tape)
    .map((drive) => ({ ...common(drive), stPath: null, changerPath }));
  return { changers, drives };
}

function joined(all: readonly FoundDevices[]): FoundDevices {
  return {
    changers: all.flatMap(({ changers }) => changers),
    drives: all.flatMap(({ drives }) => drives),
  };
}
