import { type FileHandle, open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { DeviceError, toDeviceError } from '../../device-error.ts';

/** The first bytes of every cartridge file; the version stands in it. */
const head = Buffer.from('STRONGROOM VIRTUAL TAPE 1\n'.padEnd(32, '\0'), 'latin1');
const recordHeaderBytes = 16;
const recordMark = 0x53525654;
const kinds = { block: 1, filemark: 2 } as const;
type ItemKind = keyof typeof kinds;

/** One thing on the tape; they are counted from 0, blocks and filemarks alike, as READ POSITION counts. */
export interface TapeItem {
  readonly kind: ItemKind;
  /** Where its record begins in the file. */
  readonly offset: number;
  readonly bytes: number;
}

/**
 * A cartridge: a file of records, one for each block and filemark, in the order of the tape. Writing in the middle cuts off
 * what is behind, as on a tape. A record that was not written whole is not there, so that after `kill -9` the tape ends with
 * the last command that was done.
 */
export interface TapeFile {
  /** How many blocks and filemarks there are. */
  readonly count: number;
  /** Null at the end of the data and behind. */
  item(index: number): TapeItem | null;
  /** Bytes of the file before this item, or of all for the end. */
  bytesBefore(index: number): number;
  /** The file is damaged behind the last item: what follows cannot be read, so this is no end of the data. */
  readonly isCutOff: boolean;
  /** Null when the bytes are not those that were written. */
  read(index: number): Promise<Buffer | null>;
  write(index: number, kind: ItemKind, data: Uint8Array): Promise<void>;
  /** The data end before this item. */
  cut(index: number): Promise<void>;
  /** Everything is on the disk when it returns. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

export const bytesOfRecord = (dataBytes: number): number => recordHeaderBytes + dataBytes;

/** Makes an empty cartridge; refused when the file is there. */
export async function makeTapeFile(path: string): Promise<void> {
  const handle = await open(path, 'wx', 0o600).catch((error: unknown) => {
    throw toDeviceError(error, `The cartridge ${path} cannot be made`);
  });
  try {
    await handle.writeFile(head);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Throws a `DeviceError`: `notFound`, `corrupt` when it is no cartridge of this format. */
export async function openTapeFile(path: string): Promise<TapeFile> {
  const handle = await open(path, 'r+').catch((error: unknown) => {
    throw toDeviceError(error, `The cartridge ${path} cannot be opened`);
  });
  try {
    return createTapeFile(handle, await readItems(handle, path));
  } catch (error) {
    await handle.close();
    throw error;
  }
}

interface Found {
  readonly items: TapeItem[];
  readonly isCutOff: boolean;
  /** Bytes behind the last item, of no use to anybody. */
  readonly hasRest: boolean;
}

function createTapeFile(handle: FileHandle, found: Found): TapeFile {
  const { items } = found;
  let { isCutOff, hasRest } = found;
  const endOf = ({ offset, bytes }: TapeItem): number => offset + recordHeaderBytes + bytes;
  const bytesBefore = (index: number): number => {
    const before = items[Math.min(index, items.length) - 1];
    return before === undefined ? head.length : endOf(before);
  };
  const cut = async (index: number): Promise<void> => {
    const offset = bytesBefore(index);
    items.length = Math.min(index, items.length);
    await handle.truncate(offset);
    isCutOff = false;
    hasRest = false;
  };
  return {
    get count() {
      return items.length;
    },
    get isCutOff() {
      return isCutOff;
    },
    item: (index) => items[index] ?? null,
    bytesBefore,
    read: async (index) => {
      const item = items[index];
      if (item === undefined) return null;
      const record = Buffer.alloc(recordHeaderBytes + item.bytes);
      const { bytesRead } = await handle.read(record, 0, record.length, item.offset);
      const isRight = bytesRead === record.length && sumOf(record) === record.readUInt32BE(12);
      return isRight ? record.subarray(recordHeaderBytes) : null;
    },
    write: async (index, kind, data) => {
      const offset = bytesBefore(index);
      const record = Buffer.alloc(recordHeaderBytes + data.length);
      record.writeUInt32BE(recordMark, 0);
      record.writeUInt8(kinds[kind], 4);
      record.writeUInt32BE(data.length, 8);
      record.writeUIntBE(sumOfHeader(record), 5, 3);
      record.set(data, recordHeaderBytes);
      record.writeUInt32BE(sumOf(record), 12);
      // First what is behind goes: a record in the middle of old ones must never be taken for the way to them.
      if (index < items.length || hasRest) await cut(index);
      try {
        await writeAll(handle, record, offset);
      } catch (error) {
        await handle.truncate(offset);
        throw error;
      }
      items.push({ kind, offset, bytes: data.length });
    },
    cut,
    sync: () => handle.datasync(),
    close: () => handle.close(),
  };
}

async function writeAll(handle: FileHandle, bytes: Buffer, offset: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, offset + done);
    done += bytesWritten;
  }
}

/** Of kind and length: a length that is damaged must not be taken for a record that was not written whole. */
const sumOfHeader = (header: Buffer): number =>
  crc32(header.subarray(8, 12), crc32(header.subarray(4, 5))) & 0xff_ffff;

/** Of all of a record but the sum itself. */
const sumOf = (record: Buffer): number =>
  crc32(record.subarray(recordHeaderBytes), crc32(record.subarray(0, 12)));

async function readItems(handle: FileHandle, path: string): Promise<Found> {
  const { size } = await handle.stat();
  const begin = Buffer.alloc(head.length);
  await handle.read(begin, 0, begin.length, 0);
  if (!begin.equals(head)) {
    throw new DeviceError('corrupt', `${path} is no cartridge of a virtual library.`);
  }
  const items: TapeItem[] = [];
  const header = Buffer.alloc(recordHeaderBytes);
  let offset = head.length;
  while (offset + recordHeaderBytes <= size) {
    await handle.read(header, 0, header.length, offset);
    const kind = header.readUInt8(4) === kinds.block ? 'block' : 'filemark';
    const bytes = header.readUInt32BE(8);
    const isRecord =
      header.readUInt32BE(0) === recordMark &&
      header.readUInt8(4) === kinds[kind] &&
      header.readUIntBE(5, 3) === sumOfHeader(header);
    if (!isRecord) return { items, isCutOff: true, hasRest: true };
    const end = offset + recordHeaderBytes + bytes;
    if (end > size) break;
    items.push({ kind, offset, bytes });
    offset = end;
  }
  // What is left over was being written when its process ended: such a command was never done.
  return { items, isCutOff: false, hasRest: offset < size };
}
