import { permissionsOf } from '../../../contract/permissions.ts';
import {
  resourceTypes,
  type Task,
  type TaskCreation,
  type TaskExtension,
  type TaskLogLine,
} from '../../../contract/tasks/task.ts';
import {
  isActive,
  isTaskStatus,
  removableStatuses,
  type TaskOperation,
  type TaskStatus,
  type TaskType,
  transition,
} from '../../../contract/tasks/task-states.ts';
import type { Db, Dialect, ListRequest, Page, Tx } from '../../db/index.ts';
import type { SessionUser } from '../../http/handler.ts';
import type { Clock } from '../../platform/clock.ts';
import { invalidField, notFound, Refusal } from '../../platform/errors.ts';
import { createInTurn } from '../../platform/in-turn.ts';
import type { SecretBox } from '../../platform/secret-box.ts';
import type { Announce } from '../announce.ts';
import { backupExtension, type RuleParameters } from '../backup-extension.ts';
import { distinctIds, refuseIfAny, requireAllFound } from '../bulk.ts';
import { normaliseDuration } from '../duration.ts';
import type { Groups } from '../own-clients-store.ts';
import { unknownReference } from '../references.ts';
import type { LiveProgress } from './live-progress.ts';
import { insertRuleTasks, type RuleTask } from './rule-task-store.ts';
import { parametersOf } from './task-parameters.ts';
import { backupRefusals, deletionRefusal } from './task-rules.ts';
import { createTaskStore, type LogSide, type NewTask, type StoredTask, toRecord } from './task-store.ts';

export type { NewTask } from './task-store.ts';

export interface TaskServiceDeps {
  readonly db: Db;
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly announce: Announce;
  readonly live: LiveProgress;
  readonly secrets: Pick<SecretBox, 'seal'>;
  /** The values of a strategy rule; refuses with 404 when there is none for the caller. */
  readonly ruleParameters: (ruleId: number, groups: Groups) => Promise<RuleParameters>;
  /** The queue looks at its tasks again; called after a change is committed. */
  readonly wake: () => void;
  /** Acts on the running work of a task, if there is any. */
  readonly control: { pause(id: number): void; resume(id: number): void; kill(id: number): void };
}

const mostToldSingly = 100;

/**
 * Whoever may have programs run on any client of this task's reach, as by a rule. Who is limited to own client groups
 * there but not here (administrator and maintainer) may not.
 */
function mayNameScripts(user: SessionUser): boolean {
  const right = 'strategy_rules.write';
  if (user.clientGroupIds !== null) return permissionsOf(user.roles).includes(right);
  return permissionsOf(user.roles.filter((role) => role !== 'administrator')).includes(right);
}

export type TaskService = ReturnType<typeof createTaskService>;

