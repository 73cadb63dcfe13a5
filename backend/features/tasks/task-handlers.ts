import type { Page } from '../../db/index.ts';
import type { HandlersOf } from '../../http/handler.ts';
import type { TaskService } from './task-service.ts';

type Names =
  | 'taskQueue.list'
  | 'taskQueue.create'
  | 'taskQueue.deleteMany'
  | 'taskQueue.extension'
  | 'taskQueue.get'
  | 'taskQueue.deleteOne'
  | 'tasks.list'
  | 'tasks.extensions'
  | 'tasks.get'
  | 'tasks.deleteMany'
  | 'tasks.restart'
  | 'tasks.pause'
  | 'tasks.continue'
  | 'tasks.kill'
  | 'tasks.clientLog'
  | 'tasks.serverLog';

/** Both families of paths; they differ in nothing but their status codes, which the contract states. */
export function createTaskHandlers(tasks: TaskService): HandlersOf<Names> {
  return {
    'taskQueue.list': async ({ list, user }) => listed(await tasks.list(list, user)),
    'taskQueue.create': async ({ body, user }) => ({ id: await tasks.createBackup(body, user) }),
    'taskQueue.deleteMany': async ({ body, user }) => ({ ids: [...(await tasks.remove(body.ids, user))] }),
    'taskQueue.extension': ({ query, user }) => tasks.extension(query.resource_type, query.rule_id, user),
    'taskQueue.get': ({ params, user }) => tasks.get(params.id, user),
    'taskQueue.deleteOne': async ({ params, user }) => ({
      ids: [...(await tasks.removeByIdOrStatus(params.id, user))],
    }),
    'tasks.list': async ({ list, user }) => listed(await tasks.list(list, user)),
    'tasks.extensions': ({ query, user }) =>
      tasks.extension(query.resourse_type ?? query.resource_type ?? '', query.rule_id, user),
    'tasks.get': ({ params, user }) => tasks.get(params.id, user),
    'tasks.deleteMany': async ({ body, user }) => {
      await tasks.remove(body.ids, user);
      return undefined;
    },
    'tasks.restart': async ({ body, user }) => {
      await tasks.restart(body.tasks_ids, user);
      return undefined;
    },
    'tasks.pause': async ({ params, user }) => {
      await tasks.pause(params.id, user);
      return undefined;
    },
    'tasks.continue': async ({ params, body, user }) => {
      await tasks.resume(params.id, body.task_id, user);
      return undefined;
    },
    'tasks.kill': async ({ params, user }) => {
      await tasks.kill(params.id, user);
      return undefined;
    },
    'tasks.clientLog': async ({ params, list, user }) =>
      listed(await tasks.logs(params.id, 'client', list, user)),
    'tasks.serverLog': async ({ params, list, user }) =>
      listed(await tasks.logs(params.id, 'server', list, user)),
  };
}

function listed<T>(page: Page<T>): { readonly rows: T[]; readonly total: number } {
  return { rows: [...page.rows], total: page.total };
}
