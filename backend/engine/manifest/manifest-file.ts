import { manifestCodec } from '../archive/codec.ts';
import { ContentHash, hashBytes } from '../archive/hash.ts';
import {
  type BlockFacts,
  decodeSegmentInfo,
  decodeTrailer,
  FORMAT_NAME,
  HEADER_BYTES_VERSION,
  MANIFEST_NAME,
  type ManifestHeader,
  OLDEST_VERSION,
  type SegmentInfo,
  type SegmentKind,
  TRAILER_BYTES,
} from '../archive/manifest-format.ts';
import { damagedList, isSafeName, parseLines } from '../archive/manifest-lines.ts';
import type { ByteSource } from '../crypto/byte-source.ts';
import { type CopySecret, openStored, pieceSealOf } from '../crypto/copy-secret.ts';
import { SEAL_INDEX, SEAL_SEGMENT } from '../crypto/gcm.ts';
import { DeviceError, toDeviceError } from '../device-error.ts';

/** No segment that the writer makes is larger; a larger figure is damage and must not be allocated. */
const MOST_SEGMENT_BYTES = 2 * 1_048_576;
export const MOST_FRAME_BYTES = 16 * 1_048_576;
const MOST_INDEX_BYTES = 256 * 1_048_576;

/**
 * The manifest of one copy, open for reading. Opening reads its end only. All reading is synchronous: a segment is
 * at most half a megabyte of text, so a page costs the API's thread a few milliseconds.
 */
export class ManifestFile {
  readonly header: ManifestHeader;
  readonly copyPath: string;
  readonly secret: CopySecret | null;
  readonly #source: ByteSource;
  readonly #seal: ReturnType<typeof pieceSealOf>;
  readonly #numbers: ReadonlyMap<SegmentInfo, number>;
  readonly #segments: ReadonlyMap<SegmentKind, readonly SegmentInfo[]>;
  readonly #codec = manifestCodec();
  readonly #hash = new ContentHash();

  /** `secret` opens an encrypted copy; null for one that is not. */
  constructor(copyPath: string, secret: CopySecret | null = null) {
    this.copyPath = copyPath;
    this.secret = secret;
    this.#seal = pieceSealOf(secret);
    try {
      this.#source = openStored(copyPath, MANIFEST_NAME, 'manifest', secret);
    } catch (error) {
      throw toDeviceError(error, 'The file list of this copy cannot be read');
    }
    try {
      const lines = this.#readIndex();
      this.header = checkedHeader(lines[0]);
      const infos = lines.slice(1).map(decodeSegmentInfo);
      this.#numbers = new Map(infos.map((info, index) => [info, index]));
      this.#segments = grouped(infos);
    } catch (error) {
      this.#source.close();
      throw error;
    }
  }

  close(): void {
    this.#source.close();
  }

  segments(kind: SegmentKind): readonly SegmentInfo[] {
    return this.#segments.get(kind) ?? [];
  }

