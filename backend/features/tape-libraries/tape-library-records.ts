import type {
  MediumChanger,
  TapeDriveRecord,
  TapeLibrary,
} from '../../../contract/tape-libraries/tape-library.ts';
import { wordsOfAlert } from '../../engine/index.ts';
import { toWireTime } from '../../platform/wire-time.ts';
import type { StoredDevice } from './tape-device-store.ts';
import { libraryStatus } from './tape-library-rules.ts';
import type { StoredLibrary } from './tape-library-store.ts';

export function toChangerRecord(changer: StoredDevice): MediumChanger {
  return {
    id: changer.id,
    vendor: changer.vendor,
    model: changer.model,
    serial: changer.serial,
    sg_path: changer.sgPath,
    slots_count: changer.slotsCount,
    drives_count: changer.drivesCount,
  };
}

function toDriveRecord(drive: StoredDevice): TapeDriveRecord {
  return {
    id: drive.id,
    sg_path: drive.sgPath,
    model: drive.model,
    serial: drive.serial,
    status: drive.driveStatus ?? 'Empty',
    barcode: drive.barcode,
    alerts: drive.alerts.map((flag) => ({ flag, ...wordsOfAlert(flag) })),
    alerts_read: drive.alertsMs === null ? null : toWireTime(drive.alertsMs),
    needs_cleaning: drive.needsCleaning,
    cleaned: drive.cleanedMs === null ? null : toWireTime(drive.cleanedMs),
  };
}

/** `devices`: the robot and the drives of this library. */
export function toLibraryRecord(
  library: StoredLibrary,
  devices: readonly StoredDevice[],
  facts: { readonly isSyncing: boolean; readonly isThere: boolean },
): TapeLibrary {
  const changers = devices.filter(({ kind }) => kind === 'changer');
  const changer = changers[0];
  return {
    id: library.id,
    pool: library.pool,
    media_server: library.mediaServer,
    description: library.description,
    vendor: changer?.vendor ?? '',
    model: changer?.model ?? '',
    serial: changer?.serial ?? '',
    sg_path: changer?.sgPath ?? '',
    slots_count: library.slotsCount,
    status: libraryStatus({ ...facts, hasFailed: library.hasFailed }),
    medium_changers: changers.map(toChangerRecord),
    tape_drives: devices.filter(({ kind }) => kind === 'drive').map(toDriveRecord),
    last_sync: library.lastSyncMs === null ? null : toWireTime(library.lastSyncMs),
    robot_unloads: library.robotUnloads,
  };
}
