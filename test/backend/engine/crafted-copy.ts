import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { manifestCodec } from '../../../backend/engine/archive/codec.ts';
import type { Entry } from '../../../backend/engine/archive/entry.ts';
import { ContentHash, hashBytes } from '../../../backend/engine/archive/hash.ts';
import {
  encodeSegmentInfo,
  encodeTrailerHead,
  MANIFEST_NAME,
  type SegmentKind,
} from '../../../backend/engine/archive/manifest-format.ts';
import { encodeBlock } from '../../../backend/engine/archive/manifest-lines.ts';
import { RowCodec } from '../../../backend/engine/archive/row-codec.ts';
import { TAR_END, tarHeaders } from '../../../backend/engine/archive/tar-header.ts';
import { bareRow } from '../../../backend/engine/backup/source-rows.ts';

/** A folder of a copy with rows as an attacker would write them: nothing is checked but the hashes, which are right. */
export interface CraftedFolder {
  readonly folderId: number;
  readonly parentId: number;
  readonly name: string;
  readonly rows: readonly CraftedRow[];
}

export type CraftedRow = Partial<Entry> & Pick<Entry, 'name' | 'type'> & { readonly content?: string };

const FRAME_BYTES = 1_048_576;

const plainStat = { mode: 0o644, uid: 0, gid: 0, mtimeNs: 1_000_000_000n };

/**
 * Writes a copy that holds together, so that only the rules of a restore stand against it. Returns its id. `frameOf`: makes the one frame of an
 * archive of zstd.
 */
export function craftCopy(
  storagePath: string,
  folders: readonly CraftedFolder[],
  header: object = {},
  frameOf: ((tar: Buffer) => Buffer) | null = null,
): string {
  const copyId = randomUUID();
  const folder = path.join(storagePath, copyId);
  const hash = new ContentHash();
  const codec = new RowCodec({});
  const tar: Buffer[] = [];
  const lines: string[] = [];
  const table: number[][] = [];
  let position = 0;
  let ordinal = 0;
  const append = (bytes: Buffer) => {
    tar.push(bytes);
    position += bytes.length;
  };
  for (const { folderId, parentId, name, rows } of folders) {
    lines.push(
      encodeBlock({ folderId, parentId, name, headerOffset: position, headerLength: 0, continued: false }),
    );
    const own = table[folderId]?.[3] ?? 0;
    table[folderId] = [ordinal, rows.length, parentId, own];
    for (const { content = '', ...row } of rows) {
      const data = Buffer.from(content);
      const entry = {
        ...bareRow('', folderId, 'f', plainStat, []),
        ordinal,
        storedBytes: data.length,
        sizeBytes: data.length,
        ...row,
      };
      if (entry.childFolderId !== null) table[entry.childFolderId] = [0, 0, folderId, ordinal];
      if (entry.type !== 'd') {
        const headers = tarHeaders({
          ...entry,
          path: 'x',
          userName: '',
          groupName: '',
          xattrs: [],
          sparseSize: null,
        });
        const place = { headerOffset: position, headerLength: headers.length };
        append(Buffer.concat([headers, data, Buffer.alloc((512 - (data.length % 512)) % 512)]));
        lines.push(codec.encode({ ...entry, ...place, ...row, hash: content === '' ? '' : hash.of(data) }));
      } else lines.push(codec.encode(entry));
      ordinal += 1;
    }
  }
  append(TAR_END);
  fs.mkdirSync(folder);
  const archive = Buffer.concat(tar);
  const stored = frameOf === null ? archive : frameOf(archive);
  fs.writeFileSync(path.join(folder, frameOf === null ? 'archive.tar' : 'archive.tar.zst'), stored);
  const segments: [SegmentKind, number, string][] = [
    ['rows', ordinal, lines.join('')],
    ['folders', table.length, table.map((line) => `${JSON.stringify(line)}\n`).join('')],
    ['frames', 1, `${JSON.stringify([stored.length, hash.of(stored)])}\n`],
  ];
  writeManifest(path.join(folder, MANIFEST_NAME), segments, {
    format: 'strongroom-copy',
    version: 1,
    compression: frameOf === null ? 'None' : 'Optimal',
    frameBytes: FRAME_BYTES,
    tarBytes: archive.length,
    archiveBytes: stored.length,
    frames: 1,
    source: '/resource',
    createdAtMs: 0,
    totals: {
      entries: ordinal,
      files: ordinal,
      folders: table.length - 1,
      sourceBytes: 0,
      skipped: 0,
      changed: 0,
    },
    users: {},
    groups: {},
    ...header,
  });
  return copyId;
}

function writeManifest(
  file: string,
  segments: readonly [SegmentKind, number, string][],
  header: object,
): void {
  const codec = manifestCodec();
  const hash = new ContentHash();
  const parts: Buffer[] = [];
  const infos: string[] = [];
  let offset = 0;
  for (const [kind, count, text] of segments) {
    const raw = Buffer.from(text);
    const stored = Buffer.from(codec.encode(raw));
    const facts = { kind, first: 0, count, offset, length: stored.length, rawLength: raw.length };
    infos.push(encodeSegmentInfo({ ...facts, hash: hash.of(stored), base: 0 }));
    parts.push(stored);
    offset += stored.length;
  }
  const raw = Buffer.from(`${JSON.stringify(header)}\n${infos.join('')}`);
  const index = codec.encode(raw);
  const indexFacts = { indexOffset: offset, indexLength: index.length, indexRawLength: raw.length };
  parts.push(index, encodeTrailerHead({ ...indexFacts, indexHash: hashBytes(hash.of(index)) }));
  const bytes = Buffer.concat(parts);
  fs.writeFileSync(file, Buffer.concat([bytes, hashBytes(hash.of(bytes))]));
}
