/** Command blocks of SSC for a drive in variable block mode. Sizes in bytes. */

const threeBytes = (value: number): readonly [number, number, number] => [
  (value >> 16) & 0xff,
  (value >> 8) & 0xff,
  value & 0xff,
];

/** What READ and WRITE can name. */
export const mostBlockBytes = 0xff_ffff;
export const mostFilemarks = 0x7f_ffff;

export const rewindCdb = Uint8Array.of(0x01, 0, 0, 0, 0, 0);
export const readBlockLimitsCdb = Uint8Array.of(0x05, 0, 0, 0, 0, 0);
export const loadCdb = Uint8Array.of(0x1b, 0, 0, 0, 0x01, 0);
export const unloadCdb = Uint8Array.of(0x1b, 0, 0, 0, 0, 0);
/** Unloads after winding the tape once to its end; some devices read the same bit as the order to eject. */
export const retensionUnloadCdb = Uint8Array.of(0x1b, 0, 0, 0, 0x02, 0);
export const readPositionCdb = Uint8Array.of(0x34, 0, 0, 0, 0, 0, 0, 0, 0, 0);

export const readCdb = (bytes: number): Uint8Array => Uint8Array.of(0x08, 0, ...threeBytes(bytes), 0);
export const writeCdb = (bytes: number): Uint8Array => Uint8Array.of(0x0a, 0, ...threeBytes(bytes), 0);
export const writeFilemarksCdb = (count: number): Uint8Array =>
  Uint8Array.of(0x10, 0, ...threeBytes(count), 0);
/** Backwards when negative. */
export const spaceBlocksCdb = (count: number): Uint8Array => Uint8Array.of(0x11, 0, ...threeBytes(count), 0);
export const spaceFilemarksCdb = (count: number): Uint8Array =>
  Uint8Array.of(0x11, 1, ...threeBytes(count), 0);
export const spaceToEndCdb = Uint8Array.of(0x11, 3, 0, 0, 0, 0);
export const preventRemovalCdb = (isPrevented: boolean): Uint8Array =>
  Uint8Array.of(0x1e, 0, 0, 0, isPrevented ? 1 : 0, 0);

/** To a logical block, counted from the beginning of the tape with filemarks. */
export function locateCdb(block: number): Uint8Array {
  const cdb = Buffer.alloc(10);
  cdb.writeUInt8(0x2b, 0);
  cdb.writeUInt32BE(block, 3);
  return cdb;
}
