import type { CartridgeScan } from '../../../contract/cartridges/cartridge.ts';
import type { Db, Tx } from '../../db/index.ts';
import type { CopyFacts, LabelFound, ScannedPart, ScannedTape } from '../../engine/index.ts';
import { foundFacts, stateOfBlank } from './cartridge-rules.ts';
import { createTapeCopyStore } from './tape-copy-store.ts';
import { type Cartridge, createTapeStore, type PlacedPart } from './tape-store.ts';

/**
 * Takes what a tape says into the catalogue. A copy appears once all of its cartridges were scanned, in any order; what the
 * catalogue knows of this tape already stays as it is, so that no copy comes back that was deleted here.
 */
export async function saveScan(
  db: Db,
  cartridge: Cartridge,
  tape: { readonly found: LabelFound; readonly scanned: ScannedTape | null },
): Promise<CartridgeScan> {
  const { found, scanned } = tape;
  const { barcode } = cartridge;
  if (scanned === null) {
    const isBlank = found.kind === 'blank';
    const state = isBlank ? stateOfBlank(cartridge) : 'foreign';
    await createTapeStore(db).change(cartridge.id, { state });
    const problems = found.kind === 'foreign' ? [`The cartridge ${barcode} holds ${found.what}.`] : [];
    return { ...nothing, state, problems };
  }
  const { label } = scanned;
  const problems = [...scanned.problems];
  if (label.barcode !== barcode) {
    const text = `The label on the tape says ${label.barcode}, the barcode is ${barcode}: find out which is right.`;
    await createTapeStore(db).change(cartridge.id, { state: 'suspect' });
    return { ...nothing, state: 'suspect', label, problems: [text, ...problems] };
  }
  return db.transaction().execute(async (tx) => {
    const store = createTapeStore(tx);
    const catalogue = createTapeCopyStore(tx);
    const known = cartridge.labelUuid === label.uuid ? await store.partsOn(cartridge.id) : [];
    if (cartridge.labelUuid !== null && cartridge.labelUuid !== label.uuid && cartridge.copies > 0) {
      await store.change(cartridge.id, { state: 'suspect' });
      const text = `The tape was given another label since its ${cartridge.copies} copies were written.`;
      return { ...nothing, state: 'suspect', label, problems: [text, ...problems] };
    }
    if (known.length === 0) await store.removePartsOn(cartridge.id);
    const givenUp = await catalogue.givenUp(scanned.parts.map(({ header }) => header.copy));
    const fresh = scanned.parts.filter(
      ({ file, header }) => !givenUp.has(header.copy) && !known.some((part) => part.file === file),
    );
    const nextFile = fileBehind(scanned, givenUp);
    for (const part of fresh) {
      await store.addPart({
        cartridgeId: cartridge.id,
        copyUuid: part.header.copy,
        number: part.header.number,
        file: part.file,
        bytes: bytesOf(part),
        isLast: part.trailer.isLast,
        state: 'found',
        facts: JSON.stringify(part.trailer.facts ?? part.header.facts),
      });
    }
    const written = scanned.parts
      .filter(({ file }) => file < nextFile)
      .reduce((sum, part) => sum + bytesOf(part), 0);
    const state = stateOf(cartridge, known, scanned);
    await store.change(cartridge.id, {
      state,
      labelUuid: label.uuid,
      nextLabelUuid: null,
      written,
      // What the catalogue knows is not written over because its end cannot be read now.
      nextFile: known.length > 0 ? Math.max(cartridge.nextFile, nextFile) : nextFile,
    });
    const { copies, incomplete, missing } = await register(tx, cartridge, fresh);
    return {
      state,
      label,
      parts: scanned.parts.map((part) => ({
        file: part.file,
        copy_uuid: part.header.copy,
        number: part.header.number,
        bytes: bytesOf(part),
        is_last: part.trailer.isLast,
      })),
      copies_found: copies,
      copies_incomplete: incomplete,
      cartridges_missing: missing,
      problems,
    };
  });
}

const nothing = {
  label: null,
  parts: [],
  copies_found: [],
  copies_incomplete: 0,
  cartridges_missing: [],
  problems: [],
};

/** One that lost something is not written any more: the next part could go over what may be saved yet. */
function stateOf(
  cartridge: Cartridge,
  known: readonly PlacedPart[],
  { parts, isDamaged }: ScannedTape,
): 'suspect' | 'full' | 'labelled' {
  const isLost = known.some(({ file }) => !parts.some((part) => part.file === file));
  if (isDamaged || isLost) return 'suspect';
  return cartridge.state === 'full' && known.length > 0 ? 'full' : 'labelled';
}

/** Where the next part goes: over what was given up, when nothing else is behind it. */
function fileBehind({ parts, nextFile }: ScannedTape, givenUp: ReadonlySet<string>): number {
  const used = parts.findLastIndex(({ header }) => !givenUp.has(header.copy));
  return parts[used + 1]?.file ?? nextFile;
}

const bytesOf = ({ trailer }: ScannedPart): number =>
  trailer.pieces.reduce((sum, piece) => sum + piece.bytes, 0);

/** Copies that are whole now, and the cartridges that the others still need. */
async function register(
  tx: Tx,
  cartridge: Cartridge,
  fresh: readonly ScannedPart[],
): Promise<{ readonly copies: number[]; readonly incomplete: number; readonly missing: string[] }> {
  const store = createTapeStore(tx);
  const catalogue = createTapeCopyStore(tx);
  const copies: number[] = [];
  const missing = new Set<string>();
  let incomplete = 0;
  for (const uuid of new Set(fresh.map(({ header }) => header.copy))) {
    const parts = await store.partsOf(uuid);
    if (await catalogue.isCopy(uuid)) {
      await store.settleParts(uuid);
      continue;
    }
    if (!isWhole(parts)) {
      incomplete += 1;
      const own = fresh.filter(({ header }) => header.copy === uuid);
      for (const barcode of own.flatMap(neighbours)) {
        if (!parts.some((part) => part.barcode === barcode)) missing.add(barcode);
      }
      continue;
    }
    const facts = foundFacts(JSON.parse(parts.at(-1)?.facts ?? '{}') as CopyFacts);
    const clientId = await catalogue.clientByHwid(facts.clientHwid);
    copies.push(await catalogue.insertCopy({ uuid, poolId: cartridge.poolId, clientId, facts }));
    await store.settleParts(uuid);
  }
  return { copies, incomplete, missing: [...missing].sort() };
}

/** Cartridges that a part names: the one before, and, of the last part, all. */
const neighbours = ({ header, trailer }: ScannedPart): readonly string[] => [
  ...(header.before === null ? [] : [header.before.barcode]),
  ...trailer.cartridges.map(({ barcode }) => barcode),
];

function isWhole(parts: readonly PlacedPart[]): boolean {
  return (
    parts.length > 0 &&
    parts.every((part, index) => part.number === index + 1) &&
    parts.at(-1)?.isLast === true
  );
}
