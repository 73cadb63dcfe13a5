import { describe, expect, it } from 'vitest';
import type { CartridgeScan } from '../../../contract/cartridges/cartridge.ts';
import { mib, tapeTasks } from './tape-task-lab.ts';

const tapes = tapeTasks();
const { start, fill, done, restoresEqual, toTape } = tapes;

it('a label whose process ended before the catalogue knew it written is taken over, not taken for a foreign one', async () => {
  await start();
  await fill(1000);
  await done(await toTape());
  const { db } = tapes.lab.app.database;
  const labels = async () =>
    (await db.selectFrom('cartridges').select(['barcode', 'label_uuid', 'state']).execute()).filter(
      ({ state }) => state !== 'unlabelled',
    );
  const [before] = await labels();
  // As it is between the label on the tape and the next transaction: known, but not yet written.
  await db.deleteFrom('copies').execute();
  await db.deleteFrom('tape_parts').execute();
  await db.updateTable('cartridges').set({ state: 'unlabelled', written: 0, next_file: 0 }).execute();
  await fill(2000);
  await done(await toTape());
  expect(await labels()).toEqual([before]);
});

describe('a catalogue that was lost', () => {
  it.each([
    ['SR0001L8', 'SR0002L8', 'SR0003L8'],
    ['SR0003L8', 'SR0001L8', 'SR0002L8'],
    ['SR0002L8', 'SR0003L8', 'SR0001L8'],
  ])('comes back from the tapes, scanned in the order %s, %s, %s (case 123)', async (...order) => {
    await start();
    await fill(15 * mib);
    const large = await done(await toTape());
    await fill(1000);
    const small = await done(await toTape());
    const { db } = tapes.lab.app.database;
    await db.deleteFrom('copies').execute();
    await db.deleteFrom('tape_parts').execute();
    await db
      .updateTable('cartridges')
      .set({ label_uuid: null, state: 'unlabelled', written: 0, next_file: 0 })
      .execute();
    const found: number[] = [];
    for (const [index, barcode] of order.entries()) {
      const { id } = await tapes.lab.cartridge(barcode);
      const scan = await tapes.lab.queue.good<CartridgeScan>('POST', `/cartridges/${id}/scan`);
      expect(scan.problems).toEqual([]);
      found.push(...scan.copies_found);
      expect(scan.copies_incomplete).toBe(index === 2 ? 0 : 1);
      if (index === 2) expect(scan.cartridges_missing).toEqual([]);
    }
    const copies = await Promise.all(found.map((id) => tapes.lab.queue.copy(id)));
    for (const lost of [large, small]) {
      expect(copies).toContainEqual(
        expect.objectContaining({
          resource: lost.resource,
          size: lost.size,
          real_size: lost.real_size,
          created: lost.created,
          client_id: lost.client_id,
          store_until: null,
          status: 'Not Verified',
        }),
      );
    }
    // The last source is that of the small copy.
    const again = copies.find(({ real_size: size }) => size === small.real_size);
    if (again === undefined) throw new Error('the small copy is not there');
    await restoresEqual(again);
    // And the next backup goes behind what was found.
    await restoresEqual(await done(await toTape()));
  });

  it('leaves a cartridge alone whose last part cannot be read to its end', async () => {
    await start({ barcodes: ['SR0001L8', 'SR0002L8'] });
    await fill(1000);
    await done(await toTape());
    const lost = await done(await toTape());
    const { db } = tapes.lab.app.database;
    const before = await db
      .selectFrom('cartridges')
      .select(['id', 'next_file'])
      .where('barcode', '=', 'SR0001L8')
      .executeTakeFirstOrThrow();
    // The trailer of the last part: each file before it is one block and its mark.
    const trailer = 2 * (before.next_file - 1);
    await tapes.lab.faults({ cartridges: [{ barcode: 'SR0001L8', read_error_at: trailer }] });
    const scan = () => tapes.lab.queue.good<CartridgeScan>('POST', `/cartridges/${before.id}/scan`);
    const whileKnown = await scan();
    expect([whileKnown.state, whileKnown.parts.length]).toEqual(['suspect', 1]);
    const now = await db.selectFrom('cartridges').select('next_file').where('id', '=', before.id).execute();
    expect(now).toEqual([{ next_file: before.next_file }]);
    await db.deleteFrom('copies').execute();
    await db.deleteFrom('tape_parts').execute();
    await db
      .updateTable('cartridges')
      .set({ label_uuid: null, state: 'unlabelled', written: 0, next_file: 0 })
      .where('id', '=', before.id)
      .execute();
    const after = await scan();
    expect([after.state, after.copies_found.length]).toEqual(['suspect', 1]);
    expect(after.problems.join()).toContain('cannot be read');
    // The next backup goes elsewhere, so that what is there can be read once the drive reads it again.
    await done(await toTape());
    expect((await tapes.lab.cartridge('SR0002L8')).copies).toBe(1);
    await tapes.lab.faults(null);
    const again = await scan();
    expect([again.state, again.problems]).toEqual(['labelled', []]);
    const [found] = await Promise.all(again.copies_found.map((id) => tapes.lab.queue.copy(id)));
    expect(found).toMatchObject({ real_size: lost.real_size, created: lost.created });
  });

  it('does not bring back a copy that was given up, though all of it is on the tape; its room is used again', async () => {
    await start();
    await tapes.lab.queue.good('PATCH', '/global_configuration', { verify_archive_after_creation: 'yes' });
    await fill(3 * mib);
    // It is written whole, and cannot be read back.
    await tapes.lab.faults({ cartridges: [{ barcode: 'SR0001L8', read_error_at: 10 }] });
    const failed = await tapes.lab.queue.ended(await toTape());
    expect(failed.status).toBe('error');
    await tapes.lab.faults(null);
    const scan = async () => {
      const { id } = await tapes.lab.cartridge('SR0001L8');
      return tapes.lab.queue.good<CartridgeScan>('POST', `/cartridges/${id}/scan`);
    };
    const found = await scan();
    expect(found.parts).toEqual([expect.objectContaining({ number: 1, is_last: true })]);
    expect([found.copies_found, found.copies_incomplete, found.problems]).toEqual([[], 0, []]);
    expect(await tapes.lab.queue.copies()).toEqual([]);
    expect(await tapes.lab.cartridge('SR0001L8')).toMatchObject({ copies: 0, written: 0 });
    const copy = await done(await toTape());
    expect((await tapes.lab.cartridge('SR0001L8')).written).toBe(copy.real_size);
    expect((await scan()).parts).toHaveLength(1);
    await restoresEqual(copy);
  });

  it('does not bring back what was deleted while the catalogue knew the tape', async () => {
    await start();
    const copy = await done(await toTape());
    await tapes.lab.queue.good('DELETE', `/repository/${copy.id}`);
    const { id } = await tapes.lab.cartridge('SR0001L8');
    const scan = await tapes.lab.queue.good<CartridgeScan>('POST', `/cartridges/${id}/scan`);
    expect([scan.parts.length, scan.copies_found]).toEqual([1, []]);
    expect(await tapes.lab.queue.copies()).toEqual([]);
  });
});
