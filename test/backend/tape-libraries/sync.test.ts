import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { handClock } from '../../support/backend.ts';
import { createScriptedLibrary, type ScriptedLibrary } from '../../support/scripted-library.ts';
import { rowsOf } from '../features/rows.ts';
import { type LibraryBench, path, startLibraryBench } from './support.ts';

let library: ScriptedLibrary;
let bench: LibraryBench;
let id: number;

beforeEach(async () => {
  library = createScriptedLibrary({ barcodes: ['A00001L8', 'CLN001L1', 'A00002L8'] });
  bench = await startLibraryBench([library], { clock: handClock() });
  id = await bench.added();
});
afterEach(() => bench.app.close());

const status = async () => (await bench.get(id)).status;
const until = async (condition: () => Promise<boolean>): Promise<void> => {
  while (!(await condition())) await new Promise((resolve) => setImmediate(resolve));
};

describe('a sync', () => {
  it('answers the counts and notes when it was', async () => {
    const answer = await bench.sync(id);
    expect([answer.status, answer.data()]).toEqual([200, { slots_total: 8, cartridges: 3 }]);
    expect((await bench.get(id)).last_sync).toMatch(/^2030-01-15T/);
  });

  it('notes where each cartridge is now; one that was taken out stays registered, outside (case 120)', async () => {
    await library.move(1024, 2);
    await library.move(1026, 768);
    library.takeOut(1025);
    expect((await bench.sync(id)).data()).toEqual({ slots_total: 8, cartridges: 2 });
    expect(await bench.cartridges()).toEqual([
      { barcode: 'A00001L8', state: 'unlabelled', location: 'drive', address: 2 },
      { barcode: 'CLN001L1', state: 'cleaning', location: 'outside', address: null },
      { barcode: 'A00002L8', state: 'unlabelled', location: 'mail', address: 768 },
    ]);
    const [first, second] = (await bench.get(id)).tape_drives;
    expect(first).toMatchObject({ status: 'Empty', barcode: null });
    expect(second).toMatchObject({ status: 'Loaded', barcode: 'A00001L8' });
    library.jam(2);
    await bench.sync(id);
    expect((await bench.get(id)).tape_drives[1]?.status).toBe('Error');
  });

  it('finds a cartridge again whatever the case of its barcode', async () => {
    library.takeOut(1024);
    library.insert(1030, ' a00001l8 ');
    expect((await bench.sync(id)).status).toBe(200);
    expect((await bench.cartridges())[0]).toMatchObject({ location: 'storage', address: 1030 });
  });

  it.each([
    ['a storage slot', 1030, 'storage slot 7'],
    ['the mail slot', 768, 'mail slot 1'],
    ['a drive', 2, 'drive 2'],
    ['the robot', 16, 'the robot arm'],
  ])(
    'is refused for an unregistered cartridge in %s, naming barcode and place (case 132)',
    async (_name, at, place) => {
      library.takeOut(1024);
      const before = await bench.cartridges();
      library.insert(at, 'NEW001L8');
      const answer = await bench.sync(id);
      expect([answer.status, answer.body.errors]).toEqual([422, { barcode: 'NEW001L8' }]);
      expect(answer.body).toMatchObject({ data: null, is_error: true });
      expect(answer.body.message).toContain(`NEW001L8 (${place})`);
      expect(await bench.cartridges()).toEqual(before);
      expect(await bench.get(id)).toMatchObject({ status: 'Online', last_sync: null });
    },
  );

  it('names all cartridges that are not registered, a bounded number of them', async () => {
    for (const at of [1027, 1028]) library.insert(at, `NEW${at}`);
    const { body } = await bench.sync(id);
    expect(body.errors).toEqual({ barcode: 'NEW1027' });
    expect(body.message).toContain('NEW1027 (storage slot 4), NEW1028 (storage slot 5)');
  });

  it('is refused for two cartridges with one barcode, naming both places (case 109)', async () => {
    library.insert(768, 'A00001L8');
    const answer = await bench.sync(id);
    expect([answer.status, answer.body.errors]).toEqual([422, { barcode: 'A00001L8' }]);
    expect(answer.body.message).toContain('storage slot 1, mail slot 1');
  });

  it.each([
    ['no barcode', null],
    ['blanks', '    '],
    ['control characters', 'A0001\u0007'],
    ['characters that no label has', 'Ä00001'],
    ['more characters than the field holds', 'A'.repeat(33)],
  ])('is refused for a cartridge with %s', async (_name, barcode) => {
    library.insert(1031, barcode);
    const answer = await bench.sync(id);
    expect(answer.status).toBe(422);
    expect(answer.body.errors.barcode).toContain('storage slot 8');
  });

  it('takes hostile barcodes for what they are: text', async () => {
    const barcode = `'; DROP TABLE--<b>`;
    library.insert(1031, barcode);
    expect((await bench.sync(id)).body.errors).toEqual({ barcode });
    expect((await bench.superuser.send('GET', path)).data()).toHaveLength(1);
  });

  it('shows in the status while it runs, and cannot run twice or be cut off by a removal', async () => {
    const release = library.hold();
    const running = bench.sync(id);
    await until(async () => (await status()) === 'Sync');
    const second = await bench.sync(id);
    expect([second.status, second.body.message]).toEqual([400, expect.stringContaining('already')]);
    expect((await bench.superuser.send('DELETE', `${path}/${id}`)).status).toBe(400);
    release();
    expect((await running).status).toBe(200);
    expect(await status()).toBe('Online');
  });

  it.each(['permanent', 'busy', 'corrupt', 'bug'] as const)(
    'that the device ends (%s) leaves the status Error until one succeeds',
    async (failure) => {
      const before = await bench.cartridges();
      library.takeOut(1024);
      library.fail('inventory', failure);
      const answer = await bench.sync(id);
      expect(answer.status).toBe(400);
      expect(answer.body.message).toMatch(/^The library could not be read\. /);
      expect(answer.body.message).not.toContain('secret');
      expect(await status()).toBe('Error');
      expect(await bench.cartridges()).toEqual(before);
      expect(library.openChangers()).toBe(0);
      library.fail('inventory', null);
      expect((await bench.sync(id)).status).toBe(200);
      expect(await status()).toBe('Online');
    },
  );

  it('of a robot that tells of no slots is a failure, not an empty library (case 112)', async () => {
    library.hide('storage');
    expect((await bench.sync(id)).body.message).toContain('no storage slots');
    expect((await bench.cartridges()).map(({ location }) => location)).toEqual([
      'storage',
      'storage',
      'storage',
    ]);
  });

  it('follows the library to another path, and says when it is not there', async () => {
    library.replug('-elsewhere');
    expect((await bench.sync(id)).status).toBe(200);
    expect(await bench.get(id)).toMatchObject({ sg_path: library.path, status: 'Online' });
    library.unplug();
    expect(await status()).toBe('Offline');
    expect((await bench.sync(id)).body.message).toContain('not there');
  });

  it('is refused while a task works with the pool of the library', async () => {
    const pool = await bench.app.database.db
      .selectFrom('pools')
      .select('id')
      .where('name', '=', 'Tapes')
      .executeTakeFirstOrThrow();
    const rows = rowsOf(bench.app.database.db);
    await rows.task({ status: 'done', poolId: pool.id });
    expect((await bench.sync(id)).status).toBe(200);
    await rows.task({ status: 'suspended', poolId: pool.id });
    const answer = await bench.sync(id);
    expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining('1 active task')]);
    expect((await bench.superuser.send('DELETE', `${path}/${id}`)).status).toBe(400);
  });

  it('of a library that does not exist is a 404', async () => {
    expect((await bench.sync(77)).status).toBe(404);
  });
});

