import { useMemo, useState } from 'react';
import type { OverdueRule } from '../../../contract/statistics/statistics.ts';
import {
  type Strategy,
  type StrategyDetails as StrategyAnswer,
  shownRuns,
} from '../../../contract/strategies/strategy.ts';
import { call } from '../../bridge.ts';
import { DetailsHead, Facts } from '../../shell/facts.tsx';
import { OverdueLines } from '../../shell/overdue-lines.tsx';
import { periodWords } from '../../shell/period-words.ts';
import { RunsTable } from '../../shell/runs-table.tsx';
import { serverTime } from '../../shell/server-time.tsx';
import { useAnswer } from '../../shell/use-answer.ts';
import { useServerZone } from '../../shell/use-server-zone.ts';
import { t, textsOf, wordFor } from '../../texts/index.ts';
import { formatBytes, showHidden } from '../../ui/index.ts';

const words = textsOf('strategies');
const kinds = ['full', 'differential', 'incremental'] as const;
type Kind = (typeof kinds)[number];
const lookedDays = 31;
const watch = { kinds: ['configuration'], pollMs: 300_000, settleMs: 1000 } as const;

/** Read beside the row: runs further ahead, and what is noticed of it. */
function useStrategyAnswer(connectionId: string, { id, changed }: Strategy): StrategyAnswer | null {
  // biome-ignore lint/correctness/useExhaustiveDependencies: a changed strategy has other runs
  const load = useMemo(
    () => (signal: AbortSignal) =>
      call(connectionId, 'strategies.get', { params: { id }, query: { runs_days: lookedDays } }, signal),
    [connectionId, id, changed],
  );
  const { value } = useAnswer(connectionId, load, watch);
  return value?.id === id ? value : null;
}

/** What a strategy does, when it does it next, and what of it went wrong. */
export function StrategyDetails(props: {
  readonly connectionId: string;
  readonly strategy: Strategy;
  readonly overdue: readonly OverdueRule[];
}) {
  const { connectionId, strategy, overdue } = props;
  const answer = useStrategyAnswer(connectionId, strategy);
  return (
    <section aria-label={words.details.title} className="page-section">
      <DetailsHead>{showHidden(strategy.name)}</DetailsHead>
      {noticesOf(answer).map((notice) => (
        <p key={notice} role="status" className="banner banner-warning">
          {notice}
        </p>
      ))}
      {overdue.length > 0 && <OverdueLines connectionId={connectionId} rules={overdue} />}
      <NextRuns connectionId={connectionId} strategy={strategy} further={answer} key={strategy.id} />
      <h3>{words.details.facts}</h3>
      <Facts
        facts={[
          [words.columns.state, strategy.enabled ? words.on : words.details.off],
          [words.columns.rules, String(strategy.rules_count)],
          ...kinds.map((kind) => [words.details[`${kind}Copies`], scheduleOf(strategy, kind)] as const),
          [words.columns.timeZone, showHidden(strategy.time_zone ?? '')],
          [t('common.pool'), showHidden(strategy.pool)],
          [
            words.columns.keptFor,
            strategy.storage_duration ? periodWords(strategy.storage_duration) : words.details.asThePool,
          ],
          [
            words.details.encryption,
            strategy.crypto === 'nocrypt' ? t('common.none') : showHidden(strategy.crypto),
          ],
          [words.details.priority, String(strategy.priority)],
          [words.details.capacity, capacityText(strategy.capacity, answer)],
          [words.details.validFrom, strategy.valid_from === null ? null : serverTime(strategy.valid_from)],
          [words.details.validUntil, strategy.valid_until === null ? null : serverTime(strategy.valid_until)],
          [
            words.details.verifiedAfter,
            strategy.verify_period === null ? null : daysText(strategy.verify_period),
          ],
          [words.details.provenWith, proofText(strategy)],
          [words.details.told, toldText(strategy)],
        ]}
      />
    </section>
  );
}

