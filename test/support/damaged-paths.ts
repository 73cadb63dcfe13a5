import type { CopySecret } from '../../backend/engine/crypto/copy-secret.ts';
import { ManifestReader } from '../../backend/engine/manifest/manifest-reader.ts';

/** A stretch of the tar stream of a copy, and what a finding about it is called. */
interface Stretch {
  readonly item: string;
  readonly from: number;
  readonly to: number;
}

/** Which items of a copy lie in which blocks, from its file list alone. */
export interface CopyBlocks {
  /** Base64. */
  readonly hashes: ReadonlySet<string>;
  /** The items that need one of these blocks, as a verification calls them; sorted. */
  readonly itemsIn: (hashes: ReadonlySet<string>) => readonly string[];
}

/** `secret`: opens an encrypted copy. */
export function readCopyBlocks(copyPath: string, secret: CopySecret | null = null): CopyBlocks {
  const reader = new ManifestReader(copyPath, secret);
  try {
    const { header } = reader.file;
    const frames = Array.from({ length: header.frames }, (_, index) => reader.frames.at(index));
    const stretches = [...stretchesOf(reader)];
    return {
      hashes: new Set(frames.map(({ hash }) => hash)),
      itemsIn: (hashes) => {
        const bad = frames.filter(({ hash }) => hashes.has(hash));
        const hit = stretches.filter(({ from, to }) =>
          bad.some(({ start, rawLength }) => start < to && start + rawLength > from),
        );
        return [...new Set(hit.map(({ item }) => item))].toSorted();
      },
    };
  } finally {
    reader.close();
  }
}

function* stretchesOf(reader: ManifestReader): Generator<Stretch> {
  const { source, tarBytes } = reader.file.header;
  const top = source.slice(0, source.lastIndexOf('/'));
  let end = 0;
  for (const step of reader.walk()) {
    if (step.kind === 'lost' || step.kind === 'refused') throw new Error('the file list is damaged');
    const place = step.kind === 'block' ? { ...step.block, storedBytes: 0 } : step.entry;
    if (place.headerOffset === null) continue;
    const to = place.headerOffset + place.headerLength + place.storedBytes;
    yield { item: `${top}/${step.path}`, from: place.headerOffset, to };
    end = to;
  }
  yield { item: 'end of the archive', from: end, to: tarBytes };
}