describe('a library with addresses of its own', () => {
  it.each([
    [
      'slots from 1, drives behind them',
      { storage: [1, 2, 3, 4], drives: [500, 501], mail: [200], robot: 0 },
    ],
    [
      'slots from 1000, mail between',
      { storage: [1000, 1002, 1007], drives: [500, 510], mail: [1001, 1003], robot: 1 },
    ],
    [
      'slots from 4096, drives before',
      { storage: [4098, 4096, 4097], drives: [256, 128], mail: [16], robot: 1 },
    ],
  ])('is read by the kinds of its places: %s (case 111)', async (_name, layout) => {
    const odd = createScriptedLibrary({ name: 'odd', ...layout, barcodes: ['X00001L8', 'X00002L8'] });
    const other = await startLibraryBench([odd]);
    try {
      const added = await other.added();
      const [from] = layout.storage;
      const [, to] = layout.drives;
      await odd.move(from ?? 0, to ?? 0);
      const answer = await other.sync(added);
      expect(answer.data()).toEqual({ slots_total: layout.storage.length, cartridges: 2 });
      const moved = (await other.cartridges()).find(({ barcode }) => barcode === 'X00001L8');
      expect(moved).toMatchObject({
        barcode: 'X00001L8',
        location: 'drive',
        address: to,
      });
      expect((await other.get(added)).tape_drives[1]).toMatchObject({
        status: 'Loaded',
        barcode: 'X00001L8',
      });
    } finally {
      await other.app.close();
    }
  });
});
