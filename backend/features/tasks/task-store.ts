import { setImmediate as nextTurn } from 'node:timers/promises';
import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Task, TaskLogLine } from '../../../contract/tasks/task.ts';
import {
  type Db,
  type Dialect,
  type ListColumns,
  type ListRequest,
  lateTaskIndexes,
  listPage,
  type Page,
  preparedQuery,
  type TasksTable,
  type Tx,
  taskTrigrams,
} from '../../db/index.ts';
import { toWireTime, toWireTimeOrNull } from '../../platform/wire-time.ts';
import { clientByText } from '../client-text-store.ts';
import { withoutSecrets } from '../module-secrets.ts';
import { clientsIn, type Groups } from '../own-clients-store.ts';

export type StoredTask = Selectable<TasksTable>;
export type LogSide = 'client' | 'server';

/** What a new task is made of; everything else begins empty. */
export interface NewTask {
  readonly taskType: string;
  readonly resourceType: string | null;
  readonly resource: string | null;
  readonly client: { readonly id: number | null; readonly text: string } | null;
  readonly backupType?: string | null;
  readonly pool?: Named | null;
  readonly sourcePool?: Named | null;
  readonly mediaServer?: Named | null;
  readonly copyId?: number | null;
  readonly crypto?: string | null;
  readonly priority?: number;
  readonly storageDuration?: string | null;
  readonly archiving?: boolean;
  readonly strategyRuleId?: number;
  readonly createdBy: string | null;
  readonly moduleExtensions?: object | null;
  readonly commonModulesExtensions?: object | null;
  readonly input?: object | null;
}

interface Named {
  readonly id: number;
  readonly name: string;
}

const defaultPriority = 100;
/** Removing one takes 0.1 ms and at times five times that, most of it for the indexes; nobody is served before a statement has ended. */
const purgedAtOnce = 50;
/** Of those that ended, looked at by one statement in a millisecond. */
const endedAtOnce = 2_000;

/** Of one status, or of several with commas between: no status has one in its name. */
function hasStatus(text: string): RawBuilder<boolean> {
  const [first, ...others] = text.split(',');
  if (others.length === 0) return sql<boolean>`tasks.status = ${first}`;
  return sql<boolean>`tasks.status in (${sql.join([first, ...others])})`;
}

const columns: ListColumns = {
  id: { column: 'tasks.id', kind: 'integer' },
  task_type: { column: 'tasks.task_type', kind: 'text', search: true },
  resource_type: { column: 'tasks.resource_type', kind: 'text', search: true },
  resource: { column: 'tasks.resource', kind: 'text', search: true },
  client: { column: 'tasks.client_text', kind: 'text', search: true },
  client_id: { column: 'tasks.client_id', kind: 'integer' },
  backup_type: { column: 'tasks.backup_type', kind: 'text' },
  status: { column: 'tasks.status', kind: 'text', search: true, equals: hasStatus },
  suspend_reason: { column: 'tasks.suspend_reason', kind: 'text' },
  progress: { column: 'tasks.progress', kind: 'real' },
  priority: { column: 'tasks.priority', kind: 'integer' },
  pool: { column: 'tasks.pool_name', kind: 'text', search: true },
  source_pool: { column: 'tasks.source_pool_name', kind: 'text' },
  media_server: { column: 'tasks.media_server_name', kind: 'text' },
  crypto: { column: 'tasks.crypto', kind: 'text' },
  archiving: { column: 'tasks.archiving', kind: 'boolean' },
  storage_duration: { column: 'tasks.storage_duration', kind: 'text' },
  rule_id: { column: 'tasks.rule_id', kind: 'integer' },
  strategy_rule_id: { column: 'tasks.strategy_rule_id', kind: 'integer' },
  repository_id: { column: 'tasks.copy_id', kind: 'integer' },
  created: { column: 'tasks.created_ms', kind: 'time' },
  started: { column: 'tasks.started_ms', kind: 'time' },
  finished: { column: 'tasks.finished_ms', kind: 'time' },
  attempt: { column: 'tasks.attempt', kind: 'integer' },
  transferred: { column: 'tasks.transferred', kind: 'integer' },
  speed: { column: 'tasks.speed', kind: 'real' },
  error_message: { column: 'tasks.error_message', kind: 'text', search: true },
  created_by: { column: 'tasks.created_by', kind: 'text', search: true },
  skipped_items: { column: 'tasks.skipped_items', kind: 'integer' },
};

const logColumns: ListColumns = {
  id: { column: 'task_logs.id', kind: 'integer' },
  time: { column: 'task_logs.time_ms', kind: 'time' },
  level: { column: 'task_logs.level', kind: 'text' },
  source: { column: 'task_logs.source', kind: 'text', search: true },
  message: { column: 'task_logs.message', kind: 'text', search: true },
};

export type TaskStore = ReturnType<typeof createTaskStore>;

