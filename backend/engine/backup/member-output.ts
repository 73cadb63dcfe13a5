import fs from 'node:fs';
import type { ByteString } from '../../platform/byte-path.ts';
import { deviceParts } from '../../platform/native.ts';
import type { Entry, EntryType } from '../archive/entry.ts';
import { ContentHash } from '../archive/hash.ts';
import { USUAL_HEADER_BYTES } from '../archive/manifest-format.ts';
import { padded, tarHeaders } from '../archive/tar-header.ts';
import { type Extent, sparseMap } from '../archive/tar-parse.ts';
import type { UsualRow } from '../archive/usual-row.ts';
import type { Control } from '../job/control.ts';
import type { KnownBlocks } from './known-blocks.ts';
import type { OwnerNames } from './owner-names.ts';
import type { ItemStat, Xattr } from './source-item.ts';
import type { TarOutput } from './tar-output.ts';

/** What is written of one member, for its row. */
export type Written = Pick<
  Entry,
  'headerOffset' | 'headerLength' | 'storedBytes' | 'hash' | 'sizeBytes' | 'sparse' | 'changed'
>;

/** Read at once: it is hashed while it is still in the cache of the processor. */
const MOST_AT_ONCE = 262_144;

/** Called with what `large` would answer as `failure`, and where in the file that is. */
type GiveUp = (failure: string, at: number) => never;

export interface MemberStream {
  add(bytes: Buffer): void;
  end(): Written;
}

export interface MemberFacts {
  readonly tarPath: ByteString;
  readonly stat: ItemStat;
  readonly xattrs: readonly Xattr[];
}

/** Writes members to the tar stream: headers, data, padding. */
export class MemberOutput {
  readonly #output: TarOutput;
  readonly #control: Control;
  readonly #users: Pick<OwnerNames, 'nameOf'>;
  readonly #groups: Pick<OwnerNames, 'nameOf'>;
  readonly #hash = new ContentHash();

  constructor(
    output: TarOutput,
    control: Control,
    users: Pick<OwnerNames, 'nameOf'>,
    groups: Pick<OwnerNames, 'nameOf'>,
  ) {
    this.#output = output;
    this.#control = control;
    this.#users = users;
    this.#groups = groups;
  }

  /** A member without data: folder, link, FIFO, device node. Returns where its headers are. */
  bare(member: MemberFacts, type: EntryType, linkTarget: ByteString = ''): Written {
    const place = this.#headers(member, type, 0, { linkTarget });
    return { ...place, storedBytes: 0, hash: '', sizeBytes: 0, sparse: false, changed: false };
  }

