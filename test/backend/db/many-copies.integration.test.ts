import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createCopyStore } from '../../../backend/features/repository/copy-store.ts';
import { makeManyCopies } from '../../../bench/support/many-copies.ts';
import { Copy } from '../../../contract/repository/copy.ts';
import { type Session, startTestApp, type TestApp } from '../../support/backend.ts';
import { countedList } from '../../support/counted-list.ts';
import { type QueryPlans, watchPlans } from '../../support/query-plans.ts';

const count = 100_000;
/** Fields of the few pools and storages, by which the found ids are sorted, and what is worked out when it is shown. */
const notInOrder = ['pool', 'pool_type', 'media_server', 'storage', 'path', 'dependents'];

describe(`a repository of ${count} copies`, () => {
  let app: TestApp;
  let superuser: Session;
  let plans: QueryPlans;

  beforeAll(async () => {
    app = await startTestApp({ started: true });
    plans = watchPlans(app.database);
    superuser = await app.loginAs('superuser');
    await makeManyCopies(app.database, count);
  });
  afterAll(async () => {
    vi.restoreAllMocks();
    await app.close();
  });

  const list = (query: string) => countedList(superuser, `/repository?${query}`);
  /** Steps of one list that read all copies, or sort what they have found. */
  const slowSteps = async (query: string, slow = /USE TEMP B-TREE|SCAN copies(?! USING)/) => {
    const from = plans.count();
    await list(query);
    const found = await plans.since(from, 'copies');
    expect(found.length).toBeGreaterThan(0);
    return found.filter((plan) => slow.test(plan));
  };

  it('is walked in the order of any field of a copy by an index', async () => {
    const fields = Object.keys(Copy.shape).filter((field) => !notInOrder.includes(field));
    expect(fields.length).toBeGreaterThan(20);
    for (const field of fields) {
      expect(await slowSteps(`sort=${field}&page=2&limit=20`), field).toEqual([]);
      expect(await slowSteps(`sort=${field}&order=desc&page=4500&limit=20`), field).toEqual([]);
    }
  });

  it('finds what a filter or a search lets through by an index', async () => {
    for (const query of [
      'status=Broken',
      'pool=Pool%203',
      'path=/mnt/disk1/00000001-0000-4000-8000-000000000000',
      'client=host3%20(0123456789abcdef)',
      'search=data/77777',
      'search=%C3%9CBERWACHUNG',
    ]) {
      expect(await slowSteps(`${query}&page=1&limit=20`, /SCAN copies(?!_)/), query).toEqual([]);
    }
    expect(await list('path=/mnt/disk1/00000001-0000-4000-8000-000000000000&page=1')).toMatchObject({
      ids: [1],
    });
    expect((await list('pool=Pool%203&page=1&limit=1')).total).toBe('14286');
    expect((await list('search=disk3/0000&page=1&limit=1')).total).toBe('9362');
  });

  it('finds what the server looks for by itself by an index', async () => {
    const store = createCopyStore(app.database.db);
    for (const [name, look] of Object.entries({
      deleting: () => store.deleting(),
      expired: () => store.expired(0, { broken: true }),
      countByRule: () => store.countByRule('strategy_rule_id'),
    })) {
      const from = plans.count();
      await look();
      const found = await plans.since(from, 'copies');
      expect(found.length, name).toBeGreaterThan(0);
      expect(
        found.filter((plan) => /SCAN copies(?!_)(?! USING)/.test(plan)),
        name,
      ).toEqual([]);
    }
  });

  it('counts those that are being deleted out, and has its pages in order', async () => {
    expect((await list('page=1&limit=1')).total).toBe(String(count - 1));
    expect((await list('page=5000&limit=20')).ids).toEqual(
      Array.from({ length: 19 }, (_, index) => 99_981 + index),
    );
    expect((await list('sort=size&order=desc&page=1&limit=2')).ids).toEqual([99_999, 99_998]);
    expect((await list('sort=pool&page=1&limit=2')).ids).toEqual([7, 14]);
  });
});
