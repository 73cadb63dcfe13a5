import type { ByteString } from '../../platform/byte-path.ts';
import type { TarInputMember, TarInputSink } from '../archive/tar-input.ts';
import type { Control } from '../job/control.ts';
import { ArrivalRows, type ArrivedRow } from './arrival-rows.ts';
import type { MemberOutput, MemberStream, Written } from './member-output.ts';
import type { ItemStat } from './source-item.ts';
import { bareRow } from './source-rows.ts';

type Facts = Pick<TarInputMember, 'mode' | 'uid' | 'gid' | 'mtimeSeconds'>;

/** What others may see of a folder that the stream does not describe. */
const FOLDER_MODE = 0o700;
const NS_PER_SECOND = 1_000_000_000n;

/** Writes the members of another program's stream below a folder with the name of the resource, as they come. */
export class StreamMembers implements TarInputSink {
  readonly #members: MemberOutput;
  readonly #control: Control;
  readonly #name: ByteString;
  /** Told the names of owners before their members are written. */
  readonly #noteOwner: (member: TarInputMember) => void;
  #rows: ArrivalRows | null = null;
  #open: { readonly path: ByteString; readonly row: ArrivedRow; readonly stream: MemberStream } | null = null;
  files = 0;
  bytes = 0;

  constructor(
    members: MemberOutput,
    options: {
      readonly control: Control;
      readonly name: ByteString;
      readonly noteOwner: (member: TarInputMember) => void;
    },
  ) {
    this.#members = members;
    this.#control = options.control;
    this.#name = options.name;
    this.#noteOwner = options.noteOwner;
  }

  /** Null: nothing has come. */
  get rows(): ArrivalRows | null {
    return this.#rows;
  }

  begin(member: TarInputMember): void {
    this.#control.check();
    this.#noteOwner(member);
    this.#rows ??= new ArrivalRows(this.#folder(this.#name, this.#name, { ...member, mode: FOLDER_MODE }));
    // The top itself, under the name `.`.
    if (member.path === '') return;
    const name = member.path.slice(member.path.lastIndexOf('/') + 1);
    this.#ensureFolders(member);
    const tarPath = `${this.#name}/${member.path}`;
    if (member.type === 'd') {
      this.#rows.add(member.path, this.#folder(tarPath, name, member));
      return;
    }
    this.#control.setPath(member.path);
    const stat = statOf(member, member.sizeBytes);
    const row = arrived(name, 'f', stat);
    const stream = this.#members.stream({ tarPath, stat, xattrs: [] }, member.sizeBytes);
    this.#open = { path: member.path, row, stream };
  }

  data(bytes: Buffer): void {
    this.#open?.stream.add(bytes);
    this.#control.add('bytesDone', bytes.length);
  }

  end(): void {
    if (this.#open === null) return;
    const { path, row, stream } = this.#open;
    this.#open = null;
    const written = stream.end();
    this.#rows?.add(path, { ...row, ...written });
    this.files += 1;
    this.bytes += written.sizeBytes;
    this.#control.add('filesDone', 1);
  }

  #ensureFolders(member: TarInputMember): void {
    for (let slash = member.path.indexOf('/'); slash >= 0; slash = member.path.indexOf('/', slash + 1)) {
      const path = member.path.slice(0, slash);
      if (this.#rows?.hasFolder(path)) continue;
      const name = path.slice(path.lastIndexOf('/') + 1);
      this.#rows?.add(path, this.#folder(`${this.#name}/${path}`, name, { ...member, mode: FOLDER_MODE }));
    }
  }

  #folder(tarPath: ByteString, name: ByteString, facts: Facts): ArrivedRow {
    const stat = statOf(facts, 0);
    const written: Written = this.#members.bare({ tarPath, stat, xattrs: [] }, 'd');
    return { ...arrived(name, 'd', stat), ...written };
  }
}

function arrived(name: ByteString, type: 'f' | 'd', stat: ItemStat): ArrivedRow {
  const { folderId: _folder, childFolderId: _child, ...row } = bareRow(name, 0, type, stat, []);
  return row;
}

function statOf({ mode, uid, gid, mtimeSeconds }: Facts, sizeBytes: number): ItemStat {
  return {
    type: 'f',
    key: '',
    device: 0n,
    inode: 0n,
    hasLinks: false,
    sizeBytes,
    allocatedBytes: sizeBytes,
    mode,
    uid,
    gid,
    mtimeNs: BigInt(mtimeSeconds) * NS_PER_SECOND,
    ctimeNs: 0n,
    rdev: 0n,
  };
}
