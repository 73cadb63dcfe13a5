import { CircleX, Pause, Play, RotateCcw, Trash2 } from 'lucide-react';
import type { Task } from '../../../contract/tasks/task.ts';
import {
  canOperate,
  isTaskStatus,
  type TaskOperation,
  type TaskType,
} from '../../../contract/tasks/task-states.ts';
import { call, problemOf } from '../../bridge.ts';
import { removeRows } from '../../shell/remove-rows.ts';
import { useRights } from '../../shell/rights.ts';
import { openDialog, showNotice } from '../../shell/shell-store.ts';
import { statusWord, taskTypeWord } from '../../shell/task-words.ts';
import { tellFailure } from '../../shell/tell.ts';
import { firstReasons, tryEach } from '../../shell/try-each.ts';
import { forgetInList } from '../../shell/use-list.ts';
import { t, textsOf } from '../../texts/index.ts';
import { Button } from '../../ui/index.ts';

const words = textsOf('tasks');

const operations = [
  'pause',
  'continue',
  'restart',
  'kill',
  'delete',
] as const satisfies readonly TaskOperation[];

type TaskAct = 'pause' | 'continue' | 'restart' | 'kill';

const icons = { pause: Pause, continue: Play, restart: RotateCcw, kill: CircleX, delete: Trash2 } as const;

/** Buttons for the selected tasks. What does not apply to all of them says why. */
export function TaskActions(props: {
  readonly connectionId: string;
  readonly tasks: () => readonly Task[];
  readonly onChanged: () => void;
}) {
  const { connectionId } = props;
  const reasonFor = useRights(connectionId);
  const tasks = props.tasks();
  return operations.map((operation) => {
    const Icon = icons[operation];
    const word = words.operations[operation];
    return (
      <Button
        key={operation}
        label={word}
        onClick={() => run(connectionId, operation, tasks, props.onChanged)}
        disabledBecause={
          reasonFor(operation === 'delete' ? 'task_queue.delete' : 'tasks.run') ?? refusal(tasks, operation)
        }
      >
        <Icon size={16} aria-hidden className="act-icon" />
        <span className="act-word">{word}</span>
      </Button>
    );
  });
}

export function refusal(tasks: readonly Task[], operation: TaskOperation): string | null {
  if (tasks.length === 0) return words.selectFirst;
  const refused = tasks.find((task) => !allows(task, operation));
  if (refused === undefined) return null;
  return t('tasks.notPossible', { status: statusWord(refused.status) });
}

/** A server that names another status decides by itself. */
function allows(task: Task, operation: TaskOperation): boolean {
  if (!isTaskStatus(task.status)) return true;
  return canOperate({ status: task.status, taskType: task.task_type as TaskType }, operation);
}

function run(
  connectionId: string,
  operation: (typeof operations)[number],
  tasks: readonly Task[],
  onChanged: () => void,
): void {
  if (operation === 'delete') {
    openDialog({
      kind: 'remove',
      title: words.removeTitle,
      removal: {
        items: tasks.map((task) => `${task.id} ${taskTypeWord(task.task_type)} ${task.resource ?? ''}`),
        remove: removeRows({
          rows: tasks,
          nameOf: (task) => t('tasks.named', { id: task.id }),
          forget: (ids) => forgetInList(connectionId, 'Tasks', ids),
          remove: (ids) => call(connectionId, 'taskQueue.deleteMany', { body: { ids } }),
        }),
      },
    });
    return;
  }
  tellFailure(operate(connectionId, operation, tasks).finally(onChanged));
}

/** Servers restart several at once, or none of them where they refuse one; everything else is one task at a time. */
async function operate(connectionId: string, operation: TaskAct, tasks: readonly Task[]): Promise<void> {
  if (operation === 'restart' && (await isRestarted(connectionId, tasks))) return;
  const refused = await tryEach(tasks, ({ id }) => operateOne(connectionId, operation, id));
  if (refused.length === 0) return;
  const reasons = firstReasons(refused, ({ row, reason }) => t('tasks.refused', { id: row.id, reason }));
  const counts = { refused: refused.length, all: tasks.length };
  showNotice({ level: 'error', message: t(`tasks.notOperated.${operation}`, { ...counts, reasons }) });
}

/** Answers whether all are restarted; false: some are refused, and each is to be tried. */
async function isRestarted(connectionId: string, tasks: readonly Task[]): Promise<boolean> {
  try {
    await restart(
      connectionId,
      tasks.map((task) => task.id),
    );
    return true;
  } catch (error) {
    if (tasks.length < 2 || problemOf(error).kind !== 'refused') throw error;
    return false;
  }
}

function restart(connectionId: string, ids: number[]): Promise<unknown> {
  return call(connectionId, 'tasks.restart', { body: { tasks_ids: ids } });
}

function operateOne(connectionId: string, operation: TaskAct, id: number): Promise<unknown> {
  const params = { id };
  if (operation === 'restart') return restart(connectionId, [id]);
  if (operation === 'pause') return call(connectionId, 'tasks.pause', { params });
  if (operation === 'kill') return call(connectionId, 'tasks.kill', { params });
  return call(connectionId, 'tasks.continue', { params, body: { task_id: id } });
}
