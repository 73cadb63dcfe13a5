import { useMemo, useState } from 'react';
import type { OverdueRule } from '../../../contract/statistics/statistics.ts';
import { type Strategy, shownRuns } from '../../../contract/strategies/strategy.ts';
import { call } from '../../bridge.ts';
import { Facts } from '../../shell/list-screen.tsx';
import { OverdueLines } from '../../shell/overdue-lines.tsx';
import { serverTime } from '../../shell/server-time.tsx';
import { useAnswer } from '../../shell/use-answer.ts';
import { counted, showHidden } from '../../ui/index.ts';
import { RunsTable } from './runs-table.tsx';
import { words } from './strategy-words.ts';

const kinds = ['full', 'differential', 'incremental'] as const;
const lookedDays = 31;
const watch = { kinds: ['configuration'], pollMs: 300_000, settleMs: 1000 } as const;

/** What a strategy does, when it does it next, and what of it went wrong. */
export function StrategyDetails(props: {
  readonly connectionId: string;
  readonly strategy: Strategy;
  readonly overdue: readonly OverdueRule[];
}) {
  const { connectionId, strategy, overdue } = props;
  return (
    <section aria-label="Strategy details" className="page-section">
      <div className="details-head">
        <h2>{showHidden(strategy.name)}</h2>
      </div>
      {overdue.length > 0 && <OverdueLines connectionId={connectionId} rules={overdue} />}
      <NextRuns connectionId={connectionId} strategy={strategy} key={strategy.id} />
      <h3>Facts</h3>
      <Facts
        facts={[
          ['State', strategy.enabled ? 'on' : 'off: no copies are made by it'],
          ['Rules', String(strategy.rules_count)],
          ...kinds.map((kind) => [scheduleLabel(kind), scheduleOf(strategy, kind)] as const),
          ['Time zone', showHidden(strategy.time_zone ?? '')],
          ['Pool', showHidden(strategy.pool)],
          ['Kept for', strategy.storage_duration ?? 'as the pool says'],
          ['Encryption', showHidden(strategy.crypto)],
          ['Priority', String(strategy.priority)],
          ['Capacity', strategy.capacity === 0 ? 'no limit' : `${strategy.capacity} GB`],
          ['Valid from', strategy.valid_from === null ? null : serverTime(strategy.valid_from)],
          ['Valid until', strategy.valid_until === null ? null : serverTime(strategy.valid_until)],
          ['Verified again after', strategy.verify_period === null ? null : `${strategy.verify_period} days`],
          ['Each copy proven with', proofText(strategy)],
        ]}
      />
    </section>
  );
}

/** The next ten runs, of all schedules together or of one kind. */
function NextRuns(props: { readonly connectionId: string; readonly strategy: Strategy }) {
  const { connectionId, strategy } = props;
  const { id, changed } = strategy;
  const [kind, setKind] = useState('');
  // biome-ignore lint/correctness/useExhaustiveDependencies: a changed strategy has other runs
  const load = useMemo(
    () => (signal: AbortSignal) =>
      call(connectionId, 'strategies.get', { params: { id }, query: { runs_days: lookedDays } }, signal),
    [connectionId, id, changed],
  );
  // The row has the next ones of all kinds; those of one kind may lie further ahead.
  const further = useAnswer(connectionId, load, watch).value?.next_runs ?? strategy.next_runs ?? [];
  const scheduled = kinds.filter((one) => strategy[`${one}_schedule`] !== null);
  const runs = kind === '' ? (strategy.next_runs ?? []) : further.filter((run) => run.backup_type === kind);
  return (
    <>
      <div className="runs-head">
        <h3>Next runs</h3>
        {scheduled.length > 1 && (
          <select
            className="input filter"
            aria-label="Kind of run"
            value={kind}
            onChange={(event) => setKind(event.target.value)}
          >
            <option value="">All kinds</option>
            {scheduled.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
        )}
      </div>
      {!strategy.enabled && <p className="muted">{words.off}</p>}
      {strategy.enabled && strategy.rules_count === 0 && <p className="muted">{words.noRules}</p>}
      {runs.length === 0 && strategy.enabled && (
        <p className="muted">{kind === '' ? words.noRun : words.noneOfKind(kind, lookedDays)}</p>
      )}
      {runs.length > 0 && (
        <RunsTable label="Next runs" runs={runs.slice(0, shownRuns)} zone={strategy.time_zone} />
      )}
      {kind !== '' && runs.length > 0 && runs.length < shownRuns && (
        <p className="caption">{words.fewOfKind(runs.length, lookedDays)}</p>
      )}
    </>
  );
}

/** A server that does not know of proofs says nothing of them. */
function proofText(strategy: Strategy): string | null {
  const { restore_proof_files: files, restore_proof_size: megabytes } = strategy;
  if (files === undefined || files === null) return null;
  return `${counted(files, 'file')}, ${megabytes} MB at most`;
}

function scheduleLabel(kind: (typeof kinds)[number]): string {
  return `${kind.charAt(0).toUpperCase()}${kind.slice(1)} copies`;
}

function scheduleOf(strategy: Strategy, kind: (typeof kinds)[number]) {
  const text = strategy[`${kind}_schedule`];
  return text === null ? null : (
    <span key={kind} className="mono">
      {showHidden(text)}
    </span>
  );
}
