import { ListX } from 'lucide-react';
import { useEffect } from 'react';
import { useStore } from 'zustand';
import type { Task } from '../../../contract/tasks/task.ts';
import { failedStatuses, taskStatuses, taskTypes } from '../../../contract/tasks/task-states.ts';
import { Filter, withFilter } from '../../shell/filter.tsx';
import { ListScreen } from '../../shell/list-screen.tsx';
import { NewBackupButton } from '../../shell/new-backup-button.tsx';
import { useExtension, useRights } from '../../shell/rights.ts';
import { serverTime } from '../../shell/server-time.tsx';
import { openDialog, shell } from '../../shell/shell-store.ts';
import {
  remainingText,
  statusWord,
  taskMeaning,
  taskPercent,
  taskStatusText,
  taskTypeWord,
} from '../../shell/task-words.ts';
import { useList } from '../../shell/use-list.ts';
import { t, textsOf } from '../../texts/index.ts';
import {
  Button,
  type Column,
  formatBytes,
  PathText,
  Progress,
  StatusBadge,
  shortcutKey,
  showHidden,
  thinDash,
} from '../../ui/index.ts';
import { RemoveByStatusDialog } from './remove-by-status-dialog.tsx';
import { TaskActions } from './task-actions.tsx';
import { TaskDetails } from './task-details.tsx';
import { tasksSource } from './tasks-list.ts';

const words = textsOf('tasks');
const common = textsOf('common');

/** The first two are whole beside open details in a window of 1,280 pixels, in the longer words of Russian too. */
const columns: readonly Column<Task>[] = [
  {
    id: 'task_type',
    header: common.type,
    widthPx: 200,
    cell: (task) => taskTypeWord(task.task_type),
    title: (task) => taskTypeWord(task.task_type),
  },
  {
    id: 'status',
    header: common.status,
    widthPx: 154,
    cell: (task) => <StatusBadge meaning={taskMeaning(task)} word={taskStatusText(task)} />,
    title: taskStatusText,
  },
  {
    id: 'resource',
    header: words.columns.resource,
    widthPx: 250,
    cell: (task) => (task.resource === null ? thinDash : <PathText text={task.resource} />),
    title: (task) => showHidden(task.resource ?? ''),
  },
  {
    id: 'progress',
    header: words.columns.progress,
    widthPx: 150,
    cell: (task) => <ProgressCell task={task} />,
  },
  {
    id: 'speed',
    header: words.columns.speed,
    widthPx: 90,
    align: 'right',
    cell: (task) => (task.speed > 0 ? t('tasks.speed', { size: formatBytes(task.speed) }) : thinDash),
  },
  {
    id: 'remaining',
    header: words.columns.remaining,
    widthPx: 100,
    align: 'right',
    sortable: false,
    cell: (task) => remainingText(task) ?? thinDash,
  },
  {
    id: 'client',
    header: common.client,
    widthPx: 200,
    cell: (task) => showHidden(task.client ?? thinDash),
    title: (task) => showHidden(task.client ?? ''),
  },
  { id: 'pool', header: common.pool, widthPx: 110, cell: (task) => showHidden(task.pool ?? thinDash) },
  { id: 'created', header: common.created, widthPx: 172, cell: (task) => serverTime(task.created) },
  { id: 'id', header: common.id, widthPx: 80, align: 'right', cell: (task) => task.id },
];

function ProgressCell(props: { readonly task: Task }) {
  const { task } = props;
  const percent = taskPercent(task);
  const isOver = ['done', 'obsoleted', 'error', 'killed', 'broken'].includes(task.status);
  if (isOver) return percent === 100 ? '100 %' : thinDash;
  return (
    <span style={{ display: 'flex', alignItems: 'center', gap: 8, height: '100%' }}>
      <span style={{ flex: 1 }}>
        <Progress label={t('tasks.progressOf', { id: task.id })} percent={percent} />
      </span>
      <span style={{ width: 34, textAlign: 'right' }}>
        {percent === null ? '' : `${Math.round(percent)} %`}
      </span>
    </span>
  );
}

/** Where letters are text, or find an item by its first letter. */
const ownKeys = 'input, textarea, select, [role="menu"], [role="dialog"]';

export function TasksScreen(props: { readonly connectionId: string }) {
  const { connectionId } = props;
  const list = useList(connectionId, tasksSource);
  const { query } = useStore(list.store);
  const failed = useExtension(connectionId, 'task_statuses') ? failedStatuses.join(',') : null;
  const reasonFor = useRights(connectionId);
  const refresh = () => void list.refresh();
  const setFilter = (change: Readonly<Record<string, string>>) =>
    list.setQuery({ filters: withFilter(query.filters, change) });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (shell.getState().dialog !== null) return;
      if (event.target instanceof Element && event.target.closest(ownKeys) !== null) return;
      const label = { r: words.operations.restart, p: words.operations.pause }[shortcutKey(event)];
      if (label === undefined) return;
      for (const button of document.querySelectorAll<HTMLButtonElement>(
        `[aria-label="${words.actions}"] button`,
      )) {
        if (button.textContent === label) button.click();
      }
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  const removeByStatus = (
    <Button
      label={words.byStatus.action}
      onClick={() =>
        openDialog({
          kind: 'own',
          draw: (close) => <RemoveByStatusDialog connectionId={connectionId} onClose={close} />,
        })
      }
      disabledBecause={reasonFor('task_queue.delete')}
    >
      <ListX size={16} aria-hidden />
    </Button>
  );
  return (
    <ListScreen
      title={words.title}
      list={list}
      columns={columns}
      empty={words.empty}
      newAction={
        <>
          {removeByStatus}
          <NewBackupButton connectionId={connectionId} />
        </>
      }
      filters={
        <>
          <Filter
            label={common.type}
            all={words.allTypes}
            value={query.filters.task_type}
            choices={taskTypes.map((type) => [type, taskTypeWord(type)])}
            onChange={(task_type) => setFilter({ task_type })}
          />
          <Filter
            label={common.status}
            all={words.allStatuses}
            value={query.filters.status}
            choices={[
              ...(failed === null ? [] : [[failed, words.allFailed] as const]),
              ...taskStatuses.map((status) => [status, statusWord(status)] as const),
            ]}
            onChange={(status) => setFilter({ status })}
          />
        </>
      }
      actionsLabel={words.actions}
      actions={<TaskActions connectionId={connectionId} tasks={list.selectedRows} onChanged={refresh} />}
      details={(task) => <TaskDetails connectionId={connectionId} task={task} />}
    />
  );
}
