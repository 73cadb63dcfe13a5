import type { FoundChanger, FoundDevices, FoundDrive, LibraryDriver } from '../device.ts';
import { DeviceError } from '../device-error.ts';
import { createScsiChanger } from './changer/changer.ts';
import { createScsiDrive } from './drive/drive.ts';
import { deviceType, inquire, readSerial, reportLuns, type UnitIdentity } from './inquiry.ts';
import { senseOf } from './sense-words.ts';
import type { ScsiTransport } from './transport.ts';
import { createUnit, type ScsiUnit } from './unit.ts';

interface FoundUnit {
  readonly lun: number;
  readonly path: string;
  readonly identity: UnitIdentity;
  readonly serial: string;
  readonly slotsCount: number | null;
  readonly drivesCount: number | null;
}

export interface OpenUnit {
  readonly unit: ScsiUnit;
  readonly transport: ScsiTransport;
}

/** A unit of this type (`deviceType`) behind a transport, which is closed when there is none. */
export async function openUnit(
  transport: ScsiTransport,
  wanted: { readonly lun: number; readonly path: string; readonly type: number },
  signal: AbortSignal,
): Promise<OpenUnit> {
  const { lun, path, type } = wanted;
  const unit = createUnit(transport, { lun, path });
  try {
    const identity = await inquire(unit, signal);
    if (identity.type === type) return { unit, transport };
    const name = type === deviceType.changer ? 'a medium changer' : 'a tape drive';
    throw new DeviceError(
      identity.type === 0x1f ? 'notFound' : 'permanent',
      `${path}: there is no such unit, or it is not ${name}.`,
    );
  } catch (error) {
    await transport.close();
    throw error;
  }
}

/** How a driver opens what it has found, by its way to a unit of some type. */
export function unitOpeners(
  open: (path: string, type: number, signal: AbortSignal) => Promise<OpenUnit>,
): Pick<LibraryDriver, 'openChanger' | 'openDrive'> {
  return {
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

/** The robots and drives of one target. */
export async function scanTarget(
  transport: ScsiTransport,
  pathOf: (lun: number) => string,
  signal: AbortSignal,
): Promise<FoundDevices> {
  return pair(await findUnits(transport, pathOf, signal));
}

/** Robots and drives of a target; those that do not answer rightly are left out. */
async function findUnits(
  transport: ScsiTransport,
  pathOf: (lun: number) => string,
  signal: AbortSignal,
): Promise<readonly FoundUnit[]> {
  const unitAt = (lun: number): ScsiUnit => createUnit(transport, { lun, path: pathOf(lun) });
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

export function joinedDevices(all: readonly FoundDevices[]): FoundDevices {
  return {
    changers: all.flatMap(({ changers }) => changers),
    drives: all.flatMap(({ drives }) => drives),
  };
}
