import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { useStore } from 'zustand';
import type { Task, TaskLogLine } from '../../../contract/tasks/task.ts';
import { isOver } from '../../../contract/tasks/task-states.ts';
import { call, problemOf } from '../../bridge.ts';
import type { Severity } from '../../shell/backend-log.ts';
import { DetailsHead, Facts } from '../../shell/facts.tsx';
import { copyText } from '../../shell/keys.ts';
import { periodWords } from '../../shell/period-words.ts';
import { serverTime } from '../../shell/server-time.tsx';
import { SeverityFilter } from '../../shell/severity-filter.tsx';
import {
  remainingText,
  taskMeaning,
  taskPercent,
  taskStatusText,
  taskTypeWord,
} from '../../shell/task-words.ts';
import { t, textsOf } from '../../texts/index.ts';
import { Rich } from '../../texts/rich.tsx';
import {
  Capped,
  cutMiddle,
  Disclosure,
  formatBytes,
  formatCount,
  formatTimeOfDay,
  LogView,
  nameInText,
  Progress,
  StatusBadge,
  showHidden,
  Tabs,
} from '../../ui/index.ts';
import { createLastLines, lastOf } from './last-lines.ts';
import { createSeverityLog } from './severity-log.ts';

const words = textsOf('tasks');
const common = textsOf('common');

/** Everything about one task, live while it runs. */
export function TaskDetails(props: { readonly connectionId: string; readonly task: Task }) {
  const { connectionId, task } = props;
  const details = task.progress_details;
  const remaining = remainingText(task);
  const percent = taskPercent(task);
  const percentText = percent === null ? words.details.estimating : `${Math.round(percent)} %`;
  return (
    <section
      aria-label={words.details.title}
      style={{ display: 'flex', flexDirection: 'column', gap: 12, flex: 1, minHeight: 0 }}
    >
      <DetailsHead>
        {taskTypeWord(task.task_type)} {task.id}
      </DetailsHead>
      <StatusBadge meaning={taskMeaning(task)} word={taskStatusText(task)} />
      <Progress
        label={words.columns.progress}
        percent={percent}
        text={percentText}
        meaning={taskMeaning(task)}
      />
      <p className="muted">
        {[
          percentText,
          details != null &&
            t('tasks.details.doneOf', {
              done: formatBytes(details.bytes_done),
              total:
                details.bytes_total === null ? words.details.sizeUnknown : formatBytes(details.bytes_total),
            }),
          details != null && t('common.counts.items', { count: details.files_done }),
          task.speed > 0 && t('tasks.speed', { size: formatBytes(task.speed) }),
          remaining !== null && t('tasks.details.remaining', { time: remaining }),
        ]
          .filter((part) => part !== false)
          .join(', ')}
      </p>
      {details?.current_path != null && details.current_path !== '' && (
        <p className="mono" title={showHidden(details.current_path)}>
          {cutMiddle(showHidden(details.current_path), 64)}
        </p>
      )}
      {!isOver(task.status) && <LastLines connectionId={connectionId} task={task} key={`lines ${task.id}`} />}
      {task.error_message !== null && task.error_message !== '' && (
        <p role="alert" className="banner banner-error selectable">
          <Capped>{showHidden(task.error_message)}</Capped>
        </p>
      )}
      <Facts
        facts={[
          [
            words.columns.resource,
            task.resource === null ? null : (
              <span key="resource" className="mono">
                {showHidden(task.resource)}
              </span>
            ),
          ],
          [common.client, task.client === null ? null : showHidden(task.client)],
          [common.pool, task.pool === null ? null : showHidden(task.pool)],
          [
            common.created,
            task.created_by ? (
              <Rich
                key="created"
                text="tasks.details.createdBy"
                parts={{ time: serverTime(task.created), user: nameInText(task.created_by) }}
              />
            ) : (
              serverTime(task.created)
            ),
          ],
          [words.details.started, serverTime(task.started)],
          [words.details.finished, serverTime(task.finished)],
          [words.details.transferred, formatBytes(task.transferred)],
          [words.details.skipped, formatCount(task.skipped_items)],
        ]}
      />
      <MoreFacts task={task} />
      <Logs connectionId={connectionId} task={task} />
    </section>
  );
}

/** What is seldom asked for is folded away: the log needs the room. */
function MoreFacts(props: { readonly task: Task }) {
  const { task } = props;
  return (
    <Disclosure label={words.details.more}>
      <Facts
        facts={[
          [words.details.sourcePool, task.source_pool && showHidden(task.source_pool)],
          [words.details.mediaServer, task.media_server && showHidden(task.media_server)],
          [words.details.keepFor, task.storage_duration && periodWords(task.storage_duration)],
          [words.details.priority, String(task.priority)],
          [words.details.encryption, cryptoText(task)],
          [words.details.archiving, task.archiving ? common.yes : common.no],
          [words.details.attempt, String(task.attempt)],
        ]}
      />
    </Disclosure>
  );
}

