import type { ScsiChanger } from '../../../../backend/engine/scsi/changer/changer.ts';
import type { ScsiTapeDrive } from '../../../../backend/engine/scsi/drive/drive.ts';
import {
  type CartridgeFaults,
  type DriveFaults,
  type LibraryFaults,
  type LibraryLayout,
  noFaults,
} from '../../../../backend/engine/scsi/virtual/library-state.ts';
import {
  createVirtualLibraries,
  type VirtualLibraries,
} from '../../../../backend/engine/scsi/virtual/virtual-driver.ts';
import { makeTempDir } from '../../../support/temp-dir.ts';

export const never = new AbortController().signal;
export const firstSlot = 1000;
export const firstDrive = 256;
export const firstMail = 16;

export const layout: LibraryLayout = { slots: 4, drives: 2, mailSlots: 1, cartridgeBytes: 8 * 1_048_576 };

export const driveFaults = (faults: Partial<DriveFaults>): DriveFaults => ({
  drive: 1,
  reserved: false,
  becomingReady: 0,
  attention: null,
  alerts: [],
  ...faults,
});

export const cartridgeFaults = (faults: Partial<CartridgeFaults>): CartridgeFaults => ({
  barcode: 'SR0001L8',
  writeProtected: false,
  earlyWarningAt: null,
  endAt: null,
  readErrorAt: null,
  writeErrorAt: null,
  usedUp: false,
  ...faults,
});

export interface VirtualBench {
  readonly root: string;
  libraries: VirtualLibraries;
  readonly barcodes: readonly string[];
  robot(): Promise<ScsiChanger>;
  drive(number?: number): Promise<ScsiTapeDrive>;
  /** The first drive with the cartridge of this slot (from 0), loaded. */
  mounted(slot?: number): Promise<ScsiTapeDrive>;
  faults(faults: Partial<LibraryFaults>): Promise<void>;
  tapeFile(barcode: string): string;
  /** As a start of the server on the same folder. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** The library `lab` in a folder of its own. */
export async function startVirtualBench(
  options: Partial<LibraryLayout> & { readonly barcodes?: readonly string[] } = {},
): Promise<VirtualBench> {
  const folder = await makeTempDir('virtual');
  const { barcodes = ['SR0001L8', 'SR0002L8', 'CLN001L1'], ...more } = options;
  const bench: VirtualBench = {
    root: folder.path,
    barcodes,
    libraries: createVirtualLibraries(folder.path),
    robot: async () => (await bench.libraries.driver.openChanger('virtual://lab/0', never)) as ScsiChanger,
    drive: async (number = 1) =>
      (await bench.libraries.driver.openDrive(`virtual://lab/${number}`, never)) as ScsiTapeDrive,
    mounted: async (slot = 0) => {
      const robot = await bench.robot();
      await robot.move(firstSlot + slot, firstDrive, never);
      await robot.close();
      const drive = await bench.drive();
      await drive.load(never);
      return drive;
    },
    faults: (faults) => bench.libraries.setFaults('lab', { ...noFaults, ...faults }),
    tapeFile: (barcode) => `${folder.path}/lab/cartridges/${barcode}.tape`,
    restart: async () => {
      await bench.libraries.close();
      bench.libraries = createVirtualLibraries(folder.path);
    },
    close: async () => {
      await bench.libraries.close();
      await folder.remove();
    },
  };
  await bench.libraries.create('lab', { ...layout, ...more }, barcodes);
  return bench;
}

/** Everything from here to the end of the data: the length of each block, `|` for a filemark. */
export async function readAll(drive: ScsiTapeDrive, maxBytes = 262_144): Promise<readonly (number | '|')[]> {
  const met: (number | '|')[] = [];
  for (;;) {
    const read = await drive.read(maxBytes, never);
    if (read.kind === 'endOfData') return met;
    met.push(read.kind === 'filemark' ? '|' : read.data.length);
  }
}