  /** The member of a row of the copy before, as it stands there; answers where its headers are. Null: it is to be written anew. */
  taken(row: UsualRow, blocks: KnownBlocks): number | null {
    const member = blocks.memberOf(row);
    const headerOffset = this.#output.position;
    if (member === null || !this.#output.knownMember(member)) return null;
    this.#output.fillZeros(padded(row.sizeBytes) - row.sizeBytes);
    return headerOffset;
  }

  /** The names of owners whose members are not written anew. */
  noteOwner({ uid, gid }: Pick<ItemStat, 'uid' | 'gid'>): readonly [user: ByteString, group: ByteString] {
    return [this.#users.nameOf(uid), this.#groups.nameOf(gid)];
  }

  small(member: MemberFacts, bytes: Buffer, changed: boolean): Written {
    const { length } = bytes;
    const hash = length === 0 ? '' : this.#hash.of(bytes);
    const headers = this.#headersOf(member, 'f', length, '', null);
    const headerOffset = this.#output.position;
    this.#output.writeMember(headers, bytes, padded(length) - length);
    return {
      headerOffset,
      headerLength: headers.length,
      storedBytes: length,
      hash,
      sizeBytes: length,
      sparse: false,
      changed,
    };
  }

  /** Where the bytes of a small file can be read to, so that `small` need not copy them; null: elsewhere. */
  roomForSmall(bytes: number): Buffer | null {
    return this.#output.roomBehind(USUAL_HEADER_BYTES, bytes);
  }

  /** A file whose content the copy before has as blocks. */
  known(member: MemberFacts, old: Entry, blocks: KnownBlocks): Written {
    const { storedBytes, sizeBytes, hash, sparse } = old;
    const place = this.#headers(member, 'f', storedBytes, { sparseSize: sparse ? sizeBytes : null });
    if (storedBytes > 0) this.#output.cut();
    blocks.write(old);
    this.#output.fillZeros(padded(storedBytes) - storedBytes);
    return { ...place, storedBytes, hash, sizeBytes, sparse, changed: false };
  }

  /**
   * A large file, or one with holes (`extents`). Its size is announced before its data are read: what is missing
   * at the end is filled with zeros and said (`failure`: the error's code when it could not be read, `''` when
   * the file had become shorter, null when all is there). `giveUp` ends the work there instead.
   */
  large(
    member: MemberFacts,
    fd: number,
    extents: readonly Extent[] | null,
    giveUp: GiveUp | null = null,
  ): { readonly written: Written; readonly failure: string | null } {
    const size = member.stat.sizeBytes;
    const map = extents === null ? null : sparseMap(extents);
    const parts = extents ?? [{ offset: 0, length: size }];
    const storedBytes = (map?.length ?? 0) + parts.reduce((sum, part) => sum + part.length, 0);
    const place = this.#headers(member, 'f', storedBytes, { sparseSize: map === null ? null : size });
    this.#hash.start();
    this.#output.cut();
    if (map !== null) {
      this.#output.write(map);
      this.#output.cut();
      this.#hash.update(map);
    }
    let failure: string | null = null;
    for (const part of parts) {
      failure = this.#copy(fd, part, failure, giveUp);
    }
    this.#output.cut();
    this.#output.fillZeros(padded(storedBytes) - storedBytes);
    const hash = storedBytes === 0 ? '' : this.#hash.digest();
    const written = {
      ...place,
      storedBytes,
      hash,
      sizeBytes: size,
      sparse: map !== null,
      changed: failure !== null,
    };
    return { written, failure };
  }

  /** A member whose `size` bytes come piece by piece. All of them must have come before `end`. */
  stream(member: MemberFacts, size: number): MemberStream {
    const place = this.#headers(member, 'f', size);
    this.#hash.start();
    if (size > 0) this.#output.cut();
    return {
      add: (bytes) => {
        this.#hash.update(bytes);
        this.#output.write(bytes);
      },
      end: () => {
        if (size > 0) this.#output.cut();
        this.#output.fillZeros(padded(size) - size);
        const hash = size === 0 ? '' : this.#hash.digest();
        return { ...place, storedBytes: size, hash, sizeBytes: size, sparse: false, changed: false };
      },
    };
  }

  #copy(fd: number, part: Extent, failed: string | null, giveUp: GiveUp | null): string | null {
    let failure = failed;
    let done = 0;
    while (done < part.length) {
      this.#control.check();
      const room = this.#output.room().subarray(0, Math.min(part.length - done, MOST_AT_ONCE));
      let count = 0;
      if (failure === null) {
        try {
          count = fs.readSync(fd, room, 0, room.length, part.offset + done);
          if (count === 0) failure = '';
        } catch (error) {
          failure = (error as NodeJS.ErrnoException).code ?? 'EIO';
        }
      }
      if (failure !== null) {
        giveUp?.(failure, part.offset + done);
        room.fill(0);
        count = room.length;
      }
      this.#hash.update(room.subarray(0, count));
      this.#output.advance(count);
      this.#control.add('bytesDone', count);
      done += count;
    }
    return failure;
  }

  #headers(
    member: MemberFacts,
    type: EntryType,
    storedBytes: number,
    more: { readonly linkTarget?: ByteString; readonly sparseSize?: number | null } = {},
  ): { readonly headerOffset: number; readonly headerLength: number } {
    const headers = this.#headersOf(
      member,
      type,
      storedBytes,
      more.linkTarget ?? '',
      more.sparseSize ?? null,
    );
    const headerOffset = this.#output.position;
    this.#output.write(headers);
    return { headerOffset, headerLength: headers.length };
  }

  /** Valid until the next call. */
  #headersOf(
    member: MemberFacts,
    type: EntryType,
    storedBytes: number,
    linkTarget: ByteString,
    sparseSize: number | null,
  ): Buffer {
    const { stat } = member;
    const isDevice = type === 'c' || type === 'b';
    const { major, minor } = isDevice ? deviceParts(stat.rdev) : { major: 0, minor: 0 };
    return tarHeaders({
      path: member.tarPath,
      type,
      storedBytes,
      mode: stat.mode,
      uid: stat.uid,
      gid: stat.gid,
      userName: this.#users.nameOf(stat.uid),
      groupName: this.#groups.nameOf(stat.gid),
      mtimeNs: stat.mtimeNs,
      linkTarget,
      xattrs: member.xattrs,
      sparseSize,
      major,
      minor,
    });
  }
}
