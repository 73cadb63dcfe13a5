import { KindMark } from '../../shell/kind-mark.tsx';
import { noteText } from '../../shell/runs-table.tsx';
import { t, textsOf } from '../../texts/index.ts';
import { ColumnHead, formatTimeOfDay, MeaningIcon, nameInText, showHidden } from '../../ui/index.ts';
import { type AgendaLine, agendaLines } from './agenda-lines.ts';
import type { Week } from './week-plan.ts';
import type { WeekPlace } from './week-table.tsx';

const { plan: words, runs: runWords } = textsOf('strategies');
const shownMost = 200;

/** Below the week: every run of the chosen day, of one strategy or of all, in order of time. */
export function WeekAgenda(props: { readonly week: Week; readonly zone: string; readonly place: WeekPlace }) {
  const { week, zone, place } = props;
  const day = week.days[place.day];
  const rows = week.rows.filter(
    ({ strategy }) => place.strategyId === null || strategy.id === place.strategyId,
  );
  const lines = agendaLines(rows, place.day, place.strategyId === null);
  const count = lines.reduce((sum, line) => sum + line.count, 0);
  const [only] = rows;
  const date = { weekday: day?.weekday ?? '', day: day?.day ?? '' };
  const heading =
    place.strategyId !== null && only !== undefined
      ? t('strategies.plan.dayOfOne', { ...date, strategy: nameInText(only.strategy.name) })
      : t('strategies.plan.dayOfAll', date);
  return (
    <section
      className="week-agenda"
      aria-label={words.ofDay}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by the keyboard
      tabIndex={0}
    >
      <h2 aria-live="polite">
        {heading}
        <span className="caption"> {t('common.counts.runs', { count })}</span>
      </h2>
      {lines.length === 0 ? (
        <p className="muted">{words.nothing}</p>
      ) : (
        <table className="runs" aria-label={words.ofDay}>
          <thead>
            <tr>
              <ColumnHead sorted="ascending">{nameInText(zone)}</ColumnHead>
              <ColumnHead>{words.columnStrategy}</ColumnHead>
              <ColumnHead>{runWords.columnKind}</ColumnHead>
              <ColumnHead>{t('strategies.columns.rules')}</ColumnHead>
            </tr>
          </thead>
          <tbody>
            {lines.slice(0, shownMost).map((line) => (
              <Line key={`${line.strategy.id} ${line.first.atMs} ${line.kind}`} line={line} zone={zone} />
            ))}
          </tbody>
        </table>
      )}
      {lines.length > shownMost && (
        <p className="caption">{t('strategies.plan.furtherRuns', { more: lines.length - shownMost })}</p>
      )}
    </section>
  );
}

function Line(props: { readonly line: AgendaLine; readonly zone: string }) {
  const { strategy, kind, first, last, count } = props.line;
  const note = noteText(props.zone, first.run);
  return (
    <tr>
      <td title={t('strategies.runs.inUtc', { time: showHidden(first.run.utc ?? '') })}>
        {count === 1
          ? formatTimeOfDay(first.wall.time)
          : `${formatTimeOfDay(first.wall.time)} – ${formatTimeOfDay(last.wall.time)}`}
        {note !== null && (
          <span className="runs-note meaning-warning">
            <MeaningIcon meaning="warning" size={12} /> {note}
          </span>
        )}
      </td>
      <td title={showHidden(strategy.name)}>{nameInText(strategy.name)}</td>
      <td>
        <span className="badge">
          {count > 1 && `${count} × `}
          <KindMark kind={kind} />
        </span>
      </td>
      <td>{strategy.rules_count === 0 ? words.noneMakesNoCopy : strategy.rules_count}</td>
    </tr>
  );
}