export function createTaskService(deps: TaskServiceDeps) {
  const { db, dialect, clock, announce, live, wake, control } = deps;
  const store = createTaskStore(db);
  /** Row and running work change together: of two people who act on a task, one is second in both. */
  const inTurn = createInTurn();
  const shown = (row: StoredTask): Task => live.over(toRecord(row));

  const tell = async (
    row: { readonly id: number; readonly client_id: number | null },
    action: 'created' | 'changed' | 'removed',
  ) =>
    announce({ kind: 'task', action, id: row.id, clientGroupId: await store.clientGroupOf(row.client_id) });

  const load = async (id: number, groups: Groups): Promise<StoredTask> => {
    const row = await store.get(id, groups);
    if (row === null) throw notFound('Task', id);
    return row;
  };

  const remove = async (ids: readonly number[], groups: Groups): Promise<readonly number[]> => {
    const wanted = distinctIds(ids);
    const rows = await store.getMany(wanted, groups);
    requireAllFound(
      'Task',
      wanted,
      rows.map((row) => row.id),
    );
    refuseIfAny(
      rows.map((row) =>
        deletionRefusal({ id: row.id, isFinal: !isActive(statusOf(row)), status: row.status }),
      ),
      'object.inUse',
    );
    await store.remove(wanted);
    for (const row of rows) await tell(row, 'removed');
    return wanted;
  };

  /** Loads, asks the table, and changes the row only if it still is as it was seen; else looks again. */
  const operate = async (id: number, operation: TaskOperation, groups: Groups): Promise<void> => {
    for (;;) {
      const row = await load(id, groups);
      const to = allowed(row, operation);
      if (await store.change(row, changeFor(row, operation, to, clock.now()))) {
        await tell(row, 'changed');
        return;
      }
    }
  };

  return {
    list: async (list: ListRequest, user: SessionUser): Promise<Page<Task>> => {
      const page = await store.list(list, user.clientGroupIds, dialect);
      return { rows: page.rows.map(shown), total: page.total };
    },

    get: async (id: number, user: SessionUser): Promise<Task> => shown(await load(id, user.clientGroupIds)),

    logs: async (
      id: number,
      side: LogSide,
      list: ListRequest,
      user: SessionUser,
    ): Promise<Page<TaskLogLine>> => {
      await load(id, user.clientGroupIds);
      return store.logs(id, side, list, dialect);
    },

    /** An urgent full backup. */
    createBackup: async (body: TaskCreation, user: SessionUser): Promise<number> => {
      const { task } = body;
      const client = await store.clientByText(task.client, user.clientGroupIds);
      if (client === null) throw unknownReference('client', `client \`${task.client}\``);
      const pool = await store.poolByName(task.pool);
      if (pool === null) throw unknownReference('pool', `pool named \`${task.pool}\``);
      const { module, common } = parametersOf(body, deps.secrets);
      const errors = backupRefusals({
        resourceType: task.resource_type,
        isKnownType: (resourceTypes as readonly string[]).includes(task.resource_type),
        crypto: task.crypto,
        poolType: pool.pool_type,
        clientModules: JSON.parse(client.modules) as string[],
        resource: task.resource,
        module,
        mayNameScripts: mayNameScripts(user),
      });
      const [first] = Object.entries(errors);
      if (first !== undefined) {
        throw new Refusal('request.invalid', { message: `${first[0]} ${first[1]}.`, errors });
      }
      const id = await store.insert(
        {
          taskType: 'backup_urgent',
          resourceType: task.resource_type,
          resource: task.resource,
          client: { id: client.id, text: task.client },
          backupType: task.backup_type,
          pool,
          mediaServer: { id: pool.media_server_id, name: pool.media_server_name },
          crypto: task.crypto,
          priority: task.priority,
          storageDuration: normaliseDuration(task.storage_duration),
          archiving: task.archiving,
          createdBy: user.userName,
          moduleExtensions: { parameters: module },
          commonModulesExtensions: { parameters: common },
        },
        clock.now(),
      );
      announce({ kind: 'task', action: 'created', id, clientGroupId: client.client_group_id });
      wake();
      return id;
    },

    /** For the other features: a restore or a verification. */
    createTask: async (task: NewTask): Promise<number> => {
      const id = await store.insert(task, clock.now());
      await tell({ id, client_id: task.client?.id ?? null }, 'created');
      wake();
      return id;
    },

    /** For the scheduler: tasks in its own transaction; `tellPlanned` follows after the commit. */
    insertPlanned: (tx: Tx, tasks: readonly NewTask[]): Promise<readonly number[]> =>
      createTaskStore(tx).insertMany(tasks, clock.now()),

    /** The same for rules of strategies. */
    insertOfRules: (tx: Tx, rules: Parameters<typeof insertRuleTasks>[1]): Promise<readonly RuleTask[]> =>
      insertRuleTasks(tx, rules, clock.now()),

    tellPlanned: (tasks: readonly { readonly id: number; readonly clientGroupId: number | null }[]): void => {
      // Of many at once the lists are read again as a whole.
      if (tasks.length > mostToldSingly) announce({ kind: 'task', action: 'created', id: null });
      else for (const task of tasks) announce({ kind: 'task', action: 'created', ...task });
      wake();
    },

    /** A task was inserted in a transaction that is committed by now. */
    tellMade: async (task: { readonly id: number; readonly client_id: number | null }): Promise<void> => {
      await tell(task, 'created');
      wake();
    },

    remove: (ids: readonly number[], user: SessionUser) => remove(ids, user.clientGroupIds),

    /** All digits are an id; anything else is a status word in any case. */
    removeByIdOrStatus: async (idOrStatus: string, user: SessionUser): Promise<readonly number[]> => {
      if (/^\d{1,15}$/.test(idOrStatus)) return remove([Number(idOrStatus)], user.clientGroupIds);
      const status = idOrStatus.toLowerCase();
      if (!(removableStatuses as readonly string[]).includes(status)) {
        throw invalidField('status', `must be one of: ${removableStatuses.join(', ')}; or an id`);
      }
      const ids = await store.idsWithStatus(status, user.clientGroupIds);
      if (ids.length === 0) {
        throw new Refusal('object.notFound', {
          message: `There is no task with status \`${status}\`.`,
          errors: { status: 'no task has this status' },
        });
      }
      return remove(ids, user.clientGroupIds);
    },

    /** All or nothing: with an unknown id or a wrong status nothing is restarted. */
    restart: async (ids: readonly number[], user: SessionUser): Promise<void> => {
      const wanted = distinctIds(ids);
      await db.transaction().execute(async (tx) => {
        const inside = createTaskStore(tx);
        const rows = await inside.getMany(wanted, user.clientGroupIds);
        requireKnownForRestart(wanted, rows);
        for (const row of rows) allowed(row, 'restart');
        for (const row of rows) {
          const isChanged = await inside.change(row, changeFor(row, 'restart', 'restarting', clock.now()));
          if (!isChanged)
            throw new Refusal('state.notAllowed', { message: `Task ${row.id} has just changed; try again.` });
        }
      });
      for (const row of await store.getMany(wanted, null)) await tell(row, 'changed');
      wake();
    },

    pause: (id: number, user: SessionUser): Promise<void> =>
      inTurn(String(id), async () => {
        await operate(id, 'pause', user.clientGroupIds);
        control.pause(id);
      }),

    resume: async (id: number, bodyId: number, user: SessionUser): Promise<void> => {
      await load(id, user.clientGroupIds);
      if (bodyId !== id) throw invalidField('task_id', `must be the id in the path, ${id}`);
      await inTurn(String(id), async () => {
        await operate(id, 'continue', user.clientGroupIds);
        control.resume(id);
      });
      wake();
    },

    kill: async (id: number, user: SessionUser): Promise<void> => {
      await inTurn(String(id), async () => {
        await operate(id, 'kill', user.clientGroupIds);
        control.kill(id);
      });
      wake();
    },

    extension: async (
      resourceType: string,
      ruleId: number | undefined,
      user: SessionUser,
    ): Promise<TaskExtension> =>
      backupExtension(
        resourceType,
        ruleId === undefined ? null : await deps.ruleParameters(ruleId, user.clientGroupIds),
      ),
  };
}

