import { useMemo } from 'react';
import type { Pool } from '../../contract/pools/pool.ts';
import type { Statistics } from '../../contract/statistics/statistics.ts';
import { t, textsOf } from '../texts/index.ts';
import { type ChartSeries, DayChart, FailedState, formatBytes } from '../ui/index.ts';
import { dayAfter, type Forecast, forecastOf, neededDays, type PoolHistory } from './pool-forecast.ts';
import { useHistory } from './use-history.ts';

const words = textsOf('charts');
const historyDays = 90;
/** A forecast is drawn as far ahead as the past that it was made from is long, at most. */
const mostAheadDays = 60;

/** How full a pool has been, and when it will be full at that pace. */
export function PoolFillPicture(props: { readonly connectionId: string; readonly pool: Pool }) {
  const { pool } = props;
  const { value, problem, missing, reload } = useHistory(props.connectionId, historyDays);
  const picture = useMemo(() => (value === null ? null : pictureOf(value, pool)), [value, pool]);
  if (missing !== null)
    return <p className="caption">{missing === 'extension' ? words.noExtension : words.noRight}</p>;
  if (value === null && problem !== null)
    return <FailedState what={words.failed} reason={problem.reason} since={problem.since} onRetry={reload} />;
  if (picture === null) return null;
  return (
    <DayChart
      title={words.poolFill}
      days={picture.days}
      series={picture.series}
      format={formatBytes}
      empty={words.noPoolStored}
      note={picture.forecast === null ? null : forecastNote(picture.forecast)}
    />
  );
}

/** Null: nothing is known of the pool, or it takes no part in space. */
export function forecastFrom(statistics: Statistics | null, pool: Pool): Forecast | null {
  const history = historyOf(statistics, pool.id);
  return history === null ? null : forecastOf(pool, history);
}

/** A few words for a line. */
export function forecastText(forecast: Forecast): string {
  switch (forecast.kind) {
    case 'full':
      return t('charts.full', { day: forecast.day });
    case 'far':
      return words.far;
    case 'steady':
      return words.steady;
    case 'short':
      return t('charts.short', { count: forecast.days, needed: neededDays });
  }
}

function forecastNote(forecast: Forecast): string {
  const { method } = words;
  switch (forecast.kind) {
    case 'full':
      return t('charts.fullNote', { pace: formatBytes(forecast.bytesPerDay), day: forecast.day, method });
    case 'far':
      return t('charts.farNote', { pace: formatBytes(forecast.bytesPerDay), method });
    case 'steady':
      return t('charts.steadyNote', { method });
    case 'short':
      return t('charts.shortNote', { count: forecast.days, needed: neededDays });
  }
}

function historyOf(statistics: Statistics | null, poolId: number): PoolHistory | null {
  const bytes = statistics?.stored_bytes?.find((one) => one.pool_id === poolId)?.bytes;
  return bytes === undefined ? null : { days: statistics?.days ?? [], bytes };
}

interface Picture {
  readonly days: readonly string[];
  readonly series: readonly ChartSeries[];
  readonly forecast: Forecast | null;
}

export function pictureOf(statistics: Statistics, pool: Pool): Picture | null {
  const history = historyOf(statistics, pool.id);
  const today = history?.days.at(-1);
  if (history === null || today === undefined) return null;
  const forecast = forecastOf(pool, history);
  const last = history.bytes.at(-1) ?? 0;
  const room = pool.total_space > 0 ? last + Math.max(0, pool.free_space) : null;
  const ahead = forecast?.kind === 'full' ? aheadOf(forecast, room ?? last, last) : [];
  const past = history.days.map(() => null);
  const next = ahead.map(() => null);
  const isEmpty = history.bytes.every((bytes) => bytes === 0);
  const stored = isEmpty ? past : history.bytes;
  return {
    days: [...history.days, ...ahead.map((_, index) => dayAfter(today, index + 1))],
    series: [
      { name: words.poolStored, look: 'area', colour: '--violet', values: [...stored, ...next] },
      ...(ahead.length === 0
        ? []
        : [
            {
              name: words.poolAhead,
              look: 'dashed' as const,
              colour: '--violet',
              values: [...past.slice(0, -1), last, ...ahead],
            },
          ]),
      ...(room === null || isEmpty || ahead.length === 0
        ? []
        : [
            {
              name: words.poolRoom,
              look: 'dashed' as const,
              colour: '--warning',
              values: [...past, ...next].map(() => room),
            },
          ]),
    ],
    forecast,
  };
}

/** Until it is full, or as far as is drawn. */
function aheadOf(
  forecast: Extract<Forecast, { kind: 'full' }>,
  room: number,
  last: number,
): readonly number[] {
  const daysLeft = Math.ceil((room - last) / forecast.bytesPerDay);
  return Array.from({ length: Math.min(daysLeft, mostAheadDays) }, (_, index) =>
    Math.min(room, last + forecast.bytesPerDay * (index + 1)),
  );
}
