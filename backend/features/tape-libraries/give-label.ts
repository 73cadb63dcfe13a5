import { randomUUID } from 'node:crypto';
import type { Db } from '../../db/index.ts';
import {
  firstPartFile,
  type LabelFound,
  type TapeDrive,
  type TapeLabel,
  writeLabel,
} from '../../engine/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { whoseLabel } from './cartridge-rules.ts';
import { type Cartridge, type CartridgeChange, createTapeStore } from './tape-store.ts';

/**
 * Writes a label to a loaded tape and takes it into the catalogue; what was on the tape is gone from both. The label is known before it
 * is written, so that a process that ended between the two finds its own. Rejects as `writeLabel`; then the cartridge is as it was.
 */
export async function giveLabel(
  deps: { readonly db: Db; readonly clock: Clock },
  drive: TapeDrive,
  given: {
    readonly cartridge: Cartridge;
    readonly found: LabelFound;
    readonly more?: CartridgeChange;
  },
  signal: AbortSignal,
): Promise<TapeLabel> {
  const { db, clock } = deps;
  const { cartridge, found } = given;
  const { id, barcode, pool } = cartridge;
  const whose = whoseLabel(cartridge, found);
  // Servers of before have noted a first label as that of the cartridge.
  const isBegun = whose === 'begun' || (whose === 'known' && cartridge.state === 'unlabelled');
  const written = new Date(clock.now()).toISOString();
  const fresh = { uuid: randomUUID(), barcode, pool, written };
  const label = isBegun && found.kind === 'ours' ? found.label : fresh;
  if (!isBegun) await createTapeStore(db).change(id, { nextLabelUuid: label.uuid });
  // One that is there already too: what follows it may be cut off.
  await writeLabel(drive, label, signal);
  await db.transaction().execute(async (tx) => {
    const inside = createTapeStore(tx);
    await inside.removePartsOn(id);
    await inside.change(id, {
      state: 'labelled',
      labelUuid: label.uuid,
      nextLabelUuid: null,
      written: 0,
      nextFile: firstPartFile,
      ...given.more,
    });
  });
  return label;
}
