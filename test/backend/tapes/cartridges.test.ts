import { afterEach, describe, expect, it } from 'vitest';
import type { CartridgeScan, LibraryElementRecord } from '../../../contract/cartridges/cartridge.ts';
import { openTapeLab, type TapeLab } from './tape-lab.ts';

let lab: TapeLab;
const start = async (...options: Parameters<typeof openTapeLab>): Promise<void> => {
  lab = await openTapeLab(...options);
};
afterEach(() => lab.close());

const slots = () => lab.queue.good<LibraryElementRecord[]>('GET', `/tape_libraries/${lab.library}/slots`);
const scan = async (barcode: string) =>
  lab.queue.good<CartridgeScan>('POST', `/cartridges/${(await lab.cartridge(barcode)).id}/scan`);

describe('a cartridge', () => {
  it('is registered once a sync has refused it, and then the sync is content (case 132)', async () => {
    await start();
    const all = ['SR0001L8', 'SR0002L8', 'SR0003L8', 'CLN001L1', 'NEW001L8'];
    const refused = await lab.inside(all);
    expect([refused.status, refused.body.errors]).toEqual([422, { barcode: 'NEW001L8' }]);
    const wish = { tape_library: lab.library, barcode: 'new001l8' };
    const made = await lab.superuser.send('POST', '/cartridges', wish);
    expect([made.body.errors, made.status]).toEqual([{}, 201]);
    expect(await lab.cartridge('NEW001L8')).toMatchObject({
      tape_library: lab.library,
      pool: 'Tapes',
      location: 'mail',
      element_address: 16,
      state: 'unlabelled',
      label_uuid: null,
      written: 0,
      capacity: null,
      copies: 0,
      expires: null,
    });
    expect((await lab.superuser.send('POST', `/tape_libraries/${lab.library}/sync`)).status).toBe(200);
    const again = await lab.superuser.send('POST', '/cartridges', wish);
    expect([again.status, again.body.errors.barcode]).toEqual([
      400,
      expect.stringContaining('registered already'),
    ]);
    const absent = await lab.superuser.send('POST', '/cartridges', { ...wish, barcode: 'FAR001L8' });
    expect([absent.status, absent.body.errors.barcode]).toEqual([
      400,
      expect.stringContaining('put it in first'),
    ]);
  });

  it('gets a label, goes back to its slot, and a scan reads it again', async () => {
    await start();
    expect((await lab.label('SR0002L8')).body.errors).toEqual({});
    const labelled = await lab.cartridge('SR0002L8');
    expect(labelled).toMatchObject({ state: 'labelled', location: 'storage', element_address: 1001 });
    expect(await scan('SR0002L8')).toEqual({
      state: 'labelled',
      label: {
        uuid: labelled.label_uuid,
        barcode: 'SR0002L8',
        pool: 'Tapes',
        written: expect.stringMatching(/Z$/),
      },
      parts: [],
      copies_found: [],
      copies_incomplete: 0,
      cartridges_missing: [],
      problems: [],
    });
    expect(await scan('SR0001L8')).toMatchObject({ state: 'unlabelled', label: null });
  });

  it('that holds a label gets another one only when told to overwrite', async () => {
    await start();
    await lab.label('SR0001L8');
    const before = await lab.cartridge('SR0001L8');
    const refused = await lab.label('SR0001L8');
    expect([refused.status, refused.body.errors.overwrite]).toEqual([
      400,
      expect.stringContaining('a label of SR0001L8 in pool Tapes'),
    ]);
    expect(await lab.cartridge('SR0001L8')).toEqual(before);
    const { id } = before;
    const without = await lab.superuser.send('PATCH', `/cartridges/${id}`, { overwrite: true });
    expect([without.status, Object.keys(without.body.errors)]).toEqual([400, ['label']]);
    expect((await lab.superuser.send('PATCH', `/cartridges/${id}`, {})).data()).toEqual(before);
    expect((await lab.label('SR0001L8', { overwrite: true })).status).toBe(200);
    expect((await lab.cartridge('SR0001L8')).label_uuid).not.toBe(before.label_uuid);
  });

  it('whose tape cannot be read is foreign, and is not written without being told', async () => {
    await start();
    await lab.faults({ cartridges: [{ barcode: 'SR0001L8', read_error_at: 0 }] });
    const refused = await lab.label('SR0001L8');
    expect([refused.status, refused.body.errors.overwrite]).toEqual([
      400,
      expect.stringContaining('cannot be read'),
    ]);
    expect(await lab.cartridge('SR0001L8')).toMatchObject({ state: 'foreign', label_uuid: null });
  });

  it('with a cleaning barcode is never labelled or read (case 107)', async () => {
    await start();
    expect(await lab.cartridge('CLN001L1')).toMatchObject({ state: 'cleaning' });
    const refused = await lab.label('CLN001L1', { overwrite: true });
    expect([refused.status, refused.body.errors.label]).toEqual([
      400,
      expect.stringContaining('cleaning cartridge'),
    ]);
    const { id } = await lab.cartridge('CLN001L1');
    expect((await lab.superuser.send('POST', `/cartridges/${id}/scan`)).status).toBe(400);
  });

  it('outside its library stays listed and is not labelled (cases 117 and 120)', async () => {
    await start();
    expect((await lab.inside(['SR0001L8', 'SR0003L8', 'CLN001L1'])).status).toBe(200);
    expect(await lab.cartridge('SR0002L8')).toMatchObject({ location: 'outside', element_address: null });
    const refused = await lab.label('SR0002L8');
    expect([refused.status, refused.body.errors.label]).toEqual([400, expect.stringContaining('is outside')]);
  });

  it('that was taken out since the last sync is missed at once, and is outside then', async () => {
    await start();
    const cartridges = ['SR0002L8', 'SR0003L8', 'CLN001L1'];
    await lab.queue.good('PATCH', `/virtual_libraries/${lab.virtual}`, { cartridges });
    const refused = await lab.label('SR0001L8');
    expect([refused.status, refused.body.message]).toEqual([
      400,
      expect.stringContaining('SR0001L8 is not in the library of pool Tapes; put it in'),
    ]);
    expect((await lab.cartridge('SR0001L8')).location).toBe('outside');
  });

  it('under another barcode than its label says is suspect (case 110)', async () => {
    await start();
    await lab.label('SR0001L8');
    await lab.app.database.db
      .updateTable('cartridges')
      .set({ barcode: 'SR0001L9', label_uuid: null })
      .where('barcode', '=', 'SR0001L8')
      .execute();
    const { rename, readFile, writeFile } = await import('node:fs/promises');
    const rack = `${lab.app.dataDir}/virtual-libraries/rack`;
    await lab.app.built.stop();
    await rename(`${rack}/cartridges/SR0001L8.tape`, `${rack}/cartridges/SR0001L9.tape`);
    const state = await readFile(`${rack}/library.json`, 'utf8');
    await writeFile(`${rack}/library.json`, state.replaceAll('SR0001L8', 'SR0001L9'));
    expect(await scan('SR0001L9')).toMatchObject({
      state: 'suspect',
      problems: [expect.stringContaining('says SR0001L8, the barcode is SR0001L9')],
    });
    expect((await lab.label('SR0001L9')).status).toBe(400);
  });

  it('is registered no longer when told so', async () => {
    await start();
    const { id } = await lab.cartridge('SR0003L8');
    expect((await lab.superuser.send('DELETE', '/cartridges', { ids: [id] })).status).toBe(200);
    expect((await lab.superuser.send('GET', `/cartridges/${id}`)).status).toBe(404);
    expect((await lab.superuser.send('POST', `/tape_libraries/${lab.library}/sync`)).status).toBe(422);
  });
});

