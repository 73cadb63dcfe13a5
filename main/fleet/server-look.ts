import type { ApiName } from '../../contract/api.ts';
import type { ApiInput, ApiValue } from '../../contract/bridge.ts';
import type { ConnectionState } from '../../contract/desktop/connection.ts';
import { mostNamed, type ServerFacts } from '../../contract/desktop/fleet.ts';
import { endedLately, isNearlyFull } from '../../contract/desktop/health.ts';
import { failedStatuses, workingStatuses } from '../../contract/tasks/task-states.ts';
import { markAddressees } from './addressees.ts';

/** Calls one server; the answer was read by the endpoint's declaration, though any field of it may be null. */
export type CallServer = <N extends ApiName>(name: N, input: ApiInput<N>) => Promise<ApiValue<N>>;

const firstLook = 50;
const furtherLook = 500;
/** Nobody needs the count of more. */
const mostCounted = 2_000;
const mostTextChars = 500;

/** One look at what a person has to know of a server. Only what the account may see is asked for. */
export async function lookAtServer(
  call: CallServer,
  account: Pick<ConnectionState, 'permissions' | 'extensions' | 'roles'>,
  nowMs: number,
): Promise<ServerFacts> {
  const { permissions, extensions } = account;
  const may = (permission: string) => permissions.includes(permission);
  const [running, failed, overdue, nearlyFull] = await Promise.all([
    may('task_queue.read') ? countRunning(call) : null,
    may('task_queue.read') ? findFailed(call, nowMs) : null,
    may('statistics.read') && extensions.includes('statistics') ? findOverdue(call) : null,
    may('pools.read') ? findNearlyFull(call) : null,
  ]);
  const marked = await markAddressees(call, account, failed?.tasks ?? [], overdue?.runs ?? []);
  return {
    running,
    failed: failed && { ...failed, tasks: [...marked.failed] },
    overdue: overdue && { ...overdue, runs: [...marked.overdue] },
    nearlyFull,
  };
}

async function countRunning(call: CallServer): Promise<number> {
  const pages = await Promise.all(
    workingStatuses.map((status) => call('taskQueue.list', { query: { page: 1, limit: 1, status } })),
  );
  return pages.reduce((sum, { total }) => sum + total, 0);
}

async function findFailed(call: CallServer, nowMs: number) {
  const found = await Promise.all(failedStatuses.map((status) => failedLately(call, status, nowMs)));
  const tasks = found.flatMap((one) => one.tasks).sort((a, b) => b.id - a.id);
  return {
    count: tasks.length,
    isMore: found.some(({ isMore }) => isMore),
    tasks: tasks.slice(0, mostNamed).map((task) => ({
      id: task.id,
      taskType: text(task.task_type),
      resource: text(task.resource),
      status: text(task.status),
      finished: task.finished ?? null,
      reason: text(task.error_message),
      ruleId: task.strategy_rule_id ?? null,
    })),
  };
}

/** By their end, as far as the last day goes: mostly one short page. */
async function failedLately(call: CallServer, status: string, nowMs: number) {
  const latest = { sort: 'finished', order: 'desc', status } as const;
  const look = async (page: number, limit: number) => {
    const { items } = await call('taskQueue.list', { query: { ...latest, page, limit } });
    const tasks = items.filter((task) => endedLately(task, nowMs));
    return { tasks, goesOn: tasks.length === limit };
  };
  const first = await look(1, firstLook);
  if (!first.goesOn) return { tasks: first.tasks, isMore: false };
  // A task that ends meanwhile moves the others: each counts once.
  const byId = new Map(first.tasks.map((task) => [task.id, task]));
  let goesOn = true;
  for (let page = 1; goesOn && page * furtherLook <= mostCounted; page += 1) {
    const more = await look(page, furtherLook);
    for (const task of more.tasks) byId.set(task.id, task);
    goesOn = more.goesOn;
  }
  return { tasks: [...byId.values()], isMore: goesOn };
}

async function findOverdue(call: CallServer) {
  const { overdue } = await call('statistics.get', { query: { days: 1 } });
  const rules = overdue ?? [];
  return {
    count: rules.length,
    runs: rules.slice(0, mostNamed).map((rule) => ({
      ruleId: rule.rule_id,
      taskId: rule.task_id ?? null,
      client: text(rule.client),
      resource: text(rule.resource),
      strategy: text(rule.strategy),
      due: text(rule.due),
      reason: text(rule.reason),
    })),
  };
}

async function findNearlyFull(call: CallServer): Promise<ServerFacts['nearlyFull']> {
  const { items } = await call('pools.list', { query: { page: 1, limit: 500 } });
  return items.filter(isNearlyFull).map((pool) => ({
    id: pool.id,
    name: text(pool.pool_name),
    freeBytes: pool.free_space,
    totalBytes: pool.total_space,
  }));
}

function text(value: string | null | undefined): string {
  return (value ?? '').slice(0, mostTextChars);
}
