import { DatabaseSync } from '@photostructure/sqlite';
import Fastify from 'fastify';
import { type StoredTask, toRecord } from '../../backend/features/tasks/task-store.ts';

/**
 * The limit: routes of Fastify without anything around them, which answer the same bytes from the same statements on a
 * database of the same content. No authentication, no validation, no audit. Prints its address.
 * Takes the database's path, the id of the task to get, and where the deep page begins.
 */
const [path = '', middleId = '', deepOffset = ''] = process.argv.slice(2);
const db = new DatabaseSync(path);
// As durable as the server's own: what is answered is on the disk.
db.exec(
  'pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on; pragma cache_size = -32768',
);
const app = Fastify();
const envelope = (data: unknown) => JSON.stringify({ data, errors: {}, is_error: false, message: '' });
const answer = (total: number | null, data: unknown) => ({ total, body: envelope(data) });

const count = db.prepare('select count(*) as total from tasks');
const countStatus = db.prepare('select count(*) as total from tasks where status = ?');
const ids = (where: string, direction: string) =>
  db.prepare(`select id from tasks ${where} order by id ${direction} limit ? offset ?`);
const rowsOf = new Map<number, ReturnType<typeof db.prepare>>();
const plain = { asc: ids('', 'asc'), desc: ids('', 'desc') };
const byStatus = ids('where status = ?', 'asc');

function rows(wanted: readonly number[]): readonly unknown[] {
  const marks = wanted.map(() => '?').join(', ');
  const statement = rowsOf.get(wanted.length) ?? db.prepare(`select * from tasks where id in (${marks})`);
  rowsOf.set(wanted.length, statement);
  const found = new Map((statement.all(...wanted) as unknown as StoredTask[]).map((row) => [row.id, row]));
  return wanted.flatMap((id) => {
    const row = found.get(id);
    return row === undefined ? [] : [toRecord(row)];
  });
}
const idsOf = (found: unknown): readonly number[] => (found as { id: number }[]).map(({ id }) => id);
const totalOf = (found: unknown): number => (found as { total: number }).total;

app.get('/list', async (_request, reply) => {
  const { total, body } = answer(totalOf(count.get()), rows(idsOf(plain.desc.all(20, 0))));
  return reply.header('x-total-count', total).type('application/json; charset=utf-8').send(body);
});
app.get('/deep', async (_request, reply) => {
  const total = totalOf(count.get());
  const { body } = answer(total, rows(idsOf(plain.asc.all(20, Number(deepOffset)))));
  return reply.header('x-total-count', total).type('application/json; charset=utf-8').send(body);
});
app.get('/filter', async (_request, reply) => {
  const total = totalOf(countStatus.get('killed'));
  const { body } = answer(total, rows(idsOf(byStatus.all('killed', 20, 0))));
  return reply.header('x-total-count', total).type('application/json; charset=utf-8').send(body);
});
const one = db.prepare('select * from tasks where id = ?');
app.get('/get', async (_request, reply) => {
  const row = one.get(Number(middleId)) as unknown as StoredTask;
  return reply.type('application/json; charset=utf-8').send(envelope(toRecord(row)));
});
const insert =
  db.prepare(`insert into tasks (task_type, resource_type, resource, client_text, backup_type, status,
  progress, priority, pool_name, media_server_name, crypto, archiving, storage_duration, created_ms, attempt, claim,
  transferred, speed, created_by, module_extensions, common_modules_extensions)
  values ('backup_urgent', ?, ?, ?, ?, 'new', 0, ?, ?, 'vm', ?, 0, ?, ?, 1, 0, 0, 0, 'admin', '{}', '{}')`);
app.post('/create', async (request, reply) => {
  const { data } = request.body as { data: { task: Record<string, string | number> } };
  const { task } = data;
  const { lastInsertRowid } = insert.run(
    task.resource_type ?? '',
    task.resource ?? '',
    task.client ?? '',
    task.backup_type ?? '',
    task.priority ?? 0,
    task.pool ?? '',
    task.crypto ?? '',
    task.storage_duration ?? '',
    Date.now(),
  );
  const body = envelope({ id: Number(lastInsertRowid) });
  return reply.code(201).type('application/json; charset=utf-8').send(body);
});

const address = await app.listen({ host: '127.0.0.1', port: 0 });
process.stdout.write(`${address}\n`);