function cryptoText({ crypto }: Task): string | null {
  if (!crypto) return null;
  return crypto === 'nocrypt' ? words.backup.notEncrypted : showHidden(crypto);
}

/** What both logs say at this moment, whichever of them is looked at below and however it is filtered. */
function LastLines(props: { readonly connectionId: string; readonly task: Task }) {
  const { connectionId, task } = props;
  const [lines, setLines] = useState<readonly TaskLogLine[]>([]);
  const reads = useMemo(
    () =>
      sides.map(({ id: side }) =>
        createLastLines((page, limit, signal) =>
          call(connectionId, side, { params: { id: task.id }, query: { page, limit } }, signal),
        ),
      ),
    [connectionId, task.id],
  );
  // The task's own figures change with each event: then its logs may have grown.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of the task is what makes it read on
  useEffect(() => {
    const stop = new AbortController();
    const keep = (ends: readonly (readonly TaskLogLine[])[]) =>
      !stop.signal.aborted && setLines(lastOf(ends));
    // Why a log cannot be read stands in the log itself, below.
    Promise.all(reads.map((read) => read(stop.signal))).then(keep, () => undefined);
    return () => stop.abort();
  }, [reads, task.status, task.progress, task.progress_details?.files_done]);
  return (
    <ol className="last-lines mono" aria-label={words.logs.lastLines}>
      {lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: both logs count their lines by themselves
        <li key={index} title={showHidden(`${line.time} ${line.message}`)}>
          <span className="muted">{showHidden(formatTimeOfDay(line.time.slice(11, 19)))}</span>{' '}
          {showHidden(line.message)}
        </li>
      ))}
    </ol>
  );
}

const sides = [
  { id: 'tasks.clientLog', label: words.logs.client },
  { id: 'tasks.serverLog', label: words.logs.server },
] as const;
type Side = (typeof sides)[number]['id'];

function Logs(props: { readonly connectionId: string; readonly task: Task }) {
  const { connectionId, task } = props;
  /** Null: nobody has chosen. */
  const [chosen, setChosen] = useState<Side | null>(null);
  /** The task whose client's log is known to be empty: then the other one has what there is to say. */
  const [emptyOf, setEmptyOf] = useState<number | null>(null);
  const [severity, setSeverity] = useState<Severity>('all');
  const side = chosen ?? (emptyOf === task.id ? 'tasks.serverLog' : 'tasks.clientLog');
  return (
    <Tabs label={words.logs.title} tabs={sides} current={side} onChange={(id) => setChosen(id as Side)}>
      <Log
        connectionId={connectionId}
        task={task}
        side={side}
        severity={severity}
        filter={<SeverityFilter value={severity} onChange={setSeverity} />}
        onEmpty={setEmptyOf}
        key={`${task.id} ${side}`}
      />
    </Tabs>
  );
}

function Log(props: {
  readonly connectionId: string;
  readonly task: Task;
  readonly side: Side;
  readonly severity: Severity;
  readonly filter: ReactNode;
  /** Told the task that has ended without a line in this log. */
  readonly onEmpty: (taskId: number) => void;
}) {
  const { connectionId, task, side, severity, onEmpty } = props;
  const log = useMemo(
    () =>
      createSeverityLog(severity, {
        list: (level, page, limit, signal) =>
          call(
            connectionId,
            side,
            { params: { id: task.id }, query: { page, limit, ...(level === null ? {} : { level }) } },
            signal,
          ),
        reasonOf: (error) => problemOf(error).message,
      }),
    [connectionId, side, severity, task.id],
  );
  useEffect(() => () => log.close(), [log]);
  // The task's own figures change with each event: then its log may have grown.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of the task is what makes it read on
  useEffect(() => void log.read(), [log, task.status, task.progress, task.progress_details?.files_done]);
  const { lines, leftOut, rest, problem, isRead } = useStore(log.store);
  const isEmpty =
    isRead && problem === null && lines.length === 0 && severity === 'all' && isOver(task.status);
  useEffect(() => {
    if (isEmpty && side === 'tasks.clientLog') onEmpty(task.id);
  }, [isEmpty, side, onEmpty, task.id]);
  const ways = useMemo(
    () => ({
      onOlder: () => void log.older(),
      onNewer: () => void log.newer(),
      onBegin: () => void log.toBegin(),
      onEnd: () => void log.toEnd(),
      onFollow: log.follow,
    }),
    [log],
  );
  const label = sides.find((one) => one.id === side)?.label ?? words.logs.title;
  const whole = isOver(task.status) ? words.logs.emptyAtEnd : words.logs.empty;
  const empty = severity === 'all' ? whole : t('shell.log.emptyFiltered');
  return (
    <>
      {problem !== null && (
        <p role="alert" className="meaning-error">
          {showHidden(problem)}
        </p>
      )}
      <LogView
        label={label}
        lines={lines}
        onCopy={copyText}
        empty={isRead ? empty : null}
        tools={props.filter}
        rest={{ before: leftOut, behind: rest, ...ways }}
      />
    </>
  );
}
