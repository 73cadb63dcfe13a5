import { type KeyboardEvent, useRef } from 'react';
import { KindMark } from '../../shell/kind-mark.tsx';
import { changeText } from '../../shell/runs-table.tsx';
import { wallTimeIn } from '../../shell/zone-times.ts';
import { t, textsOf } from '../../texts/index.ts';
import { MeaningIcon, StatusBadge, showHidden } from '../../ui/index.ts';
import { cellLines, type PlannedRun, type Week, type WeekDay, type WeekRow } from './week-plan.ts';

const { week: title, plan: words } = textsOf('strategies');

/** A cell; `strategyId` null: the head of the day, which stands for all strategies. */
export interface WeekPlace {
  readonly strategyId: number | null;
  readonly day: number;
}

/** A line a strategy, a column a day; one tab stop, arrows move. */
export function WeekTable(props: {
  readonly week: Week;
  readonly zone: string;
  readonly nowMs: number;
  readonly place: WeekPlace;
  readonly onPlace: (place: WeekPlace) => void;
  readonly onOpen: (strategyId: number) => void;
  readonly overdue: ReadonlyMap<string, readonly unknown[]>;
}) {
  const { week, place } = props;
  const table = useRef<HTMLTableElement>(null);
  const lines = [null, ...week.rows.map((row) => row.strategy.id)];
  const go = (to: WeekPlace) => {
    props.onPlace(to);
    table.current?.querySelector<HTMLElement>(`[data-place="${to.strategyId ?? 'day'}-${to.day}"]`)?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && place.strategyId !== null) {
      event.preventDefault();
      props.onOpen(place.strategyId);
      return;
    }
    const line = Math.max(0, lines.indexOf(place.strategyId));
    const to = target(event.key, line, place.day);
    if (to === null) return;
    event.preventDefault();
    const strategyId = lines[Math.min(lines.length - 1, Math.max(0, to.line))] ?? null;
    go({ strategyId, day: Math.min(week.days.length - 1, Math.max(0, to.day)) });
  };
  const cell = (strategyId: number | null, day: number) => {
    const isHere = place.strategyId === strategyId && place.day === day;
    return {
      'data-place': `${strategyId ?? 'day'}-${day}`,
      tabIndex: isHere ? 0 : -1,
      'aria-selected': isHere,
      onClick: () => go({ strategyId, day }),
    };
  };
  const now = wallTimeIn(props.zone, props.nowMs);
  return (
    <div className="week-scroll">
      {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table whose cells can be moved between */}
      <table className="week-table" role="grid" aria-label={title} ref={table} onKeyDown={onKeyDown}>
        <thead>
          <tr>
            <td className="week-corner caption">{words.openHint}</td>
            {week.days.map((day, index) => (
              <th key={day.day} scope="col" aria-sort="none" {...cell(null, index)}>
                <DayHead day={day} isToday={index === 0} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {week.rows.map((row) => (
            <tr key={row.strategy.id} className={row.strategy.rules_count === 0 ? 'week-idle' : undefined}>
              <th scope="row">
                <RowHead row={row} overdue={props.overdue.get(row.strategy.name)?.length ?? 0} />
              </th>
              {row.days.map((runs, index) => (
                <td
                  key={week.days[index]?.day}
                  onDoubleClick={() => props.onOpen(row.strategy.id)}
                  {...cell(row.strategy.id, index)}
                >
                  <Strip runs={runs} pastMinutes={index === 0 ? (now?.minuteOfDay ?? 0) : 0} />
                  <Lines runs={runs} isCut={row.cutFrom !== null && index >= row.cutFrom} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function target(
  key: string,
  line: number,
  day: number,
): { readonly line: number; readonly day: number } | null {
  switch (key) {
    case 'ArrowRight':
      return { line, day: day + 1 };
    case 'ArrowLeft':
      return { line, day: day - 1 };
    case 'ArrowDown':
    case 'j':
      return { line: line + 1, day };
    case 'ArrowUp':
    case 'k':
      return { line: line - 1, day };
    case 'Home':
      return { line, day: 0 };
    case 'End':
      return { line, day: Number.MAX_SAFE_INTEGER };
    default:
      return null;
  }
}

function DayHead(props: { readonly day: WeekDay; readonly isToday: boolean }) {
  const { day, isToday } = props;
  const { change } = day;
  return (
    <>
      <span className="week-day">{isToday ? words.today : day.weekday}</span>
      <span className="caption">{day.day.slice(5)}</span>
      {change !== null && (
        <span className="week-change meaning-warning" title={changeText(change)}>
          <MeaningIcon meaning="warning" size={12} /> {change.from} → {change.to}
        </span>
      )}
    </>
  );
}

function RowHead(props: { readonly row: WeekRow; readonly overdue: number }) {
  const { strategy, later, days } = props.row;
  const isQuiet = days.every((runs) => runs.length === 0);
  return (
    <>
      <span className="week-name" title={showHidden(strategy.name)}>
        {showHidden(strategy.name)}
      </span>
      <span className="caption">
        {strategy.rules_count === 0
          ? words.noRule
          : t('common.counts.rules', { count: strategy.rules_count })}
      </span>
      {isQuiet && later !== null && (
        <span className="caption">{t('strategies.plan.next', { day: later })}</span>
      )}
      {props.overdue > 0 && (
        <StatusBadge meaning="warning" word={t('strategies.overdue', { overdue: props.overdue })} />
      )}
    </>
  );
}

const dayMinutes = 1440;

/** The 24 hours of a day with a mark for each run. */
function Strip(props: { readonly runs: readonly PlannedRun[]; readonly pastMinutes: number }) {
  // Marks closer than that are one on the screen.
  const at = new Set(props.runs.map(({ wall }) => Math.round((wall.minuteOfDay / dayMinutes) * 200) / 2));
  return (
    <span className="week-strip" aria-hidden>
      <span className="week-past" style={{ width: `${(props.pastMinutes / dayMinutes) * 100}%` }} />
      {[...at].map((percent) => (
        <span key={percent} className="week-tick" style={{ left: `${percent}%` }} />
      ))}
    </span>
  );
}

function Lines(props: { readonly runs: readonly PlannedRun[]; readonly isCut: boolean }) {
  if (props.runs.length === 0 && !props.isCut)
    return <span className="visually-hidden">{words.nothing}</span>;
  return (
    <>
      {cellLines(props.runs).map((line) => (
        <span key={`${line.kind} ${line.text}`} className="week-line-of-cell" title={line.title}>
          {line.text} <KindMark kind={line.kind} isShort />
        </span>
      ))}
      {props.isCut && (
        <span className="week-line-of-cell muted" title={words.cut}>
          {props.runs.length === 0 ? words.moreRuns : words.andMore}
        </span>
      )}
    </>
  );
}
