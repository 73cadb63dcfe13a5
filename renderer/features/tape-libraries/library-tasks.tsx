import { useMemo } from 'react';
import type { Task } from '../../../contract/tasks/task.ts';
import { workingStatuses } from '../../../contract/tasks/task-states.ts';
import { call } from '../../bridge.ts';
import { PickListDialog } from '../../shell/pick-list/pick-list-dialog.tsx';
import { useRights } from '../../shell/rights.ts';
import { openDialog } from '../../shell/shell-store.ts';
import { taskMeaning, taskStatusText, taskTypeWord } from '../../shell/task-words.ts';
import { showIn, tellFailure } from '../../shell/tell.ts';
import { useAnswer } from '../../shell/use-answer.ts';
import { t } from '../../texts/index.ts';
import { Button, StatusBadge, showHidden } from '../../ui/index.ts';

const watch = { kinds: ['task'], pollMs: 30_000, settleMs: 1500 } as const;
const newest = 20;
const shownMost = 3;
const shown: ReadonlySet<string> = new Set([...workingStatuses, 'suspended']);

/** The tasks that work with the tapes of a pool now, and those that wait for a cartridge. */
export function LibraryTasks(props: { readonly connectionId: string; readonly pool: string }) {
  const { connectionId, pool } = props;
  const mayRead = useRights(connectionId)('task_queue.read') === null;
  const load = useMemo(
    () => (mayRead ? (signal: AbortSignal) => tasksOf(connectionId, pool, signal) : null),
    [connectionId, pool, mayRead],
  );
  const tasks = useAnswer(connectionId, load, watch).value ?? [];
  if (tasks.length === 0) return null;
  return (
    <ul className="board-tasks" aria-label={t('tapeBoard.tasks')}>
      {tasks.slice(0, shownMost).map((task) => (
        <li key={task.id}>
          <StatusBadge meaning={taskMeaning(task)} word={taskStatusText(task)} />
          <span className="grow" title={showHidden(task.error_message ?? '')}>
            {t('tapeBoard.task', { id: task.id, type: taskTypeWord(task.task_type) })}{' '}
            {showHidden(task.error_message ?? task.resource ?? '')}
          </span>
          {task.status === 'suspended' && task.repository_id !== null && (
            <Button
              kind="quiet"
              onClick={() => tellFailure(openPickList(connectionId, task.repository_id ?? 0))}
            >
              {t('tapeBoard.pick.open')}
            </Button>
          )}
          <Button kind="quiet" onClick={() => showIn(connectionId, 'Tasks', task.id)}>
            {t('tapeBoard.showTask')}
          </Button>
        </li>
      ))}
      {tasks.length > shownMost && (
        <li className="caption">{t('tapeBoard.moreTasks', { count: tasks.length - shownMost })}</li>
      )}
    </ul>
  );
}

/** What the waiting task reads, and what of it has to be brought. */
async function openPickList(connectionId: string, copyId: number): Promise<void> {
  const copy = await call(connectionId, 'repository.get', { params: { id: copyId } });
  openDialog({
    kind: 'own',
    draw: (close) => <PickListDialog connectionId={connectionId} copy={copy} onClose={close} />,
  });
}

/** A task that reads from the pool names it as its source. */
async function tasksOf(connectionId: string, pool: string, signal: AbortSignal): Promise<readonly Task[]> {
  const page = { page: 1, limit: newest, sort: 'id', order: 'desc' } as const;
  const [to, from] = await Promise.all([
    call(connectionId, 'taskQueue.list', { query: { ...page, pool } }, signal),
    call(connectionId, 'taskQueue.list', { query: { ...page, source_pool: pool } }, signal),
  ]);
  const all = new Map([...to.items, ...from.items].map((task) => [task.id, task]));
  return [...all.values()].filter(({ status }) => shown.has(status));
}
