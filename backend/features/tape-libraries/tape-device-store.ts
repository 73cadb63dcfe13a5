import { sql } from 'kysely';
import type { Db, Tx } from '../../db/index.ts';

/** What a scan tells of one robot or drive, with the key by which it is found again. */
export interface ScannedDevice {
  readonly kind: 'changer' | 'drive';
  readonly key: string;
  readonly sgPath: string;
  readonly stPath: string | null;
  readonly vendor: string;
  readonly model: string;
  readonly serial: string;
  readonly slotsCount: number | null;
  readonly drivesCount: number | null;
}

export interface StoredDevice extends ScannedDevice {
  readonly id: number;
  /** The library that uses it; null = free. */
  readonly libraryId: number | null;
  /** Of a drive: where it is built in, as far as that is known. */
  readonly elementAddress: number | null;
  readonly driveStatus: string | null;
  readonly barcode: string | null;
  /** Of a drive: the flags of TapeAlert that it told last. */
  readonly alerts: readonly number[];
  /** Null: it was never asked. */
  readonly alertsMs: number | null;
  /** It asks for cleaning, or its time has come. */
  readonly needsCleaning: boolean;
  readonly cleanedMs: number | null;
  /** Since when the days until the next cleaning count: the last one, or the first use. Null: it was never used. */
  readonly cleaningFromMs: number | null;
}

/** Robots and drives that were ever found. One numbering for both, so that an id never means two things. */
export function createTapeDeviceStore(db: Db | Tx) {
  const selection = () => db.selectFrom('tape_devices').selectAll().orderBy('id');
  type Row = Awaited<ReturnType<ReturnType<typeof selection>['execute']>>[number];
  const toDevice = (row: Row): StoredDevice => ({
    id: row.id,
    kind: row.kind,
    key: row.device_key,
    sgPath: row.sg_path,
    stPath: row.st_path,
    vendor: row.vendor,
    model: row.model,
    serial: row.serial,
    slotsCount: row.slots_count,
    drivesCount: row.drives_count,
    libraryId: row.tape_library_id,
    elementAddress: row.element_address,
    driveStatus: row.drive_status,
    barcode: row.barcode,
    alerts: row.alerts === null || row.alerts === '' ? [] : row.alerts.split(',').map(Number),
    alertsMs: row.alerts_ms,
    needsCleaning: row.needs_cleaning === 1,
    cleanedMs: row.cleaned_ms,
    cleaningFromMs: row.cleaning_from_ms,
  });

  return {
    on: async (mediaServerId: number): Promise<readonly StoredDevice[]> =>
      (await selection().where('media_server_id', '=', mediaServerId).execute()).map(toDevice),

    ofLibraries: async (): Promise<readonly StoredDevice[]> =>
      (await selection().where('tape_library_id', 'is not', null).execute()).map(toDevice),

    ofLibrary: async (libraryId: number): Promise<readonly StoredDevice[]> =>
      (await selection().where('tape_library_id', '=', libraryId).execute()).map(toDevice),

    drive: async (id: number): Promise<StoredDevice | null> => {
      const row = await selection().where('id', '=', id).executeTakeFirst();
      return row === undefined ? null : toDevice(row);
    },

    saveHealth: async (
      id: number,
      health: {
        readonly alerts: readonly number[];
        readonly needsCleaning: boolean;
        readonly readMs: number;
      },
    ): Promise<void> => {
      const { alerts, needsCleaning, readMs } = health;
      await db
        .updateTable('tape_devices')
        .set({
          alerts: alerts.join(),
          alerts_ms: readMs,
          needs_cleaning: needsCleaning ? 1 : 0,
          cleaning_from_ms: sql<number>`coalesce(cleaning_from_ms, ${readMs})`,
        })
        .where('id', '=', id)
        .execute();
    },

    saveCleaned: async (id: number, nowMs: number): Promise<void> => {
      await db
        .updateTable('tape_devices')
        .set({ cleaned_ms: nowMs, cleaning_from_ms: nowMs, needs_cleaning: 0 })
        .where('id', '=', id)
        .execute();
    },

    markForCleaning: async (id: number): Promise<void> => {
      await db.updateTable('tape_devices').set({ needs_cleaning: 1 }).where('id', '=', id).execute();
    },

    /** New ones get an id, known ones keep theirs. */
    save: async (mediaServerId: number, devices: readonly ScannedDevice[]): Promise<void> => {
      for (const device of devices) {
        const facts = {
          sg_path: device.sgPath,
          st_path: device.stPath,
          vendor: device.vendor,
          model: device.model,
          serial: device.serial,
        };
        const counts = { slots_count: device.slotsCount, drives_count: device.drivesCount };
        // What an opened device told once is not forgotten because a scan cannot tell it.
        const knownCounts = Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== null));
        await db
          .insertInto('tape_devices')
          .values({
            media_server_id: mediaServerId,
            kind: device.kind,
            device_key: device.key,
            ...facts,
            ...counts,
          })
          .onConflict((conflict) =>
            conflict
              .columns(['media_server_id', 'kind', 'device_key'])
              .doUpdateSet({ ...facts, ...knownCounts }),
          )
          .execute();
      }
    },

    /** False when one of them belongs to a library already; then nothing may be kept of the transaction. */
    take: async (ids: readonly number[], libraryId: number): Promise<boolean> => {
      const result = await db
        .updateTable('tape_devices')
        .set({ tape_library_id: libraryId })
        .where('id', 'in', [...ids])
        .where('tape_library_id', 'is', null)
        .executeTakeFirst();
      return Number(result.numUpdatedRows) === ids.length;
    },

    /** The devices of a library are free again, and nothing is known of what is in the drives. */
    release: async (libraryIds: readonly number[]): Promise<void> => {
      await db
        .updateTable('tape_devices')
        .set({
          tape_library_id: null,
          element_address: null,
          drive_status: null,
          barcode: null,
          alerts: null,
          alerts_ms: null,
          needs_cleaning: 0,
          cleaned_ms: null,
          cleaning_from_ms: null,
        })
        .where('tape_library_id', 'in', [...libraryIds])
        .execute();
    },

    saveDrive: async (drive: {
      readonly id: number;
      readonly elementAddress: number | null;
      readonly status: string;
      readonly barcode: string | null;
    }): Promise<void> => {
      await db
        .updateTable('tape_devices')
        .set({ element_address: drive.elementAddress, drive_status: drive.status, barcode: drive.barcode })
        .where('id', '=', drive.id)
        .execute();
    },

    saveSlotsCount: async (id: number, slotsCount: number): Promise<void> => {
      await db.updateTable('tape_devices').set({ slots_count: slotsCount }).where('id', '=', id).execute();
    },
  };
}