/** The next ten runs, of all schedules together or of one kind. */
function NextRuns(props: {
  readonly connectionId: string;
  readonly strategy: Strategy;
  readonly further: StrategyAnswer | null;
}) {
  const { connectionId, strategy } = props;
  const serverZone = useServerZone(connectionId);
  const [kind, setKind] = useState<Kind | null>(null);
  // The row has the next ones of all kinds; those of one kind may lie further ahead.
  const further = props.further?.next_runs ?? strategy.next_runs ?? [];
  const scheduled = kinds.filter((one) => strategy[`${one}_schedule`] !== null);
  const runs = kind === null ? (strategy.next_runs ?? []) : further.filter((run) => run.backup_type === kind);
  return (
    <>
      <div className="runs-head">
        <h3>{words.runs.next}</h3>
        {scheduled.length > 1 && (
          <select
            className="input filter"
            aria-label={words.runs.kind}
            value={kind ?? ''}
            onChange={(event) => setKind(kinds.find((one) => one === event.target.value) ?? null)}
          >
            <option value="">{words.runs.allKinds}</option>
            {scheduled.map((one) => (
              <option key={one} value={one}>
                {words.kinds[one]}
              </option>
            ))}
          </select>
        )}
      </div>
      {!strategy.enabled && <p className="muted">{words.runs.isOff}</p>}
      {strategy.enabled && strategy.rules_count === 0 && <p className="muted">{words.runs.noRules}</p>}
      {runs.length === 0 && strategy.enabled && (
        <p className="muted">
          {kind === null
            ? words.runs.none
            : t(`strategies.runs.noneOf.${kind}`, { days: daysText(lookedDays) })}
        </p>
      )}
      {runs.length > 0 && (
        <RunsTable
          label={words.runs.next}
          runs={runs.slice(0, shownRuns)}
          zone={strategy.time_zone}
          {...(serverZone === undefined ? {} : { serverZone })}
        />
      )}
      {kind !== null && runs.length > 0 && runs.length < shownRuns && (
        <p className="caption">
          {t('strategies.runs.fewOf', {
            runs: t('common.counts.runs', { count: runs.length }),
            days: daysText(lookedDays),
          })}
        </p>
      )}
    </>
  );
}

/** A server that does not know of proofs says nothing of them. */
function proofText(strategy: Strategy): string | null {
  const { restore_proof_files: files, restore_proof_size: megabytes } = strategy;
  if (files === undefined || files === null) return null;
  return t('strategies.details.proof', {
    files: t('common.counts.files', { count: files }),
    megabytes: megabytes ?? '',
  });
}

/** Nor of roles that are told. */
function toldText({ notification_user_groups: told }: Strategy): string | null {
  if ((told ?? null) === null) return null;
  if (told.length === 0) return words.details.toldAll;
  return told.map((role) => showHidden(wordFor(textsOf('users').roles, role))).join(', ');
}

function capacityText(gigabytes: number, answer: StrategyAnswer | null): string {
  const limit =
    gigabytes === 0 ? words.details.noLimit : t('strategies.details.gigabytes', { size: gigabytes });
  const stored = answer?.stored ?? null;
  return stored === null ? limit : t('strategies.details.stored', { limit, size: formatBytes(stored) });
}

/** A server that does not notice anything says nothing of it. */
function noticesOf(answer: StrategyAnswer | null): readonly string[] {
  return [
    ...(answer?.capacity_reached === true ? [words.details.capacityReached] : []),
    ...(answer?.ends_soon === true ? [words.details.endsSoon] : []),
  ];
}

function daysText(count: number): string {
  return t('strategies.days', { count });
}

function scheduleOf(strategy: Strategy, kind: Kind) {
  const text = strategy[`${kind}_schedule`];
  return text === null ? null : (
    <span key={kind} className="mono">
      {showHidden(text)}
    </span>
  );
}
