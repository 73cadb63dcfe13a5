import { describe, expect, it } from 'vitest';
import type { Cartridge } from '../../../contract/cartridges/cartridge.ts';
import type { Pool } from '../../../contract/pools/pool.ts';
import { mib, tapeTasks } from './tape-task-lab.ts';

const tapes = tapeTasks();
const { start, fill, done, restoresEqual, toTape } = tapes;

const assign = async (barcodes: readonly string[], name: unknown) => {
  const ids = await Promise.all(barcodes.map(async (one) => (await tapes.lab.cartridge(one)).id));
  return tapes.lab.superuser.send('POST', '/cartridges/media_set', { ids, media_set_name: name });
};
const setOf = async (barcode: string) => (await tapes.lab.cartridge(barcode)).media_set_name;
const pool = async (): Promise<Pool> => {
  const found = (await tapes.lab.queue.good<Pool[]>('GET', '/pools')).find(
    ({ pool_name: name }) => name === 'Tapes',
  );
  if (!found) throw new Error('there is no pool Tapes');
  return found;
};
const bind = async (change: Record<string, unknown>) =>
  tapes.lab.superuser.send('PATCH', `/pools/${(await pool()).id}`, change);

describe('a media set that a person names', () => {
  it('takes cartridges in and lets them go, all or none, under one spelling', async () => {
    await start();
    const { lab } = tapes;
    expect((await lab.queue.good<{ names: string[] }>('GET', '/extensions')).names).toContain('media_sets');
    expect(await setOf('SR0001L8')).toBeNull();
    const both = await assign(['SR0001L8', 'SR0002L8'], 'Weekly');
    expect([both.body.errors, both.status]).toEqual([{}, 200]);
    expect(both.data<Cartridge[]>().map((one) => [one.barcode, one.media_set_name])).toEqual([
      ['SR0001L8', 'Weekly'],
      ['SR0002L8', 'Weekly'],
    ]);
    // A slip in case alone makes no second set, of which a pool would have no cartridge.
    expect((await assign(['SR0003L8'], 'WEEKLY')).status).toBe(200);
    expect(await setOf('SR0003L8')).toBe('Weekly');
    expect((await assign(['SR0003L8'], null)).status).toBe(200);
    expect(await setOf('SR0003L8')).toBeNull();
    const filtered = await lab.queue.good<Cartridge[]>('GET', '/cartridges?media_set_name=Weekly');
    expect(filtered.map(({ barcode }) => barcode)).toEqual(['SR0001L8', 'SR0002L8']);

    const cleaning = await assign(['SR0003L8', 'CLN001L1'], 'Weekly');
    expect([cleaning.status, cleaning.body.errors]).toEqual([
      400,
      { ids: 'must hold no cleaning cartridge, which takes no copies: leave out CLN001L1' },
    ]);
    const unknown = await lab.superuser.send('POST', '/cartridges/media_set', {
      ids: [1, 999],
      media_set_name: 'New',
    });
    expect([unknown.status, unknown.body.errors]).toEqual([404, { ids: 'not found: 999' }]);
    expect([await setOf('SR0001L8'), await setOf('SR0003L8')]).toEqual(['Weekly', null]);
    for (const name of ['', ' Weekly', 'a\u0007b', 7]) {
      const refused = await assign(['SR0001L8'], name);
      expect([refused.status, Object.keys(refused.body.errors)]).toEqual([400, ['media_set_name']]);
    }
    const silent = await lab.superuser.send('POST', '/cartridges/media_set', { ids: [1] });
    expect([silent.status, Object.keys(silent.body.errors)]).toEqual([400, ['media_set_name']]);
  });

  it('is what a tape pool can be bound to, and no other pool', async () => {
    await start();
    const { lab } = tapes;
    expect(await pool()).toMatchObject({ media_set_name: null, takes_scratch: false });
    await assign(['SR0002L8'], 'Weekly');
    const bound = await bind({ media_set_name: 'weekly', takes_scratch: true });
    expect(bound.data()).toMatchObject({ media_set_name: 'Weekly', takes_scratch: true });
    expect((await bind({ description: 'kept' })).data()).toMatchObject({ media_set_name: 'Weekly' });
    const refused = await bind({ media_set_name: '', takes_scratch: 'yes' });
    expect([refused.status, refused.body.errors]).toEqual([
      400,
      { media_set_name: 'must not be empty', takes_scratch: 'must be true or false' },
    ]);
    expect((await bind({ media_set_name: null, takes_scratch: null })).data()).toMatchObject({
      media_set_name: null,
      takes_scratch: false,
    });
    const { media_server } = await pool();
    const files = { pool_name: 'Files', pool_type: 'File system', media_server, media_set_name: 'Weekly' };
    const { id } = await lab.queue.good<{ id: number }>('POST', '/pools', files);
    expect(await lab.queue.good('GET', `/pools/${id}`)).toMatchObject({ media_set_name: null });
  });

  it('alone gets the copies of its pool, and a task without room names it and what to do', async () => {
    await start();
    const { lab } = tapes;
    await fill(5 * mib);
    const before = await done(await toTape());
    expect((await lab.cartridge('SR0001L8')).copies).toBe(1);
    await assign(['SR0002L8'], 'Weekly');
    await bind({ media_set_name: 'Weekly' });
    // SR0001L8 has room, and is not of the set.
    await done(await toTape());
    expect((await lab.cartridge('SR0001L8')).copies).toBe(1);
    expect((await lab.cartridge('SR0002L8')).copies).toBe(1);
    const task = await toTape();
    const waiting = await lab.queue.until(task, ({ status }) => status === 'suspended');
    expect(waiting.error_message).toContain(
      'No cartridge of the media set Weekly in the library of pool Tapes',
    );
    expect(waiting.error_message).toContain(
      'Or put another cartridge into the media set Weekly (without a set are SR0003L8)',
    );
    // The remedy is what it says.
    await assign(['SR0003L8'], 'Weekly');
    await lab.queue.good('POST', `/tasks/${task}/continue`, { data: { task_id: task } });
    const copy = await done(task);
    expect((await lab.cartridge('SR0001L8')).copies).toBe(1);
    await restoresEqual(copy);
    // What another set holds is read as ever.
    await restoresEqual(before);
  });

  it('takes an empty cartridge without a set where its pool may, which belongs to it from then on', async () => {
    await start();
    const { lab } = tapes;
    await fill(10 * mib);
    await assign(['SR0002L8'], 'Weekly');
    await assign(['SR0001L8'], 'Monthly');
    await bind({ media_set_name: 'Weekly', takes_scratch: true });
    const task = await toTape();
    const copy = await done(task);
    const found = await Promise.all(['SR0001L8', 'SR0002L8', 'SR0003L8'].map(lab.cartridge));
    expect(found.map((one) => [one.copies, one.media_set_name])).toEqual([
      [0, 'Monthly'],
      [1, 'Weekly'],
      [1, 'Weekly'],
    ]);
    const told = (await lab.queue.log(task, 'servers')).map(({ message }) => message);
    expect(told).toContain('It goes to the media set Weekly alone.');
    expect(told).toContain('The cartridge SR0003L8 belongs to the media set Weekly now.');
    await restoresEqual(copy);
  });
});
