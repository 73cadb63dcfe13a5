import { Plus, TriangleAlert } from 'lucide-react';
import { type ReactNode, useCallback, useEffect, useState } from 'react';
import { isNearlyFull } from '../../../contract/desktop/health.ts';
import { callerOf, on, problemOf } from '../../bridge.ts';
import { ExpiryHoldBanner } from '../../shell/expiry-hold.tsx';
import { FailedProofLines } from '../../shell/failed-proof-lines.tsx';
import { OverdueLines } from '../../shell/overdue-lines.tsx';
import { forecastFrom } from '../../shell/pool-fill.tsx';
import { useRights } from '../../shell/rights.ts';
import { goTo, openDialog } from '../../shell/shell-store.ts';
import { useHistory } from '../../shell/use-history.ts';
import { type Alarms, useAlarms } from '../../shell/use-overdue.ts';
import { t, textsOf, wordFor } from '../../texts/index.ts';
import {
  Button,
  FailedState,
  formatCount,
  LoadingRows,
  StaleBar,
  StatusBadge,
  showHidden,
} from '../../ui/index.ts';
import { loadOverview, type OverviewFacts } from './overview-facts.ts';
import { FailedTask, NewCopy, PoolFill, RunningTask } from './overview-lines.tsx';
import { OverviewPictures, usualDays } from './overview-pictures.tsx';

const words = textsOf('overview');

/** Is all well? What runs, what failed, where there is room, what came last. */
export function OverviewScreen(props: { readonly connectionId: string }) {
  const { connectionId } = props;
  const [facts, setFacts] = useState<OverviewFacts | null>(null);
  const [problem, setProblem] = useState<{ readonly reason: string; readonly since: number } | null>(null);
  const reasonFor = useRights(connectionId);
  const alarms = useAlarms(connectionId);
  const refresh = useCallback(
    (signal: AbortSignal) => {
      loadOverview(callerOf(connectionId), Date.now(), signal).then(
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
        <h1>{words.title}</h1>
        <span className="toolbar-space" />
        <Button
          kind="primary"
          onClick={() => openDialog({ kind: 'newBackup', connectionId })}
          disabledBecause={reasonFor('task_queue.write')}
        >
          <Plus size={16} aria-hidden />
          {words.newBackup}
        </Button>
      </div>
      {facts === null && problem === null && <LoadingRows />}
      {facts === null && problem !== null && (
        <FailedState
          what={words.cannotBeShown}
          reason={problem.reason}
          since={problem.since}
          onRetry={() => refresh(new AbortController().signal)}
        />
      )}
      {facts !== null && problem !== null && (
        <StaleBar
          since={problem.since}
          reason={problem.reason}
          onRetry={() => refresh(new AbortController().signal)}
        />
      )}
      {facts !== null && <Contents connectionId={connectionId} facts={facts} alarms={alarms} />}
    </>
  );
}

const noAlarms: Alarms = { overdue: [], failedProofs: [] };

function Contents(props: {
  readonly connectionId: string;
  readonly facts: OverviewFacts;
  readonly alarms: Alarms | null;
}) {
  const { overdue, failedProofs } = props.alarms ?? noAlarms;
  const { running, failed, pools, copies } = props.facts;
  const [days, setDays] = useState<number>(usualDays);
  const history = useHistory(props.connectionId, days);
  const full = pools?.filter(isNearlyFull) ?? [];
  const failures = failed?.tasks ?? [];
  const isWell =
    failures.length === 0 && full.length === 0 && overdue.length === 0 && failedProofs.length === 0;
  return (
    <div className="page">
      <ExpiryHoldBanner connectionId={props.connectionId} />
      <div className="tiles">
        <Tile
          name={<StatusBadge meaning={isWell ? 'ok' : 'warning'} word={isWell ? words.well : words.look} />}
        >
          {failures.length === 0
            ? words.noFailures
            : t(failed?.isMore ? 'overview.failuresOrMore' : 'overview.failures', { count: failures.length })}
        </Tile>
        {running !== null && (
          <Tile name={words.running}>{t('common.counts.tasks', { count: running.length })}</Tile>
        )}
        {copies !== null && <Tile name={words.kept}>{formatCount(copies.total)}</Tile>}
        {props.alarms !== null && (
          <Tile name={words.overdueRules}>{overdue.length === 0 ? words.none : overdue.length}</Tile>
        )}
        {pools !== null && (
          <Tile name={words.full}>
            {full.length === 0 ? words.none : full.map((pool) => showHidden(pool.pool_name)).join(', ')}
          </Tile>
        )}
      </div>
      {overdue.length > 0 && (
        <section className="page-section" aria-label={words.overdueRules}>
          <p className="banner banner-warning" role="alert">
            <TriangleAlert size={16} aria-hidden />
            {t('overview.overdue', { count: overdue.length })}
          </p>
          <OverdueLines connectionId={props.connectionId} rules={overdue} />
        </section>
      )}
      {failedProofs.length > 0 && (
        <section className="page-section" aria-label={words.failedProofs}>
          <p className="banner banner-warning" role="alert">
            <TriangleAlert size={16} aria-hidden />
            {t('overview.notRestorable', { count: failedProofs.length })}
          </p>
          <FailedProofLines connectionId={props.connectionId} proofs={failedProofs} />
        </section>
      )}
      {running !== null && (
        <Block title={words.runningNow} section="Tasks" empty={words.nothingRuns}>
          {running.slice(0, 8).map((task) => (
            <RunningTask key={task.id} task={task} />
          ))}
        </Block>
      )}
      {failures.length > 0 && (
        <Block title={words.failedLately} section="Tasks" empty="">
          {failures.slice(0, 5).map((task) => (
            <FailedTask key={task.id} task={task} />
          ))}
        </Block>
      )}
      <OverviewPictures history={history} days={days} onDays={setDays} />
      {copies !== null && (
        <Block title={words.newest} section="Copies" empty={words.noCopy}>
          {copies.items.map((copy) => (
            <NewCopy key={copy.id} copy={copy} />
          ))}
        </Block>
      )}
      {pools !== null && (
        <Block title={words.pools} section="Pools" empty={words.noPool}>
          {pools.map((pool) => (
            <PoolFill key={pool.id} pool={pool} forecast={forecastFrom(history.value, pool)} />
          ))}
        </Block>
      )}
    </div>
  );
}

function Tile(props: { readonly name: ReactNode; readonly children: ReactNode }) {
  return (
    <div className="tile">
      <span className="muted">{props.name}</span>
      <strong>{props.children}</strong>
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
          label={wordFor(words.showAllOf, props.section)}
          onClick={() => goTo({ section: props.section })}
        >
          {words.showAll}
        </Button>
      </div>
      <ul className="lines">
        {props.children.length === 0 ? <li className="muted">{props.empty}</li> : props.children}
      </ul>
    </section>
  );
}
