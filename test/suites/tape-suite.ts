import { describe, expect, it } from 'vitest';
import type { CartridgeScan } from '../../contract/cartridges/cartridge.ts';
import { openTapeLab } from '../backend/tapes/tape-lab.ts';
import type { startTestApp } from '../support/backend.ts';
import { expectUniformList } from './list-suite.ts';

/** The statements of cartridges and of copies on them, on a database of either kind. */
export function tapeSuite(
  name: string,
  app: () => Promise<NonNullable<Parameters<typeof startTestApp>[0]>>,
): void {
  describe(`tapes with ${name}`, () => {
    it('copies are written, found again after the catalogue has lost them, and deleted', async () => {
      const lab = await openTapeLab({ app: await app() });
      const { queue, superuser } = lab;
      try {
        const task = await queue.ended(await queue.backup(lab.source, { pool: 'Tapes' }));
        expect([task.status, task.error_message]).toEqual(['done', null]);
        const copy = await queue.copy(Number(task.repository_id));
        const cartridge = await lab.cartridge('SR0001L8');
        expect(cartridge).toMatchObject({ state: 'labelled', written: copy.real_size, copies: 1 });
        expect(cartridge.expires).not.toBeNull();
        await expectUniformList((method, path) => superuser.send(method, path), '/cartridges');
        const { db } = lab.app.database;
        await db.deleteFrom('copies').execute();
        await db.deleteFrom('tape_parts').execute();
        const scan = await queue.good<CartridgeScan>('POST', `/cartridges/${cartridge.id}/scan`);
        expect([scan.copies_found.length, scan.problems]).toEqual([1, []]);
        const found = Number(scan.copies_found[0]);
        expect((await queue.ended(await queue.verify(found))).status).toBe('done');
        expect(await lab.cartridge('SR0001L8')).toMatchObject({ copies: 1, expires: null });
        await queue.good('DELETE', `/repository/${found}`);
        expect((await lab.cartridge('SR0001L8')).copies).toBe(0);
        const moved = { from: cartridge.element_address, to: 16 };
        await queue.good('POST', `/tape_libraries/${lab.library}/move`, moved);
        expect((await lab.cartridge('SR0001L8')).location).toBe('mail');
      } finally {
        await lab.close();
      }
    });
  });
}
