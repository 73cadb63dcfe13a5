import { useMemo, useState } from 'react';
import type { Statistics } from '../../../contract/statistics/statistics.ts';
import type { History } from '../../shell/use-history.ts';
import { t, textsOf, wordFor } from '../../texts/index.ts';
import {
  ChartFigure,
  DayChart,
  FailedState,
  formatBytes,
  HeatGrid,
  LoadingRows,
  StaleBar,
} from '../../ui/index.ts';
import { outcomesOf, speedsOf, storedOf } from './history-series.ts';

const words = textsOf('charts');
const ranges = [30, 90] as const;
export const [usualDays] = ranges;
const formatSpeed = (bytes: number): string => t('charts.perSecond', { size: formatBytes(bytes) });

/** What happened by day: how fast it went, how much is kept, how tasks ended. */
export function OverviewPictures(props: {
  readonly history: History;
  readonly days: number;
  readonly onDays: (days: number) => void;
}) {
  const { value, problem, missing, reload } = props.history;
  return (
    <section className="page-section" aria-label={words.history}>
      <div style={{ display: 'flex', alignItems: 'center', gap: 8 }}>
        <h2>{words.history}</h2>
        {missing === null && (
          <select
            className="input filter"
            style={{ width: 'auto' }}
            aria-label={words.range}
            value={props.days}
            onChange={(event) => props.onDays(Number(event.target.value))}
          >
            {ranges.map((range) => (
              <option key={range} value={range}>
                {wordFor(words.ranges, String(range))}
              </option>
            ))}
          </select>
        )}
      </div>
      {missing !== null && (
        <p className="muted">{missing === 'extension' ? words.noExtension : words.noRight}</p>
      )}
      {missing === null && value === null && problem === null && <LoadingRows />}
      {value === null && problem !== null && (
        <FailedState what={words.failed} reason={problem.reason} since={problem.since} onRetry={reload} />
      )}
      {value !== null && problem !== null && (
        <StaleBar since={problem.since} reason={problem.reason} onRetry={reload} />
      )}
      {value !== null && <Pictures statistics={value} />}
    </section>
  );
}

function Pictures(props: { readonly statistics: Statistics }) {
  const { statistics } = props;
  const { days } = statistics;
  const speeds = useMemo(() => speedsOf(statistics), [statistics]);
  const stored = useMemo(() => storedOf(statistics), [statistics]);
  return (
    <>
      <div className="charts">
        <DayChart
          title={words.throughput}
          days={days}
          series={[{ name: words.throughputSeries, look: 'bars', colour: '--running', values: speeds }]}
          format={formatSpeed}
          empty={words.noThroughput}
        />
        <DayChart
          title={words.stored}
          days={days}
          series={[{ name: words.storedSeries, look: 'area', colour: '--violet', values: stored }]}
          format={formatBytes}
          empty={words.noStored}
        />
      </div>
      <Calendar statistics={statistics} />
    </>
  );
}

function Calendar(props: { readonly statistics: Statistics }) {
  const { statistics } = props;
  const [told, setTold] = useState<string | null>(null);
  const rows = useMemo(
    () =>
      outcomesOf(statistics).map((outcome) => ({ ...outcome, word: wordFor(words.outcomes, outcome.id) })),
    [statistics],
  );
  const sum = rows.flatMap(({ counts }) => counts).reduce((all, count) => all + count, 0);
  return (
    <ChartFigure
      title={words.calendar}
      readout={told ?? t('charts.calendarSum', { tasks: t('common.counts.tasks', { count: sum }) })}
      note={null}
      table={null}
    >
      <HeatGrid
        label={words.calendar}
        rowsLabel={words.outcome}
        days={statistics.days}
        rows={rows}
        tell={(day, row, count) => t('charts.calendarField', { day, outcome: row.word, count })}
        onTell={setTold}
      />
    </ChartFigure>
  );
}
