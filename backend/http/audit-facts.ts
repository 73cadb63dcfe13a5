import { CustomAnswer } from './handler.ts';

/** What an audit record says beyond the call itself. */
const mostIds = 1000;

/** The id of what a call has made: `{id}`, or `{task_id}` of work that was asked for; null for other answers. */
export function createdIdOf(answer: unknown): number | null {
  const data = answer instanceof CustomAnswer ? answer.data : answer;
  if (typeof data !== 'object' || data === null) return null;
  const { id, task_id: taskId } = data as { readonly id?: unknown; readonly task_id?: unknown };
  if (typeof id === 'number') return id;
  return typeof taskId === 'number' ? taskId : null;
}

/** `ids: 3, 4` of a call that names many objects; null for other bodies. The body may be one that was refused. */
export function namedIds(body: unknown): string | null {
  if (typeof body !== 'object' || body === null) return null;
  const { ids, tasks_ids: taskIds } = body as { readonly ids?: unknown; readonly tasks_ids?: unknown };
  const named = Array.isArray(ids) ? ids : taskIds;
  if (!Array.isArray(named) || named.length === 0 || named.length > mostIds) return null;
  return named.every(Number.isSafeInteger) ? `ids: ${named.join(', ')}` : null;
}
