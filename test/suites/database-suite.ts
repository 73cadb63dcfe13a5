import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ListColumns, type ListRequest, listPage, type OpenDatabase } from '../../backend/db/index.ts';

/** What every database must do alike. `open` gives an empty one each time it is called. */
export function databaseSuite(name: string, open: () => Promise<OpenDatabase>): void {
  describe(`the database ${name}`, () => {
    let opened: OpenDatabase;
    beforeAll(async () => {
      opened = await open();
      await fill(opened);
    });
    afterAll(() => opened.close());

    const columns: ListColumns = {
      id: { column: 'client_groups.id', kind: 'integer' },
      name: { column: 'client_groups.name', kind: 'text', search: true },
      shared: { column: 'client_groups.shared', kind: 'boolean' },
      created: { column: 'client_groups.created_ms', kind: 'time' },
    };
    const list = (request: Partial<ListRequest>) =>
      listPage(opened.db.selectFrom('client_groups').select(['client_groups.id', 'client_groups.name']), {
        list: { filters: {}, ...request },
        columns,
        dialect: opened.dialect,
        tieBreaker: 'client_groups.id',
      });
    const names = async (request: Partial<ListRequest>) => (await list(request)).rows.map((row) => row.name);

    it('answers numbers as numbers, also beyond 32 bits, and makes ids', async () => {
      const row = await opened.db
        .insertInto('client_groups')
        .values({ name: 'big', name_key: 'big', shared: 0, created_ms: 9_007_199_254_740_991 })
        .returningAll()
        .executeTakeFirstOrThrow();
      expect(row).toMatchObject({ created_ms: 9_007_199_254_740_991, shared: 0 });
      expect(row.id).toBeTypeOf('number');
      const count = await opened.db
        .selectFrom('client_groups')
        .select(({ fn }) => [fn.countAll<number>().as('count'), fn.sum<number>('shared').as('sum')])
        .executeTakeFirstOrThrow();
      expect(count.count).toBeTypeOf('number');
      expect(count.sum).toBeTypeOf('number');
      await opened.db.deleteFrom('client_groups').where('id', '=', row.id).execute();
    });

    it('pages without gaps or repeats, whatever the order', async () => {
      const all = await names({});
      expect(all).toHaveLength(30);
      for (const request of [{}, { sort: 'shared' }, { sort: 'name', order: 'desc' }] as const) {
        const pages = await Promise.all([1, 2, 3, 4].map((page) => names({ ...request, page, limit: 10 })));
        expect(pages.map((page) => page.length)).toEqual([10, 10, 10, 0]);
        expect(pages.flat()).toEqual(await names(request));
        expect(new Set(pages.flat()).size).toBe(30);
      }
      expect(await list({ page: 2, limit: 10 })).toMatchObject({ total: 30 });
      expect(await list({ page: 99 })).toEqual({ rows: [], total: 30 });
      expect(await names({ page: 1 })).toHaveLength(20);
    });

    it('takes % and _ in a search for what they are, and no notice of upper and lower case', async () => {
      expect(await names({ search: '%' })).toEqual(['100% sure']);
      expect(await names({ search: '_' })).toEqual(['under_score']);
      expect(await names({ search: '\\' })).toEqual(['back\\slash']);
      expect(await names({ search: "'" })).toEqual(["quote's"]);
      expect(await names({ search: 'SURE' })).toEqual(['100% sure']);
      expect(await names({ search: 'ЖУРНАЛ' })).toEqual(['Журнал']);
      expect(await names({ search: 'ж' })).toEqual(['Журнал']);
      const brackets = 'ß [a-Z]*?^é';
      for (const text of [brackets, 'ß [A-z]*?^É', 'ß [a', ']*?^é', '^é', '?^É', 'é'.normalize('NFD')]) {
        expect(await names({ search: text }), text).toEqual([brackets]);
      }
      expect(await names({ search: 'ß ?' })).toEqual([]);
      expect(await names({ search: '*é' })).toEqual([]);
      expect(await names({ search: 'nothing like it' })).toEqual([]);
    });

    it('filters by equality, and refuses unknown fields and wrong values by name', async () => {
      expect(await names({ filters: { name: 'Журнал' } })).toEqual(['Журнал']);
      expect(await names({ filters: { shared: 'true' } })).toHaveLength(15);
      expect(await names({ filters: { shared: 'true', name: '100% sure' } })).toHaveLength(0);
      expect((await list({ filters: { shared: 'true' }, page: 1, limit: 1 })).total).toBe(15);
      for (const field of ['nothing', 'name_key', "x' or 1=1 --", '__proto__', 'constructor']) {
        await expect(list({ filters: { [field]: '1' } })).rejects.toMatchObject({
          code: 'request.invalid',
          errors: { [field]: expect.any(String) },
        });
      }
      await expect(list({ filters: { shared: '1' } })).rejects.toMatchObject({
        errors: { shared: expect.anything() },
      });
      await expect(list({ filters: { id: 'x' } })).rejects.toMatchObject({
        errors: { id: expect.anything() },
      });
      await expect(list({ filters: { created: 'x' } })).rejects.toMatchObject({
        errors: { created: expect.anything() },
      });
      await expect(list({ sort: 'constructor' })).rejects.toMatchObject({
        errors: { sort: expect.anything() },
      });
    });

    it('undoes a transaction that fails, as a whole', async () => {
      const before = await names({});
      const failing = opened.db.transaction().execute(async (tx) => {
        await tx
          .insertInto('client_groups')
          .values({ name: 'half', name_key: 'half', shared: 0, created_ms: 1 })
          .execute();
        throw new Error('on purpose');
      });
      await expect(failing).rejects.toThrow('on purpose');
      expect(await names({})).toEqual(before);
    });

    it('lets a read see what was committed while a transaction is open', async () => {
      await opened.db.transaction().execute(async (tx) => {
        await tx
          .insertInto('client_groups')
          .values({ name: 'unseen', name_key: 'unseen', shared: 0, created_ms: 1 })
          .execute();
        expect(await names({ search: 'unseen' })).toEqual([]);
        await tx.deleteFrom('client_groups').where('name_key', '=', 'unseen').execute();
      });
    });

    it('keeps transactions that come at once apart', async () => {
      const key = 'counter';
      await opened.db.insertInto('installation').values({ name: key, value: '0' }).execute();
      const increments = Array.from({ length: 20 }, () =>
        opened.db.transaction().execute(async (tx) => {
          const query = tx.selectFrom('installation').select('value').where('name', '=', key);
          const { value } = await (opened.dialect.manyWriters
            ? query.forUpdate()
            : query
          ).executeTakeFirstOrThrow();
          await tx
            .updateTable('installation')
            .set({ value: String(Number(value) + 1) })
            .where('name', '=', key)
            .execute();
        }),
      );
      await Promise.all(increments);
      const { value } = await opened.db
        .selectFrom('installation')
        .select('value')
        .where('name', '=', key)
        .executeTakeFirstOrThrow();
      expect(value).toBe('20');
    });

    it('keeps references whole', async () => {
      const orphan = opened.db
        .insertInto('user_roles')
        .values({ user_id: 999_999, role: 'auditor' })
        .execute();
      await expect(orphan).rejects.toThrow();
    });
  });
}

async function fill({ db }: OpenDatabase): Promise<void> {
  const special = ['100% sure', 'under_score', 'back\\slash', "quote's", 'Журнал', 'ß [a-Z]*?^é'];
  const rows = Array.from({ length: 30 }, (_, index) => ({
    name: special[index] ?? `group ${String(index).padStart(2, '0')}`,
    name_key: `key ${index}`,
    // Fifteen of thirty are shared; the first is not.
    shared: index % 2 === 1 ? (1 as const) : (0 as const),
    created_ms: 1_000 + index,
  }));
  await db.insertInto('client_groups').values(rows).execute();
}