export function createTaskStore(db: Db | Tx) {
  const visible = (groups: Groups) =>
    db
      .selectFrom('tasks')
      .selectAll('tasks')
      .$if(groups !== null, (query) => query.where('tasks.client_id', 'in', clientsIn(groups ?? [])));

  const byId = preparedQuery(db, (id: number) => visible(null).where('tasks.id', '=', id));

  const someTasks = (ids: readonly number[]) => [...ids, -1];
  /** How the run of a rule ended stays known when its task goes. */
  const keepEnds = async (ids: readonly number[]): Promise<void> => {
    await db
      .updateTable('strategy_rule_runs')
      .set({
        task_end: (inner) =>
          inner.selectFrom('tasks').select('status').whereRef('tasks.id', '=', 'strategy_rule_runs.task_id'),
      })
      .where('task_id', 'in', someTasks(ids))
      .execute();
  };

  const removeEnded = async (
    ids: readonly number[],
    statuses: readonly string[],
    endedBeforeMs: number,
  ): Promise<number> => {
    await keepEnds(ids);
    const gone = db
      .deleteFrom('tasks')
      .where('id', 'in', someTasks(ids))
      // One that was restarted a moment ago stays.
      .where('status', 'in', [...statuses])
      .where('finished_ms', '<', endedBeforeMs);
    const removed = Number((await gone.executeTakeFirst()).numDeletedRows);
    // Others are served in between.
    await nextTurn();
    return removed;
  };

  return {
    list: async (list: ListRequest, groups: Groups, dialect: Dialect): Promise<Page<StoredTask>> => {
      const trigrams = { ...taskTrigrams, db, isAll: groups === null };
      const late = lateTaskIndexes(dialect);
      const options = { list, columns, dialect, tieBreaker: 'tasks.id', selectsId: true, trigrams, late };
      const page = await listPage(visible(groups), options);
      return { rows: page.rows as readonly StoredTask[], total: page.total };
    },

    get: async (id: number, groups: Groups = null): Promise<StoredTask | null> =>
      groups === null
        ? ((await byId(id))[0] ?? null)
        : ((await visible(groups).where('tasks.id', '=', id).executeTakeFirst()) ?? null),

    getMany: async (ids: readonly number[], groups: Groups): Promise<readonly StoredTask[]> =>
      visible(groups)
        .where('tasks.id', 'in', [...ids, -1])
        .execute(),

    idsWithStatus: async (status: string, groups: Groups): Promise<readonly number[]> =>
      (await visible(groups).where('tasks.status', '=', status).orderBy('tasks.id').execute()).map(
        (row) => row.id,
      ),

    insert: async (task: NewTask, nowMs: number): Promise<number> => {
      const row = await db
        .insertInto('tasks')
        .values(newRow(task, nowMs))
        .returning('id')
        .executeTakeFirstOrThrow();
      return row.id;
    },

    /** Answers the ids in the order of the tasks. */
    insertMany: async (tasks: readonly NewTask[], nowMs: number): Promise<readonly number[]> => {
      const ids: number[] = [];
      // A statement can have so many values at most.
      const atOnce = 400;
      for (let from = 0; from < tasks.length; from += atOnce) {
        const rows = tasks.slice(from, from + atOnce).map((task) => newRow(task, nowMs));
        const made = await db.insertInto('tasks').values(rows).returning('id').execute();
        // Ids count up as the rows are inserted; the answer may come in another order.
        ids.push(...made.map((row) => row.id).sort((left, right) => left - right));
      }
      return ids;
    },

    remove: async (ids: readonly number[]): Promise<void> => {
      await keepEnds(ids);
      await db.deleteFrom('tasks').where('id', 'in', someTasks(ids)).execute();
    },

    /** Compare and set: false when the task is no longer in the status that the caller saw. */
    change: async (
      seen: { readonly id: number; readonly status: string },
      to: Partial<Omit<StoredTask, 'id'>>,
    ): Promise<boolean> => {
      const result = await db
        .updateTable('tasks')
        .set(to)
        .where('id', '=', seen.id)
        .where('status', '=', seen.status)
        .executeTakeFirst();
      return Number(result.numUpdatedRows) === 1;
    },

    clientGroupOf: async (clientId: number | null): Promise<number | null> => {
      if (clientId === null) return null;
      const row = await db
        .selectFrom('clients')
        .select('client_group_id')
        .where('id', '=', clientId)
        .executeTakeFirst();
      return row?.client_group_id ?? null;
    },

    addLog: async (taskId: number, side: LogSide, line: Omit<TaskLogLine, 'id' | 'time'>, nowMs: number) => {
      const { level, source, message } = line;
      await db
        .insertInto('task_logs')
        .values({ task_id: taskId, side, time_ms: nowMs, level, source, message })
        .execute();
    },

    logs: async (
      taskId: number,
      side: LogSide,
      list: ListRequest,
      dialect: Dialect,
    ): Promise<Page<TaskLogLine>> => {
      const query = db
        .selectFrom('task_logs')
        .selectAll('task_logs')
        .where('task_id', '=', taskId)
        .where('side', '=', side);
      const page = await listPage(query, {
        list,
        columns: logColumns,
        dialect,
        tieBreaker: 'task_logs.id',
        selectsId: true,
      });
      const rows = page.rows.map((row) => ({
        id: row.id,
        time: toWireTime(row.time_ms),
        level: row.level,
        source: row.source,
        message: row.message,
      }));
      return { rows, total: page.total };
    },

    /** Final tasks that ended before the given moment. */
    purge: async (statuses: readonly string[], endedBeforeMs: number): Promise<number> => {
      let removed = 0;
      let after = { id: 0, endedMs: Number.MIN_SAFE_INTEGER };
      for (;;) {
        // From the index alone, which has the others that ended so early too.
        const ended = await db
          .selectFrom('tasks')
          .select(['id', 'status', 'finished_ms'])
          .where(sql<boolean>`(finished_ms, id) > (${after.endedMs}, ${after.id})`)
          .where('finished_ms', '<', endedBeforeMs)
          .orderBy('finished_ms')
          .orderBy('id')
          .limit(endedAtOnce)
          .execute();
        const ids = ended.filter(({ status }) => statuses.includes(status)).map(({ id }) => id);
        for (let from = 0; from < ids.length; from += purgedAtOnce) {
          removed += await removeEnded(ids.slice(from, from + purgedAtOnce), statuses, endedBeforeMs);
        }
        const last = ended.at(-1);
        if (last === undefined || ended.length < endedAtOnce) return removed;
        after = { id: last.id, endedMs: last.finished_ms ?? after.endedMs };
        await nextTurn();
      }
    },

    /** Where a backup of this task goes: the pool and its media server by name. */
    poolByName: async (name: string) =>
      (await db
        .selectFrom('pools')
        .innerJoin('media_servers', 'media_servers.id', 'pools.media_server_id')
        .select([
          'pools.id',
          'pools.name',
          'pools.pool_type',
          'media_servers.id as media_server_id',
          'media_servers.name as media_server_name',
        ])
        .where('pools.name', '=', name)
        .executeTakeFirst()) ?? null,

    clientByText: (text: string, groups: Groups) => clientByText(db, text, groups),
  };
}

