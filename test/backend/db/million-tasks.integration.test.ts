import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { makeManyTasks } from '../../../bench/support/many-tasks.ts';
import { Task } from '../../../contract/tasks/task.ts';
import { type Session, startTestApp, type TestApp } from '../../support/backend.ts';
import { countedList } from '../../support/counted-list.ts';
import { type QueryPlans, watchPlans } from '../../support/query-plans.ts';

const count = 1_000_000;
/** Fields that are worked out when a task is shown; no list is sorted by them. */
const shownOnly = ['module_extensions', 'common_modules_extensions', 'progress_details'];

const sorted = /USE TEMP B-TREE/;
const sortedOrScanned = /USE TEMP B-TREE|SCAN tasks(?!_| USING)/;

describe(`a queue of ${count} tasks`, () => {
  let app: TestApp;
  let superuser: Session;
  let plans: QueryPlans;

  beforeAll(async () => {
    app = await startTestApp();
    plans = watchPlans(app.database);
    superuser = await app.loginAs('superuser');
    await makeManyTasks(app.database, count);
  });
  afterAll(async () => {
    vi.restoreAllMocks();
    await app.close();
  });

  const list = (query: string) => countedList(superuser, `/task_queue?${query}`);
  it('is walked in the order of any field by an index, from the nearer end', async () => {
    const fields = Object.keys(Task.shape).filter((field) => !shownOnly.includes(field));
    for (const field of fields) {
      const from = plans.count();
      await list(`sort=${field}&page=2&limit=20`);
      await list(`sort=${field}&order=desc&page=49000&limit=20`);
      const found = await plans.since(from, 'tasks');
      expect(found.length).toBeGreaterThan(0);
      expect(
        found.filter((plan) => sortedOrScanned.test(plan)),
        field,
      ).toEqual([]);
    }
  });

  it('has its pages in order, without gaps and overlaps, at the beginning, in the middle and at the end', async () => {
    for (const [page, first] of [
      [1, 1],
      [25_000, 499_981],
      [25_001, 500_001],
      [50_000, 999_981],
    ] as const) {
      const ids = Array.from({ length: 20 }, (_, index) => first + index);
      expect(await list(`page=${page}&limit=20`)).toEqual({ ids, total: String(count) });
      const backwards = await list(`order=desc&page=${50_001 - page}&limit=20`);
      expect(backwards.ids).toEqual(ids.toReversed());
    }
    expect((await list('page=33334&limit=30')).ids).toEqual(
      Array.from({ length: 10 }, (_, at) => 999_991 + at),
    );
    expect(await list('page=50001&limit=20')).toEqual({ ids: [], total: String(count) });
  });

  it('has the lines of a task and the audit log in the order of an index', async () => {
    await sql`insert into task_logs (task_id, side, time_ms, level, source, message)
      select 1, 'server', id, 'info', 'bench', 'line ' || id from tasks where id <= 1000`.execute(
      app.database.db,
    );
    for (const [path, table, fields] of [
      ['/tasks/1/info/servers', 'task_logs', ['id', 'time', 'level', 'source']],
      ['/audit_log', 'audit', ['id', 'time', 'user_name', 'address', 'action', 'object_id', 'status']],
    ] as const) {
      for (const field of fields) {
        const from = plans.count();
        const answer = await superuser.send('GET', `${path}?sort=${field}&page=1&limit=10`);
        expect(answer.status, JSON.stringify(answer.body)).toBe(200);
        const found = await plans.since(from, table);
        expect(found.length).toBeGreaterThan(0);
        expect(
          found.filter((plan) => sorted.test(plan)),
          field,
        ).toEqual([]);
      }
    }
  });

  it('counts and pages what a filter lets through', async () => {
    expect(await list('status=killed&limit=1')).toEqual({ ids: [1013], total: '977' });
    const last = await list('status=error&sort=resource&order=desc&limit=2');
    expect(last.total).toBe('10309');
    expect(await list('pool=Pool%203&client=host3%20(0123456789abcdef)&limit=1')).toMatchObject({ ids: [3] });
  });

  it('is searched by trigrams, with the answer that a search of the texts would give', async () => {
    expect(await list('search=data/777777&limit=5')).toEqual({ ids: [777_777], total: '1' });
    expect((await list('search=DATA/77777&limit=500')).total).toBe('11');
    expect((await list('search=storage%20is%20full&limit=1')).ids).toEqual([97]);
    expect((await list('search=st%&limit=1')).total).toBe('0');
    expect((await list('search=%22nothing%22&limit=1')).total).toBe('0');
    expect((await list('search=killed&status=error&limit=1')).total).toBe('0');
    expect((await list('search=777777&status=done&limit=1')).ids).toEqual([777_777]);
    expect((await list('search=ll&limit=1')).total).toBe(String(await naive('ll')));
    const from = plans.count();
    expect((await list('search=%C3%9CBERWACHUNG&limit=1')).total).toBe('0');
    expect((await plans.since(from, 'tasks')).filter((plan) => sortedOrScanned.test(plan))).toEqual([]);
  });

  it('is searched without regard to the case of any letter, however its accents are written', async () => {
    const name = (resource: string) =>
      app.database.db.updateTable('tasks').set({ resource }).where('id', '=', 600).execute();
    const found = async (text: string) => (await list(`search=${encodeURIComponent(text)}&limit=5`)).ids;
    for (const stored of ['/Überwachung/Ёлка', '/Überwachung/Ёлка'.normalize('NFD')]) {
      await name(stored);
      for (const text of [
        'ÜBERWACHUNG/ё',
        'berwachung/Ёл'.normalize('NFD'),
        'ü',
        'Ё',
        'ёл',
        'Ü'.normalize('NFD'),
      ]) {
        expect(await found(text), `${stored} by ${text}`).toEqual([600]);
      }
      expect(await found('Ä')).toEqual([]);
    }
  });

  it('follows what happens to a task', async () => {
    const change = (id: number, values: object) =>
      app.database.db.updateTable('tasks').set(values).where('id', '=', id).execute();
    await change(500, { resource: '/moved/elsewhere' });
    expect((await list('search=data/500%0A&limit=1')).total).toBe('0');
    expect(await list('search=moved/else&limit=5')).toEqual({ ids: [500], total: '1' });
    await app.database.db.deleteFrom('tasks').where('id', '=', 500).execute();
    expect(await list('search=moved/else&limit=5')).toEqual({ ids: [], total: '0' });
  });

  async function naive(text: string): Promise<number> {
    const columns = [
      'task_type',
      'resource_type',
      'resource',
      'client_text',
      'status',
      'pool_name',
      'error_message',
    ];
    const { rows } = await sql<{ total: number }>`select count(*) as total from tasks where ${sql.raw(
      [...columns, 'created_by'].map((column) => `${column} like '%${text}%'`).join(' or '),
    )}`.execute(app.database.db);
    return rows[0]?.total ?? -1;
  }
});