it('the write protection of a cartridge is known once a drive has loaded it, and again when it is gone', async () => {
  await start();
  expect((await lab.cartridge('SR0001L8')).write_protected).toBeNull();
  await lab.faults({ cartridges: [{ barcode: 'SR0001L8', write_protected: true }] });
  const refused = await lab.label('SR0001L8');
  expect([refused.status, refused.body.errors.label]).toEqual([
    400,
    expect.stringContaining('write-protected'),
  ]);
  expect((await lab.cartridge('SR0001L8')).write_protected).toBe(true);
  await lab.faults(null);
  expect((await lab.label('SR0001L8')).status).toBe(200);
  expect((await lab.cartridge('SR0001L8')).write_protected).toBe(false);
});

describe('the places of a library', () => {
  it('are told with addresses, numbers and the registered cartridges', async () => {
    await start();
    const all = await slots();
    expect(all.map(({ address, type, number }) => `${address} ${type} ${number}`)).toEqual([
      ...[1000, 1001, 1002, 1003, 1004, 1005].map((address, index) => `${address} storage ${index + 1}`),
      '16 mail 1',
      '256 drive 1',
      '1 robot 1',
    ]);
    const { id } = await lab.cartridge('SR0001L8');
    expect(all[0]).toMatchObject({ full: true, barcode: 'SR0001L8', cartridge: id, needs_person: false });
  });

  it('tell what a person has put in, and what needs a person and why', async () => {
    await start();
    expect((await lab.inside(['SR0001L8', 'SR0002L8', 'SR0003L8', 'CLN001L1', 'SR0004L8'])).status).toBe(422);
    await lab.faults({ unreadable_barcodes: ['SR0002L8'] });
    const all = await slots();
    expect(all.filter((one) => one.from_outside)).toMatchObject([{ type: 'mail', barcode: 'SR0004L8' }]);
    expect(all.filter((one) => one.needs_person)).toMatchObject([
      { type: 'storage', barcode: null, reason: 'the label of a cartridge cannot be read (83/00)' },
    ]);
    // The robot tells of the reach of its places, but for itself.
    expect(all.map(({ reachable }) => reachable)).toEqual([...Array(8).fill(true), null]);
  });

  it('change when the robot is told to move, out of a drive too', async () => {
    await start();
    const move = (from: number, to: number) =>
      lab.superuser.send('POST', `/tape_libraries/${lab.library}/move`, { from, to });
    expect((await move(1000, 256)).body.errors).toEqual({});
    expect(await lab.cartridge('SR0001L8')).toMatchObject({ location: 'drive', element_address: 256 });
    expect((await move(256, 16)).body.errors).toEqual({});
    expect(await lab.cartridge('SR0001L8')).toMatchObject({ location: 'mail', element_address: 16 });
    for (const [from, to, field] of [
      [1000, 1004, 'from'],
      [1001, 1002, 'to'],
      [7, 1004, 'from'],
      [1001, 7, 'to'],
    ] as const) {
      const refused = await move(from, to);
      expect([refused.status, Object.keys(refused.body.errors)]).toEqual([400, [field]]);
    }
  });

  it('are changed by a robot that takes cartridges out of drives itself only where it can (case 114)', async () => {
    await start();
    const library = `/tape_libraries/${lab.library}`;
    expect(await lab.queue.good('GET', library)).toMatchObject({ robot_unloads: false });
    const refused = await lab.superuser.send('PATCH', library, { robot_unloads: 'yes' });
    expect([refused.status, refused.body.errors]).toEqual([400, { robot_unloads: 'must be true or false' }]);
    expect((await lab.superuser.send('PATCH', '/tape_libraries/999', { robot_unloads: true })).status).toBe(
      404,
    );
    expect(await lab.queue.good('PATCH', library, { robot_unloads: true })).toMatchObject({
      id: lab.library,
      robot_unloads: true,
    });
    // The simulated robot is not one of these, so that it gets nothing out of the drive, and says what it needs.
    const move = () => lab.superuser.send('POST', `${library}/move`, { from: 256, to: 1001 });
    expect((await lab.label('SR0002L8')).body.errors).toEqual({});
    expect(await lab.cartridge('SR0002L8')).toMatchObject({ location: 'drive', element_address: 256 });
    expect((await move()).body.errors).toEqual({ from: expect.stringContaining('Unload the drive') });
    await lab.queue.good('PATCH', library, { robot_unloads: false });
    expect((await move()).body.errors).toEqual({});
    expect(await lab.cartridge('SR0002L8')).toMatchObject({ location: 'storage', element_address: 1001 });
  });

  it('are left clear: what somebody left in the drive is put away before another is loaded (case 115)', async () => {
    await start();
    await lab.superuser.send('POST', `/tape_libraries/${lab.library}/move`, { from: 1000, to: 256 });
    expect((await lab.label('SR0002L8')).body.errors).toEqual({});
    const full = (await slots())
      .filter((one) => one.full)
      .map(({ address, barcode }) => `${address} ${barcode}`);
    expect(full).toEqual(['1000 SR0001L8', '1001 SR0002L8', '1002 SR0003L8', '1003 CLN001L1']);
  });
});