  /** The segment that holds item number `index`; null when there is none. */
  segmentOf(kind: SegmentKind, index: number): SegmentInfo | null {
    const all = this.segments(kind);
    let low = 0;
    let high = all.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((all[middle]?.first ?? 0) <= index) low = middle + 1;
      else high = middle;
    }
    // Segments with block lines only have no rows: the last one that begins at or before is the right one.
    for (let at = low - 1; at >= 0; at -= 1) {
      const info = all[at];
      if (info === undefined) break;
      if (index < info.first + info.count) return info;
      if (info.count > 0) break;
    }
    return null;
  }

  lines(info: SegmentInfo): readonly unknown[] {
    return parseLines(this.text(info));
  }

  /** As it was written. */
  text(info: SegmentInfo): string {
    return this.#text(this.#raw(info));
  }

  /** The bytes of the text; to be given back by `release`. */
  raw(info: SegmentInfo): Buffer {
    return this.#raw(info);
  }

  release(raw: Buffer): void {
    this.#codec.release(raw);
  }

  #raw(info: SegmentInfo): Buffer {
    const stored = this.#bytes(info.offset, info.length);
    if (this.#hash.of(stored) !== info.hash) throw damagedList();
    return this.#opened(SEAL_SEGMENT, this.#numbers.get(info) ?? 0, stored, info.rawLength);
  }

  #text(raw: Buffer): string {
    const text = raw.toString('utf8');
    this.#codec.release(raw);
    return text;
  }

  /** As the codec made it. */
  #opened(kind: number, index: number, stored: Buffer, rawLength: number): Buffer {
    const opened = this.#seal === null ? stored : this.#seal.open(kind, index, stored);
    if (opened === null) throw damagedList();
    try {
      return this.#codec.decode(opened, rawLength);
    } catch (error) {
      throw damagedList(error);
    }
  }

  #bytes(offset: number, length: number): Buffer {
    const bytes = Buffer.alloc(length);
    try {
      if (this.#source.read(bytes, offset) !== length) throw damagedList();
    } catch (error) {
      throw toDeviceError(error, 'The file list of this copy cannot be read');
    }
    return bytes;
  }

  #readIndex(): readonly unknown[] {
    const { size } = this.#source;
    if (size < TRAILER_BYTES) throw damagedList();
    const trailer = decodeTrailer(this.#bytes(size - TRAILER_BYTES, TRAILER_BYTES));
    const { indexOffset, indexLength, indexRawLength, indexHash } = trailer;
    if (indexOffset + indexLength + TRAILER_BYTES !== size || indexRawLength > MOST_INDEX_BYTES)
      throw damagedList();
    const stored = this.#bytes(indexOffset, indexLength);
    if (!hashBytes(this.#hash.of(stored)).equals(indexHash)) throw damagedList();
    return parseLines(this.#text(this.#opened(SEAL_INDEX, 0, stored, indexRawLength)));
  }
}

/** What a manifest says of the whole copy; null when it cannot be read: whoever works with the copy tells that. */
export function headerOf(copyPath: string, secret: CopySecret | null): ManifestHeader | null {
  try {
    const file = new ManifestFile(copyPath, secret);
    file.close();
    return file.header;
  } catch (error) {
    if (error instanceof DeviceError) return null;
    throw error;
  }
}

function grouped(all: readonly SegmentInfo[]): ReadonlyMap<SegmentKind, readonly SegmentInfo[]> {
  const groups = new Map<SegmentKind, SegmentInfo[]>();
  for (const info of all) {
    if (info.length > MOST_SEGMENT_BYTES || info.rawLength > MOST_SEGMENT_BYTES) throw damagedList();
    const group = groups.get(info.kind) ?? [];
    group.push(info);
    groups.set(info.kind, group);
  }
  return groups;
}

/** A frame that does not compress grows a little; no frame of the writer is longer than this. */
export function mostStoredBytes(frameBytes: number): number {
  return frameBytes + 65_536;
}

function checkedHeader(line: unknown): ManifestHeader {
  if (line === null || typeof line !== 'object') throw damagedList();
  const header = line as ManifestHeader;
  if (header.format !== FORMAT_NAME) throw damagedList();
  if (!(header.version >= OLDEST_VERSION && header.version <= HEADER_BYTES_VERSION)) {
    throw new DeviceError('permanent', `This copy was made by a newer version (format ${header.version}).`);
  }
  const numbers = [header.frameBytes, header.tarBytes, header.archiveBytes, header.frames];
  if (!numbers.every((value) => Number.isSafeInteger(value) && value >= 0)) throw damagedList();
  if (header.frameBytes < 1 || header.frameBytes > MOST_FRAME_BYTES) throw damagedList();
  if (header.device !== undefined && !/^\d{1,20}$/.test(String(header.device))) throw damagedList();
  const isHeaderSaid = header.headerBytes !== undefined;
  if (isHeaderSaid !== header.version >= HEADER_BYTES_VERSION) throw damagedList();
  if (isHeaderSaid && !(Number.isSafeInteger(header.headerBytes) && Number(header.headerBytes) > 0))
    throw damagedList();
  if (header.blocks !== undefined) checkBlocks(header.blocks);
  checkChain(header.chain ?? []);
  return header;
}

function checkBlocks(blocks: unknown): void {
  if (blocks === null || typeof blocks !== 'object') throw damagedList();
  const { store, algorithm, hashBytes } = blocks as Partial<BlockFacts>;
  if (typeof store !== 'string' || !/^[0-9a-f]{32}$/.test(store) || typeof algorithm !== 'string')
    throw damagedList();
  if (typeof hashBytes !== 'number' || ![20, 32, 64].includes(hashBytes)) throw damagedList();
}

/** Each is the name of a folder beside others, so none may lead elsewhere. */
function checkChain(chain: unknown): void {
  if (!Array.isArray(chain)) throw damagedList();
  for (const member of chain as readonly unknown[]) {
    const copyId = member !== null && typeof member === 'object' && 'copyId' in member ? member.copyId : null;
    if (typeof copyId !== 'string' || !isSafeName(copyId)) throw damagedList();
  }
}
