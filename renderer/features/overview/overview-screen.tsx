import { type ReactNode, useCallback, useEffect, useState } from 'react';
import type { Pool } from '../../../contract/pools/pool.ts';
import type { Copy } from '../../../contract/repository/copy.ts';
import type { Task } from '../../../contract/tasks/task.ts';
import { call, on, problemOf } from '../../bridge.ts';
import { verificationMeaning, verificationWord } from '../../shell/copy-words.ts';
import { useRights } from '../../shell/rights.ts';
import { goTo, openDialog } from '../../shell/shell-store.ts';
import { taskMeaning, taskPercent, taskStatusText, taskTypeWord } from '../../shell/task-words.ts';
import {
  Button,
  counted,
  cutMiddle,
  FailedState,
  formatBytes,
  formatServerTime,
  LoadingRows,
  Progress,
  StatusBadge,
  showHidden,
} from '../../ui/index.ts';

interface Facts {
  readonly tasks: readonly Task[];
  readonly failed: readonly Task[];
  readonly failedTotal: number;
  readonly pools: readonly Pool[];
  readonly copies: readonly Copy[];
  readonly copiesTotal: number;
}

const running = [
  'new',
  'assigned',
  'at_client',
  'execution',
  'transmission',
  'at_server',
  'suspended',
  'restarting',
];
const nearlyFull = 0.9;

async function load(connectionId: string, signal: AbortSignal): Promise<Facts> {
  const newest = { sort: 'id', order: 'desc', page: 1 } as const;
  const [tasks, errors, broken, pools, copies] = await Promise.all([
    call(connectionId, 'taskQueue.list', { query: { ...newest, limit: 100 } }, signal),
    call(connectionId, 'taskQueue.list', { query: { ...newest, limit: 5, status: 'error' } }, signal),
    call(connectionId, 'taskQueue.list', { query: { ...newest, limit: 5, status: 'broken' } }, signal),
    call(connectionId, 'pools.list', { query: { page: 1, limit: 100 } }, signal),
    call(connectionId, 'repository.list', { query: { ...newest, limit: 5 } }, signal),
  ]);
  return {
    tasks: tasks.items.filter((task) => running.includes(task.status)),
    failed: [...errors.items, ...broken.items].sort((a, b) => b.id - a.id).slice(0, 5),
    failedTotal: errors.total + broken.total,
    pools: pools.items,
    copies: copies.items,
    copiesTotal: copies.total,
  };
}

/** Is all well? What runs, what failed, where there is room, what came last. */
export function OverviewScreen(props: { readonly connectionId: string }) {
  const { connectionId } = props;
  const [facts, setFacts] = useState<Facts | null>(null);
  const [problem, setProblem] = useState<{ readonly reason: string; readonly since: number } | null>(null);
  const reasonFor = useRights(connectionId);
  const refresh = useCallback(
    (signal: AbortSignal) => {
      load(connectionId, signal).then(
        (loaded) => {
          if (signal.aborted) return;
          setFacts(loaded);
          setProblem(null);
        },
        (error: unknown) => {
          if (signal.aborted) return;
          const reason = problemOf(error).message;
          setProblem((before) => ({ reason, since: before?.since ?? Date.now() }));
        },
      );
    },
    [connectionId],
  );
  useEffect(() => {
    const stop = new AbortController();
    refresh(stop.signal);
    let waiting: ReturnType<typeof setTimeout> | null = null;
    const off = on('server.event', (told) => {
      if (told.connectionId !== connectionId) return;
      waiting ??= setTimeout(() => {
        waiting = null;
        refresh(stop.signal);
      }, 1000);
    });
    const timer = setInterval(() => refresh(stop.signal), 15_000);
    return () => {
      stop.abort();
      off();
      clearInterval(timer);
      if (waiting !== null) clearTimeout(waiting);
    };
  }, [connectionId, refresh]);
  return (
    <>
      <div className="toolbar">
        <h1>Overview</h1>
        <span className="toolbar-space" />
        <Button
          kind="primary"
          onClick={() => openDialog({ kind: 'newBackup', connectionId })}
          disabledBecause={reasonFor('task_queue.write')}
        >
          New backup
        </Button>
      </div>
      {facts === null && problem === null && <LoadingRows />}
      {facts === null && problem !== null && (
        <FailedState
          what="The overview cannot be shown"
          reason={problem.reason}
          since={problem.since}
          onRetry={() => refresh(new AbortController().signal)}
        />
      )}
      {facts !== null && <Contents facts={facts} />}
    </>
  );
}

