import type { Db } from '../../db/index.ts';
import { readLabel, type TapeDrive, type TapeLabel } from '../../engine/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { candidates, mayWrite } from './cartridge-rules.ts';
import { giveLabel } from './give-label.ts';
import type { TapeWork } from './tape-copy-service.ts';
import { type Cartridge, createTapeStore } from './tape-store.ts';

/**
 * Reads the label of the loaded tape and decides whether a copy may be written to it; writes a new label where that may be. What is
 * known of the cartridge is read again: while its drive was waited for, another task may have written to it. Null: not to be used.
 */
export async function prepareCartridge(
  deps: { readonly db: Db; readonly clock: Clock },
  drive: TapeDrive,
  id: number,
  work: TapeWork,
): Promise<{ readonly label: TapeLabel; readonly cartridge: Cartridge } | null> {
  const store = createTapeStore(deps.db);
  const [candidate] = candidates(await store.some([id]));
  if (candidate === undefined) return null;
  const { cartridge, use } = candidate;
  const { barcode, pool } = cartridge;
  const found = await readLabel(drive, work.signal);
  if (!mayWrite(candidate, found)) {
    await store.change(id, { state: use === 'label' ? 'foreign' : 'suspect' });
    const why =
      use === 'append'
        ? 'does not have the label that it was given'
        : 'holds something that is not known here';
    work.log('warning', `The cartridge ${barcode} ${why}; it is not written.`);
    return null;
  }
  if (use === 'append' && found.kind === 'ours') return { label: found.label, cartridge };
  const label = await giveLabel(deps, drive, { cartridge, found }, work.signal);
  work.log('info', `The cartridge ${barcode} was given a label of pool ${pool}.`);
  const [now] = await store.some([id]);
  return now === undefined ? null : { label, cartridge: now };
}
