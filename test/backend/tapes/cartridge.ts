import type { Cartridge } from '../../../backend/features/tape-libraries/tape-store.ts';

/** An empty cartridge in a slot of the library, as the store has it, but for what a test says. */
export const cartridgeWith = (more: Partial<Cartridge>): Cartridge => ({
  id: 1,
  libraryId: 1,
  poolId: 1,
  pool: 'Tapes',
  barcode: 'SR0001L8',
  state: 'unlabelled',
  location: 'storage',
  elementAddress: 1,
  labelUuid: null,
  nextLabelUuid: null,
  isWriteProtected: null,
  moveFailure: null,
  mediaSet: null,
  written: 0,
  capacity: null,
  nextFile: 0,
  createdMs: 0,
  copies: 0,
  openParts: 0,
  expiresMs: null,
  cleanings: 0,
  isUsedUp: false,
  ...more,
});
