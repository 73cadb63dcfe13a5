import type { ElementKind, LibraryElement } from '../../device.ts';
import { DeviceError } from '../../device-error.ts';
import { isUnsupported, senseOf } from '../sense-words.ts';
import type { ScsiUnit } from '../unit.ts';
import { type ElementAddresses, type ElementRange, elementTypes } from './element-addresses.ts';
import { parseElementStatus } from './element-status.ts';

const kindsInOrder: readonly ElementKind[] = ['robot', 'storage', 'mail', 'drive'];
const readMs = 10 * 60_000;
/** Below 64 KiB: there are robots that look at the two lower bytes of the length alone. */
const mostBytes = 0xfff0;
/** The longest descriptor has 12 + 36 + 36 + 4 bytes and an identifier. */
const bytesPerElement = 128;
const mostAtOnce = Math.floor(mostBytes / bytesPerElement) - 1;
const allAddresses: ElementRange = { first: 0, count: 0xffff };

/** All elements, asked for kind by kind and piece by piece; sorted by address. */
export async function readInventory(
  unit: ScsiUnit,
  addresses: ElementAddresses | null,
  signal: AbortSignal,
): Promise<readonly LibraryElement[]> {
  const elements: LibraryElement[] = [];
  for (const kind of kindsInOrder) {
    const range = addresses === null ? allAddresses : addresses[kind];
    if (range.count === 0) continue;
    const found = await readKind(unit, { kind, range, isCounted: addresses !== null }, signal);
    elements.push(...(kind === 'drive' ? await withSerials(unit, found, signal) : found));
  }
  if (!elements.some(({ kind }) => kind === 'storage')) {
    throw new DeviceError(
      'corrupt',
      `${unit.path}: the robot tells of no storage slots. Restart the library, and look whether it is set up.`,
    );
  }
  const isTold = elements.some(({ reachable }) => reachable);
  return elements
    .map((element) => (isTold ? element : { ...element, reachable: null }))
    .sort((left, right) => left.address - right.address);
}

interface Wanted {
  readonly kind: ElementKind;
  readonly range: ElementRange;
  /** The device has told how many there are, so that fewer are a failure. */
  readonly isCounted: boolean;
}

async function readKind(
  unit: ScsiUnit,
  wanted: Wanted,
  signal: AbortSignal,
): Promise<readonly LibraryElement[]> {
  const { kind, range, isCounted } = wanted;
  const found = new Map<number, LibraryElement>();
  let next = range.first;
  while (found.size < range.count && next <= 0xffff) {
    const count = Math.min(range.count - found.size, mostAtOnce);
    const page = await readPage(unit, { kind, first: next, count, withSerials: false }, signal);
    // Of an answer that does not keep to the question the rest is of no use, but no harm.
    const fresh = page.filter((one) => one.kind === kind && one.address >= next && !found.has(one.address));
    if (fresh.length === 0) break;
    for (const element of fresh) found.set(element.address, element);
    next = Math.max(...fresh.map(({ address }) => address)) + 1;
  }
  if (isCounted && found.size < range.count) {
    throw new DeviceError(
      'corrupt',
      `${unit.path}: the robot has ${range.count} elements of the kind ${kind} and lists ${found.size} of them.`,
    );
  }
  return [...found.values()].slice(0, isCounted ? range.count : undefined);
}

/** The same drives with their serial numbers, where the robot tells them. */
async function withSerials(
  unit: ScsiUnit,
  drives: readonly LibraryElement[],
  signal: AbortSignal,
): Promise<readonly LibraryElement[]> {
  const serials = new Map<number, string | null>();
  for (const { address } of drives) {
    if (serials.has(address)) continue;
    try {
      const query = { kind: 'drive' as const, first: address, count: drives.length, withSerials: true };
      for (const told of await readPage(unit, query, signal)) serials.set(told.address, told.driveSerial);
    } catch (error) {
      // Without the serial numbers the drives are still there.
      if (isUnsupported(senseOf(error))) return drives;
      throw error;
    }
  }
  return drives.map((drive) => ({ ...drive, driveSerial: serials.get(drive.address) ?? null }));
}

async function readPage(
  unit: ScsiUnit,
  query: {
    readonly kind: ElementKind;
    readonly first: number;
    readonly count: number;
    readonly withSerials: boolean;
  },
  signal: AbortSignal,
): Promise<readonly LibraryElement[]> {
  const { kind, first, count } = query;
  const bytes = Math.min(mostBytes, 16 + (count + 1) * bytesPerElement);
  const cdb = Buffer.alloc(12);
  cdb.writeUInt8(0xb8, 0);
  // With barcodes.
  cdb.writeUInt8(0x10 | elementTypes[kind], 1);
  cdb.writeUInt16BE(first, 2);
  cdb.writeUInt16BE(count, 4);
  cdb.writeUInt8(query.withSerials ? 0x01 : 0, 6);
  cdb.writeUIntBE(bytes, 7, 3);
  const doing = `reading the ${kind} elements from ${first}`;
  const command = { cdb, dataIn: bytes, timeoutMs: readMs, signal, doing };
  const { data } = await unit.run({ ...command, onAttention: 'repeat' });
  return parseElementStatus(data).elements;
}
