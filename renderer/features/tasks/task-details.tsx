import { useEffect, useState } from 'react';
import type { Task, TaskLogLine } from '../../../contract/tasks/task.ts';
import { call, problemOf } from '../../bridge.ts';
import { copyText } from '../../shell/keys.ts';
import { Facts } from '../../shell/list-screen.tsx';
import {
  remainingText,
  taskMeaning,
  taskPercent,
  taskStatusText,
  taskTypeWord,
} from '../../shell/task-words.ts';
import {
  cutMiddle,
  formatBytes,
  formatCount,
  formatServerTime,
  LogView,
  Progress,
  StatusBadge,
  showHidden,
  Tabs,
} from '../../ui/index.ts';

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
            `${formatServerTime(task.created)}${task.created_by ? ` by ${showHidden(task.created_by)}` : ''}`,
          ],
          ['Started', formatServerTime(task.started)],
          ['Finished', formatServerTime(task.finished)],
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
const logLimit = 500;

function Logs(props: { readonly connectionId: string; readonly task: Task }) {
  const { connectionId, task } = props;
  const [side, setSide] = useState<(typeof sides)[number]['id']>('tasks.clientLog');
  const [lines, setLines] = useState<readonly TaskLogLine[]>([]);
  const [problem, setProblem] = useState<string | null>(null);
  // The task's own figures change with each event: then its log may have grown.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of the task is what makes it load again
  useEffect(() => {
    const stop = new AbortController();
    readAll(connectionId, side, task.id, stop.signal).then(
      (all) => {
        if (stop.signal.aborted) return;
        setLines(all);
        setProblem(null);
      },
      (error: unknown) => {
        if (!stop.signal.aborted) setProblem(problemOf(error).message);
      },
    );
    return () => stop.abort();
  }, [connectionId, side, task.id, task.status, task.progress]);
  const label = sides.find((one) => one.id === side)?.label ?? 'Log';
  return (
    <Tabs
      label="Logs"
      tabs={sides}
      current={side}
      onChange={(id) => {
        setLines([]);
        setSide(id as typeof side);
      }}
    >
      {problem !== null && <p className="meaning-error">{showHidden(problem)}</p>}
      <LogView label={label} lines={lines} onCopy={copyText} />
    </Tabs>
  );
}

const mostPages = 20;

async function readAll(
  connectionId: string,
  side: 'tasks.clientLog' | 'tasks.serverLog',
  id: number,
  signal: AbortSignal,
): Promise<readonly TaskLogLine[]> {
  const lines: TaskLogLine[] = [];
  for (let page = 1; page <= mostPages; page += 1) {
    const answer = await call(
      connectionId,
      side,
      { params: { id }, query: { page, limit: logLimit } },
      signal,
    );
    lines.push(...answer.items);
    if (lines.length >= answer.total || answer.items.length === 0) break;
  }
  return lines;
}
