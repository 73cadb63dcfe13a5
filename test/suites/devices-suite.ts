import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startLibraryBench } from '../backend/tape-libraries/support.ts';
import type { startTestApp } from '../support/backend.ts';
import { makeSparseFile } from '../support/loop-device.ts';
import { createScriptedLibrary } from '../support/scripted-library.ts';
import { makeTempDir } from '../support/temp-dir.ts';
import { expectUniformList } from './list-suite.ts';

/** The statements of tape libraries and block devices, on a database of either kind. */
export function devicesSuite(
  name: string,
  place: () => Promise<NonNullable<Parameters<typeof startTestApp>[0]>>,
): void {
  describe(`devices with ${name}`, () => {
    it('libraries keep their candidates, cartridges and states', async () => {
      const library = createScriptedLibrary({ barcodes: ['A00001L8', 'CLN001L1'] });
      const bench = await startLibraryBench([library], await place());
      try {
        const before = await bench.candidates();
        const id = await bench.added();
        expect((await bench.candidates()).medium_changers).toEqual([]);
        await library.move(1024, 1);
        expect((await bench.sync(id)).data()).toEqual({ slots_total: 8, cartridges: 2 });
        expect((await bench.cartridges())[0]).toMatchObject({ location: 'drive', address: 1 });
        library.insert(1030, 'NEW001L8');
        expect((await bench.sync(id)).status).toBe(422);
        await expectUniformList((method, path) => bench.superuser.send(method, path), '/tape_libraries');
        const tree = await bench.superuser.send('POST', '/tape_libraries/tree', { pools: { limit: 1 } });
        expect(tree.data()).toMatchObject({ pools: { total: 1, items: [{ library_id: id }] } });
        expect((await bench.superuser.send('DELETE', '/tape_libraries', { ids: [id] })).status).toBe(200);
        expect(await bench.candidates()).toEqual(before);
      } finally {
        await bench.app.close();
      }
    });

    it('block devices are added, changed, counted and removed', async () => {
      const folder = await makeTempDir('devices');
      const bench = await startLibraryBench([], await place());
      const { send } = bench.superuser;
      try {
        const device = join(folder.path, 'blocks.img');
        await makeSparseFile(device, 4 * 1024 * 1024);
        const pool = { pool_name: 'Blocks', pool_type: 'Block device', media_server: hostname() };
        await send('POST', '/pools', { ...pool, meta_data_pool: 'Default' });
        const draft = { device, pool: 'Blocks', overwrite_file_system: false };
        const added = await send('POST', '/storage_block_devices', draft);
        expect(added.body.errors).toEqual({});
        const { id } = added.data<{ id: number }>();
        const changed = await send('PATCH', `/storage_block_devices/${id}`, { parallel_workers: 2 });
        expect(changed.data()).toMatchObject({ parallel_workers: 2, used: 0, size: 4 * 1024 * 1024 });
        await expectUniformList((method, path) => send(method, path), '/storage_block_devices');
        const [listed] = (await send('GET', '/pools?pool_name=Blocks')).data<unknown[]>();
        expect(listed).toMatchObject({ storages_count: 1, free_space: 4 * 1024 * 1024 });
        expect((await send('DELETE', `/storage_block_devices/${id}`)).status).toBe(200);
      } finally {
        await bench.app.close();
        await folder.remove();
      }
    });
  });
}
