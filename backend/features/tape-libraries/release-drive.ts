import type { Db } from '../../db/index.ts';
import type { LibraryDevices } from './library-devices.ts';
import type { StoredDevice } from './tape-device-store.ts';
import { createTapeLibraryStore } from './tape-library-store.ts';

/** Makes a drive give its cartridge to the robot, as that of its library wants it. */
export function createDriveRelease(deps: { readonly db: Db; readonly devices: LibraryDevices }) {
  return async (
    { sgPath, libraryId }: Pick<StoredDevice, 'sgPath' | 'libraryId'>,
    signal: AbortSignal,
  ): Promise<void> => {
    const library = libraryId === null ? null : await createTapeLibraryStore(deps.db).get(libraryId);
    await deps.devices.withDrive(sgPath, signal, (drive, inside) =>
      library?.robotUnloads ? drive.letGo(inside) : drive.unload(inside),
    );
  };
}