export function toRecord(row: StoredTask): Task {
  return {
    id: row.id,
    task_type: row.task_type,
    resource_type: row.resource_type,
    resource: row.resource,
    client: row.client_text,
    client_id: row.client_id,
    backup_type: row.backup_type,
    status: row.status,
    suspend_reason: row.suspend_reason,
    progress: row.progress,
    priority: row.priority,
    pool: row.pool_name,
    source_pool: row.source_pool_name,
    media_server: row.media_server_name,
    crypto: row.crypto,
    archiving: row.archiving === 1,
    storage_duration: row.storage_duration,
    rule_id: row.rule_id,
    strategy_rule_id: row.strategy_rule_id,
    repository_id: row.copy_id,
    created: toWireTime(row.created_ms),
    started: toWireTimeOrNull(row.started_ms),
    finished: toWireTimeOrNull(row.finished_ms),
    attempt: row.attempt,
    transferred: row.transferred,
    speed: row.speed,
    error_message: row.error_message,
    created_by: row.created_by,
    module_extensions: shownParameters(row.module_extensions),
    common_modules_extensions: parsed(row.common_modules_extensions),
    skipped_items: row.skipped_items,
    progress_details: parsed(row.progress_details),
  };
}

function shownParameters(json: string | null): Task['module_extensions'] {
  const extensions = parsed<{ readonly parameters?: Record<string, unknown> }>(json);
  return extensions === null ? null : { parameters: withoutSecrets(extensions.parameters ?? {}) };
}

function parsed<T>(json: string | null): T | null {
  return json === null ? null : (JSON.parse(json) as T);
}

function newRow(task: NewTask, nowMs: number) {
  return {
    task_type: task.taskType,
    resource_type: task.resourceType,
    resource: task.resource,
    client_id: task.client?.id ?? null,
    client_text: task.client?.text ?? null,
    backup_type: task.backupType ?? null,
    status: 'new',
    suspend_reason: null,
    paused_status: null,
    suspended_ms: null,
    progress: 0,
    priority: task.priority ?? defaultPriority,
    pool_id: task.pool?.id ?? null,
    pool_name: task.pool?.name ?? null,
    source_pool_id: task.sourcePool?.id ?? null,
    source_pool_name: task.sourcePool?.name ?? null,
    media_server_id: task.mediaServer?.id ?? null,
    media_server_name: task.mediaServer?.name ?? null,
    crypto: task.crypto ?? null,
    archiving: task.archiving ? 1 : 0,
    storage_duration: task.storageDuration ?? null,
    rule_id: null,
    strategy_rule_id: task.strategyRuleId ?? null,
    copy_id: task.copyId ?? null,
    created_ms: nowMs,
    started_ms: null,
    finished_ms: null,
    attempt: 1,
    claim: 0,
    transferred: 0,
    speed: 0,
    error_message: null,
    created_by: task.createdBy,
    module_extensions: jsonOrNull(task.moduleExtensions),
    common_modules_extensions: jsonOrNull(task.commonModulesExtensions),
    skipped_items: null,
    progress_details: null,
    input: jsonOrNull(task.input),
    list_indexed: 0,
  } as const;
}

function jsonOrNull(value: object | null | undefined): string | null {
  return value === null || value === undefined ? null : JSON.stringify(value);
}
