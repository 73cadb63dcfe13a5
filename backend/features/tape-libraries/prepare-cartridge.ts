import type { Db } from '../../db/index.ts';
import { type LabelFound, readLabel, type TapeDrive, type TapeLabel } from '../../engine/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { mayWrite, type Use } from './cartridge-rules.ts';
import { giveLabel } from './give-label.ts';
import { type Cartridge, createTapeStore } from './tape-store.ts';
import type { TapeWork } from './tape-work.ts';
import { candidatesOf, type WrittenSet } from './written-set.ts';

/**
 * Reads the label of the loaded tape and decides whether a copy may be written to it; writes a new label where that may be. What is
 * known of the cartridge is read again: while its drive was waited for, another task may have written to it. Null: not to be used.
 */
export async function prepareCartridge(
  deps: { readonly db: Db; readonly clock: Clock },
  drive: TapeDrive,
  wanted: { readonly id: number; readonly set: WrittenSet | null },
  work: TapeWork,
): Promise<{ readonly label: TapeLabel; readonly cartridge: Cartridge } | null> {
  const store = createTapeStore(deps.db);
  const { id, set } = wanted;
  const [candidate] = candidatesOf(set, await store.some([id]));
  if (candidate === undefined) return null;
  const { cartridge, use } = candidate;
  const { barcode, pool } = cartridge;
  const found = await readLabel(drive, work.signal);
  if (!mayWrite(candidate, found)) {
    await store.change(id, { state: use === 'label' ? 'foreign' : 'suspect' });
    work.log('warning', `The cartridge ${barcode} ${whyNotWritten(use, found)}`);
    return null;
  }
  if (use === 'append' && found.kind === 'ours') return { label: found.label, cartridge };
  const label = await giveLabel(deps, drive, { cartridge, found }, work.signal);
  work.log('info', `The cartridge ${barcode} was given a label of pool ${pool}.`);
  const [now] = await store.some([id]);
  return now === undefined ? null : { label, cartridge: now };
}

function whyNotWritten(use: Use, found: LabelFound): string {
  if (found.kind === 'ours') {
    const { pool, written, barcode } = found.label;
    return `has a label of the pool ${pool} that was not written here (for ${barcode}, ${written}); it is not written. Read it to take its copies into the catalogue, or label it anew when nobody needs them.`;
  }
  return use === 'append'
    ? 'does not have the label that it was given; it is not written.'
    : 'holds something that is not known here; it is not written.';
}
