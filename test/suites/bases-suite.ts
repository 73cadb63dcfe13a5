import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type RepositoryLab, startRepositoryLab } from '../backend/repository/support.ts';
import { watchPlans } from '../support/query-plans.ts';

type Kind = 'full' | 'incremental' | 'differential';
type NewCopyOptions = Parameters<RepositoryLab['rows']['copy']>[1];

/** What an incremental or differential copy builds on, on a database of either kind. */
export function basesSuite(
  name: string,
  place: () => Promise<NonNullable<Parameters<typeof startRepositoryLab>[0]>>,
): void {
  describe(`the base of a copy with ${name}`, () => {
    let lab: RepositoryLab;
    beforeAll(async () => {
      lab = await startRepositoryLab(await place());
    });
    afterAll(() => lab.close());

    let age = 0;
    const add = (
      resource: string,
      kind: Kind,
      reference: number | null,
      more: NewCopyOptions = {},
    ): Promise<number> => {
      age += 1;
      const columns = { resource, backup_type: kind, reference_id: reference, created_ms: age, ...more };
      return lab.rows.copy({ poolId: 1, storageId: 1 }, columns);
    };
    /** Each one builds on the one before; answers them, the oldest first. */
    async function addIncrementals(resource: string, on: number, count: number): Promise<number[]> {
      const made: number[] = [];
      for (let left = count; left > 0; left -= 1) {
        made.push(await add(resource, 'incremental', made.at(-1) ?? on));
      }
      return made;
    }
    const baseOf = async (resource: string, kind: Kind, ruleId: number | null = null) => {
      const task = {
        id: 0,
        resource_type: 'File system',
        resource,
        client_id: null,
        client_text: 'host (0123456789abcdef)',
        backup_type: kind,
        crypto: 'nocrypt',
        pool_id: 1,
        storage_duration: null,
        archiving: 0 as const,
        rule_id: null,
        strategy_rule_id: ruleId,
      };
      const found = await lab.repository.copies.findBase(task);
      return found === null ? null : { id: found.id, copies: found.copies.length };
    };
    const spoil = (id: number, change: { status?: string; storage_id?: null; deleting?: 1 }) =>
      lab.app.database.db.updateTable('copies').set(change).where('id', '=', id).execute();

    it('of a differential one is the full copy, however many incremental ones are newer', async () => {
      const older = await add('/many', 'full', null);
      const full = await add('/many', 'full', null);
      const later = await addIncrementals('/many', full, 70);
      expect(await baseOf('/many', 'differential')).toEqual({ id: full, copies: 1 });
      expect(await baseOf('/many', 'incremental')).toEqual({ id: later.at(-1), copies: 71 });
      await spoil(full, { status: 'Suspicious' });
      expect(await baseOf('/many', 'differential')).toEqual({ id: older, copies: 1 });
    });

    it('of an incremental one is the newest of a whole chain, however many of a damaged one are newer', async () => {
      const whole = await add('/damaged', 'full', null);
      const [first = 0] = await addIncrementals('/damaged', whole, 1);
      const damaged = await add('/damaged', 'full', null);
      await addIncrementals('/damaged', damaged, 40);
      await spoil(damaged, { status: 'Broken' });
      expect(await baseOf('/damaged', 'incremental')).toEqual({ id: first, copies: 2 });
      expect(await baseOf('/damaged', 'differential')).toEqual({ id: whole, copies: 1 });
      const another = await add('/damaged', 'differential', whole);
      expect(await baseOf('/damaged', 'incremental')).toEqual({ id: another, copies: 2 });
    });

    it('is no copy without a storage, none that is being deleted, and none that builds on one of these', async () => {
      const full = await add('/away', 'full', null);
      const [first = 0, second = 0] = await addIncrementals('/away', full, 3);
      await spoil(second, { storage_id: null });
      expect(await baseOf('/away', 'incremental')).toEqual({ id: first, copies: 2 });
      await spoil(first, { deleting: 1 });
      expect(await baseOf('/away', 'incremental')).toEqual({ id: full, copies: 1 });
      await spoil(full, { deleting: 1 });
      expect(await baseOf('/away', 'incremental')).toBeNull();
      expect(await baseOf('/away', 'differential')).toBeNull();
    });

    it('is a copy of the same rule, encryption, pool and kind of resource', async () => {
      const own = await add('/same', 'full', null, { strategy_rule_id: 7 });
      await add('/same', 'full', null);
      await add('/same', 'full', null, { strategy_rule_id: 8 });
      await add('/same', 'full', null, { strategy_rule_id: 7, rule_id: 1 });
      await add('/same', 'full', null, { strategy_rule_id: 7, crypto: 'age' });
      await add('/same', 'full', null, { strategy_rule_id: 7, resource_type: 'MySQL' });
      await add('/same', 'full', null, { strategy_rule_id: 7, pool_id: null });
      await add('/same', 'full', null, { strategy_rule_id: 7, client_hwid: '0'.repeat(16) });
      for (const kind of ['incremental', 'differential'] as const) {
        expect(await baseOf('/same', kind, 7)).toEqual({ id: own, copies: 1 });
      }
    });

    it('is found by an index among many', async () => {
      const { db } = lab.app.database;
      const full = await add('/indexed', 'full', null, { strategy_rule_id: 7 });
      await sql`insert into copies (uuid, reference_id, resource_type, resource, client_text, client_hwid, backup_type,
          status, crypto, signed, pool_id, storage_id, size, real_size, created_ms, archiving, strategy_rule_id,
          file_list_available, deleting)
        with recursive numbers(i) as (select 1 union all select i + 1 from numbers where i < 20000)
        select 'indexed ' || i, cast(${full} as integer), 'File system',
          case when i % 200 = 0 then '/indexed' else '/other/' || i end,
          '', '0123456789abcdef', case when i % 200 = 0 then 'incremental' else 'full' end, 'Trusted', 'nocrypt', 0, 1, 1,
          0, 0, ${age} + i, 0, 7, 1, 0
        from numbers`.execute(db);
      await sql`analyze`.execute(db);
      const plans = watchPlans(lab.app.database);
      for (const [kind, index] of [
        ['differential', 'copies_full_of_series'],
        ['incremental', 'copies_of_series'],
      ] as const) {
        const from = plans.count();
        expect(await baseOf('/indexed', kind, 7)).toMatchObject({ copies: kind === 'incremental' ? 2 : 1 });
        const plan = (await plans.since(from, 'copies', 'with recursive unusable')).join('\n');
        expect(plan).toContain(index);
        expect(plan).toContain('copies_unusable');
        expect(plan).not.toMatch(/SCAN copies(?! USING)|Seq Scan on copies|TEMP B-TREE FOR ORDER|Sort/);
      }
      vi.restoreAllMocks();
    });
  });
}