function Contents(props: { readonly facts: Facts }) {
  const { tasks, failed, failedTotal, pools, copies, copiesTotal } = props.facts;
  const full = pools.filter(
    (pool) => pool.total_space > 0 && pool.used_space / pool.total_space > nearlyFull,
  );
  const isWell = failedTotal === 0 && full.length === 0;
  return (
    <div className="page">
      <div className="tiles">
        <div className="tile">
          <StatusBadge meaning={isWell ? 'ok' : 'warning'} word={isWell ? 'All is well' : 'Needs a look'} />
          <strong>{isWell ? 'No failures' : counted(failedTotal, 'failed task')}</strong>
        </div>
        <div className="tile">
          <span className="muted">Running or waiting</span>
          <strong>{counted(tasks.length, 'task')}</strong>
        </div>
        <div className="tile">
          <span className="muted">Copies kept</span>
          <strong>{copiesTotal}</strong>
        </div>
        <div className="tile">
          <span className="muted">Pools nearly full</span>
          <strong>
            {full.length === 0 ? 'none' : full.map((pool) => showHidden(pool.pool_name)).join(', ')}
          </strong>
        </div>
      </div>
      <Block title="Running now" section="Tasks" empty="Nothing runs.">
        {tasks.slice(0, 8).map((task) => (
          <li key={task.id}>
            <StatusBadge meaning={taskMeaning(task)} word={taskStatusText(task)} />
            <span className="grow">
              {taskTypeWord(task.task_type)}{' '}
              <span className="mono">{cutMiddle(showHidden(task.resource ?? ''), 70)}</span>
            </span>
            <span style={{ width: 160 }}>
              <Progress label={`Progress of task ${task.id}`} percent={taskPercent(task)} />
            </span>
          </li>
        ))}
      </Block>
      {failed.length > 0 && (
        <Block title="Failed" section="Tasks" empty="">
          {failed.map((task) => (
            <li key={task.id}>
              <StatusBadge meaning={taskMeaning(task)} word={taskStatusText(task)} />
              <span className="grow" title={showHidden(task.error_message ?? '')}>
                {taskTypeWord(task.task_type)}{' '}
                <span className="mono">{cutMiddle(showHidden(task.resource ?? ''), 50)}</span>{' '}
                {showHidden(task.error_message ?? '')}
              </span>
              <span className="muted">{formatServerTime(task.finished)}</span>
            </li>
          ))}
        </Block>
      )}
      <Block title="Newest copies" section="Copies" empty="There is no copy yet.">
        {copies.map((copy) => (
          <li key={copy.id}>
            <StatusBadge meaning={verificationMeaning(copy.status)} word={verificationWord(copy.status)} />
            <span className="grow mono">{cutMiddle(showHidden(copy.resource), 80)}</span>
            <span>{formatBytes(copy.size)}</span>
            <span className="muted">{formatServerTime(copy.created)}</span>
          </li>
        ))}
      </Block>
      <Block title="Pools" section="Pools" empty="There is no pool.">
        {pools.map((pool) => (
          <li key={pool.id}>
            <span className="grow">{showHidden(pool.pool_name)}</span>
            <span style={{ width: 220 }}>
              <Progress
                label={`Used of ${pool.pool_name}`}
                percent={pool.total_space === 0 ? 0 : (pool.used_space / pool.total_space) * 100}
              />
            </span>
            <span style={{ width: 170, textAlign: 'right' }} className="muted">
              {formatBytes(pool.free_space)} free of {formatBytes(pool.total_space)}
            </span>
          </li>
        ))}
      </Block>
    </div>
  );
}

function Block(props: {
  readonly title: string;
  readonly section: string;
  readonly empty: string;
  readonly children: readonly ReactNode[];
}) {
  return (
    <section className="page-section">
      <div style={{ display: 'flex', alignItems: 'center', gap: 8 }}>
        <h2>{props.title}</h2>
        <Button
          kind="quiet"
          label={`Show all ${props.section}`}
          onClick={() => goTo({ section: props.section })}
        >
          Show all
        </Button>
      </div>
      <ul className="lines">
        {props.children.length === 0 ? <li className="muted">{props.empty}</li> : props.children}
      </ul>
    </section>
  );
}
