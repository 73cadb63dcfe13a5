import { KindMark } from '../../shell/kind-mark.tsx';
import { counted, MeaningIcon, showHidden } from '../../ui/index.ts';
import { noteText } from './runs-table.tsx';
import { words } from './strategy-words.ts';
import type { Week } from './week-plan.ts';
import type { WeekPlace } from './week-table.tsx';

const shownMost = 200;

/** Below the week: every run of the chosen day, of one strategy or of all, in order of time. */
export function WeekAgenda(props: { readonly week: Week; readonly zone: string; readonly place: WeekPlace }) {
  const { week, zone, place } = props;
  const day = week.days[place.day];
  const rows = week.rows.filter(
    ({ strategy }) => place.strategyId === null || strategy.id === place.strategyId,
  );
  const runs = rows
    .flatMap(({ strategy, days }) => (days[place.day] ?? []).map((planned) => ({ strategy, ...planned })))
    .sort((left, right) => left.atMs - right.atMs);
  const [only] = rows;
  const whose =
    place.strategyId !== null && only !== undefined ? showHidden(only.strategy.name) : 'all strategies';
  return (
    <section className="week-agenda" aria-label="Runs of the day" aria-live="polite">
      <h2>
        {day?.weekday} {day?.day}, {whose}
        <span className="caption"> {counted(runs.length, 'run')}</span>
      </h2>
      {runs.length === 0 ? (
        <p className="muted">{words.nothing}</p>
      ) : (
        <table className="runs" aria-label="Runs of the day">
          <thead>
            <tr>
              <th scope="col">{showHidden(zone)}</th>
              <th scope="col">Strategy</th>
              <th scope="col">Kind</th>
              <th scope="col">Rules</th>
            </tr>
          </thead>
          <tbody>
            {runs.slice(0, shownMost).map(({ strategy, run, wall, atMs }) => {
              const note = noteText(zone, run);
              return (
                <tr key={`${strategy.id} ${atMs} ${run.backup_type}`}>
                  <td title={showHidden(run.utc)}>
                    {wall.time}
                    {note !== null && (
                      <span className="runs-note meaning-warning">
                        <MeaningIcon meaning="warning" size={12} /> {note}
                      </span>
                    )}
                  </td>
                  <td>{showHidden(strategy.name)}</td>
                  <td>
                    <KindMark kind={run.backup_type} />
                  </td>
                  <td>{strategy.rules_count === 0 ? 'none: makes no copy' : strategy.rules_count}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
      {runs.length > shownMost && <p className="caption">and {runs.length - shownMost} more</p>}
    </section>
  );
}
