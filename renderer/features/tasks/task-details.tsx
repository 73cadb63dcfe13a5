import { useEffect, useMemo, useState } from 'react';
import { useStore } from 'zustand';
import type { Task } from '../../../contract/tasks/task.ts';
import { call, problemOf } from '../../bridge.ts';
import { copyText } from '../../shell/keys.ts';
import { Facts } from '../../shell/list-screen.tsx';
import { serverTime } from '../../shell/server-time.tsx';
import {
  remainingText,
  taskMeaning,
  taskPercent,
  taskStatusText,
  taskTypeWord,
} from '../../shell/task-words.ts';
import {
  counted,
  cutMiddle,
  formatBytes,
  formatCount,
  LogView,
  Progress,
  StatusBadge,
  showHidden,
  Tabs,
} from '../../ui/index.ts';
import { createTaskLog } from './task-log.ts';

/** Everything about one task, live while it runs. */
export function TaskDetails(props: { readonly connectionId: string; readonly task: Task }) {
  const { connectionId, task } = props;
  const details = task.progress_details;
  const remaining = remainingText(task);
  const percent = taskPercent(task);
  return (
    <section
      aria-label="Task details"
      style={{ display: 'flex', flexDirection: 'column', gap: 12, flex: 1, minHeight: 0 }}
    >
      <div className="details-head">
        <h2>
          {taskTypeWord(task.task_type)} {task.id}
        </h2>
      </div>
      <StatusBadge meaning={taskMeaning(task)} word={taskStatusText(task)} />
      <Progress label="Progress" percent={percent} text={percent === null ? 'estimating' : `${percent} %`} />
      <p className="muted">
        {percent === null ? 'estimating' : `${Math.round(percent)} %`}
        {details != null &&
          `, ${formatBytes(details.bytes_done)} of ${details.bytes_total === null ? 'a size not yet known' : formatBytes(details.bytes_total)}`}
        {details != null && `, ${formatCount(details.files_done)} items`}
        {task.speed > 0 && `, ${formatBytes(task.speed)}/s`}
        {remaining !== null && `, remaining: ${remaining}`}
      </p>
      {details?.current_path != null && details.current_path !== '' && (
        <p className="mono" title={showHidden(details.current_path)}>
          {cutMiddle(showHidden(details.current_path), 64)}
        </p>
      )}
      {task.error_message !== null && task.error_message !== '' && (
        <p className="banner banner-error selectable">{showHidden(task.error_message)}</p>
      )}
      <Facts
        facts={[
          [
            'Resource',
            task.resource === null ? null : (
              <span key="resource" className="mono">
                {showHidden(task.resource)}
              </span>
            ),
          ],
          ['Client', task.client === null ? null : showHidden(task.client)],
          ['Pool', task.pool === null ? null : showHidden(task.pool)],
          [
            'Created',
            <>
              {serverTime(task.created)}
              {task.created_by ? ` by ${showHidden(task.created_by)}` : ''}
            </>,
          ],
          ['Started', serverTime(task.started)],
          ['Finished', serverTime(task.finished)],
          ['Transferred', formatBytes(task.transferred)],
          ['Skipped items', formatCount(task.skipped_items)],
          ['Keep for', task.storage_duration],
          ['Attempt', String(task.attempt)],
        ]}
      />
      <Logs connectionId={connectionId} task={task} />
    </section>
  );
}

const sides = [
  { id: 'tasks.clientLog', label: 'Client log' },
  { id: 'tasks.serverLog', label: 'Server log' },
] as const;

function Logs(props: { readonly connectionId: string; readonly task: Task }) {
  const { connectionId, task } = props;
  const [side, setSide] = useState<(typeof sides)[number]['id']>('tasks.clientLog');
  return (
    <Tabs label="Logs" tabs={sides} current={side} onChange={(id) => setSide(id as typeof side)}>
      <Log connectionId={connectionId} task={task} side={side} key={`${task.id} ${side}`} />
    </Tabs>
  );
}

function Log(props: {
  readonly connectionId: string;
  readonly task: Task;
  readonly side: (typeof sides)[number]['id'];
}) {
  const { connectionId, task, side } = props;
  const log = useMemo(
    () =>
      createTaskLog({
        list: (page, limit, signal) =>
          call(connectionId, side, { params: { id: task.id }, query: { page, limit } }, signal),
        reasonOf: (error) => problemOf(error).message,
      }),
    [connectionId, side, task.id],
  );
  useEffect(() => () => log.close(), [log]);
  // The task's own figures change with each event: then its log may have grown.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of the task is what makes it read on
  useEffect(() => void log.read(), [log, task.status, task.progress, task.progress_details?.files_done]);
  const { lines, leftOut, problem } = useStore(log.store);
  const label = sides.find((one) => one.id === side)?.label ?? 'Log';
  return (
    <>
      {problem !== null && <p className="meaning-error">{showHidden(problem)}</p>}
      {leftOut > 0 && <p className="caption">{counted(leftOut, 'earlier line')} not shown</p>}
      <LogView label={label} lines={lines} onCopy={copyText} />
    </>
  );
}
