import { useEffect, useMemo, useState } from 'react';
import { callerOf } from '../../bridge.ts';
import { NewButton } from '../../shell/new-button.tsx';
import { useAnswer } from '../../shell/use-answer.ts';
import { localZone, wallTimeIn } from '../../shell/zone-times.ts';
import { t, textsOf } from '../../texts/index.ts';
import { EmptyState, FailedState, LoadingRows, StaleBar, showHidden } from '../../ui/index.ts';
import { WeekAgenda } from './week-agenda.tsx';
import { loadWeek, planWeek, type StrategyAhead, type Week } from './week-plan.ts';
import { type WeekPlace, WeekTable } from './week-table.tsx';

const { title, create, none, plan: words } = textsOf('strategies');
const watch = { kinds: ['configuration', 'client'], pollMs: 300_000, settleMs: 1000 } as const;

/** What runs when in the coming seven days. */
export function WeekScreen(props: {
  readonly connectionId: string;
  readonly onNew: () => Promise<void>;
  readonly onOpen: (strategyId: number) => void;
  /** How many rules of a strategy are overdue, by its name. */
  readonly overdue: ReadonlyMap<string, readonly unknown[]>;
}) {
  const { connectionId } = props;
  const load = useMemo(
    () => (signal: AbortSignal) => loadWeek(callerOf(connectionId), Date.now(), signal),
    [connectionId],
  );
  const { value, problem, reload } = useAnswer(connectionId, load, watch);
  const [zone, setZone] = useState(localZone);
  const nowMs = useNow();
  const week = useMemo(() => (value === null ? null : planWeek(value, zone, nowMs)), [value, zone, nowMs]);
  return (
    <>
      <div className="toolbar">
        <h1>{title}</h1>
        <ZoneChoice ahead={value ?? []} zone={zone} onChange={setZone} />
        <span className="toolbar-space" />
        <NewButton
          connectionId={connectionId}
          permission="strategies.write"
          label={create}
          open={props.onNew}
        />
      </div>
      {problem !== null && value !== null && (
        <StaleBar since={problem.since} reason={problem.reason} onRetry={reload} />
      )}
      {week === null && problem === null && <LoadingRows />}
      {week === null && problem !== null && (
        <FailedState what={words.failed} reason={problem.reason} since={problem.since} onRetry={reload} />
      )}
      {week !== null && <Contents week={week} zone={zone} nowMs={nowMs} {...props} />}
    </>
  );
}

function Contents(props: {
  readonly week: Week;
  readonly zone: string;
  readonly nowMs: number;
  readonly onOpen: (strategyId: number) => void;
  readonly overdue: ReadonlyMap<string, readonly unknown[]>;
}) {
  const { week, zone } = props;
  const [chosen, setChosen] = useState<WeekPlace | null>(null);
  if (week.rows.length === 0) {
    return <EmptyState text={week.off.length === 0 ? none : words.allOff} />;
  }
  const place = chosen ?? firstPlace(week);
  return (
    <div className="week">
      <WeekTable {...props} place={place} onPlace={setChosen} />
      {week.rows.every((row) => row.days.every((runs) => runs.length === 0)) && (
        <p className="muted week-line">{words.quiet}</p>
      )}
      {week.off.length > 0 && (
        <p className="caption week-line">
          {t('strategies.plan.offOnes', {
            names: week.off.map((strategy) => showHidden(strategy.name)).join(', '),
          })}
        </p>
      )}
      <WeekAgenda week={week} zone={zone} place={place} />
    </div>
  );
}

/** Where something runs first; otherwise today. */
function firstPlace(week: Week): WeekPlace {
  const day = week.days.findIndex((_, index) => week.rows.some((row) => (row.days[index] ?? []).length > 0));
  return { strategyId: null, day: Math.max(0, day) };
}

function ZoneChoice(props: {
  readonly ahead: readonly StrategyAhead[];
  readonly zone: string;
  readonly onChange: (zone: string) => void;
}) {
  const here = localZone();
  const others = props.ahead.map(({ strategy }) => strategy.time_zone ?? '');
  // A name that this computer does not know cannot be shown on its clocks.
  const known = [...new Set(others)].filter((zone) => zone !== here && wallTimeIn(zone, 0) !== null).sort();
  return (
    <select
      className="input filter week-zone"
      aria-label={words.zones}
      value={props.zone}
      onChange={(event) => props.onChange(event.target.value)}
    >
      <option value={here}>{t('strategies.plan.ofComputer', { zone: here })}</option>
      {known.map((zone) => (
        <option key={zone} value={zone}>
          {t('strategies.plan.ofZone', { zone: showHidden(zone) })}
        </option>
      ))}
    </select>
  );
}

function useNow(): number {
  const [nowMs, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 30_000);
    return () => clearInterval(timer);
  }, []);
  return nowMs;
}