function statusOf(row: StoredTask): TaskStatus {
  if (!isTaskStatus(row.status)) throw new Error(`task ${row.id} has the unknown status ${row.status}`);
  return row.status;
}

function allowed(row: StoredTask, operation: TaskOperation): TaskStatus {
  const paused = row.paused_status;
  const step = transition(
    {
      status: statusOf(row),
      taskType: row.task_type as TaskType,
      pausedIn: paused !== null && isTaskStatus(paused) ? paused : null,
    },
    operation,
  );
  if (step.ok && step.to !== 'removed') return step.to;
  const reason = step.ok ? 'a task is removed by its own call' : step.reason;
  throw new Refusal('state.notAllowed', {
    message: `Task ${row.id}: ${reason}.`,
    errors: { status: reason },
  });
}

function changeFor(
  row: StoredTask,
  operation: TaskOperation,
  to: TaskStatus,
  nowMs: number,
): Partial<Omit<StoredTask, 'id'>> {
  switch (operation) {
    case 'pause':
      return { status: to, suspend_reason: 'user', paused_status: row.status, suspended_ms: nowMs };
    case 'continue':
      return { status: to, suspend_reason: null, paused_status: null, suspended_ms: null };
    case 'kill':
      return {
        status: to,
        suspend_reason: null,
        paused_status: null,
        suspended_ms: null,
        finished_ms: nowMs,
      };
    default:
      return {
        status: to,
        attempt: row.attempt + 1,
        progress: 0,
        transferred: 0,
        speed: 0,
        skipped_items: null,
        progress_details: null,
        error_message: null,
        started_ms: null,
        finished_ms: null,
      };
  }
}

function requireKnownForRestart(wanted: readonly number[], rows: readonly StoredTask[]): void {
  const known = new Set(rows.map((row) => row.id));
  const missing = wanted.filter((id) => !known.has(id));
  if (missing.length === 0) return;
  throw new Refusal('object.notFound', {
    message: `Task ${missing.join(', ')} does not exist; nothing was restarted.`,
    errors: { tasks_ids: `not found: ${missing.join(', ')}` },
  });
}
