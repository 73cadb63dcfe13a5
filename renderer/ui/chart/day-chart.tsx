import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import type uPlot from 'uplot';
import { t } from '../../texts/index.ts';
import { showHidden } from '../text.ts';
import { ChartFigure } from './chart-figure.tsx';
import { plotOf } from './plot.ts';

/** `bars`: what happened on a day; `area`: what was there at its end; `dashed`: what is not measured. */
export type ChartLook = 'bars' | 'area' | 'dashed';

export interface ChartSeries {
  readonly name: string;
  /** One for each day; null where nothing is known. */
  readonly values: readonly (number | null)[];
  readonly look: ChartLook;
  /** A custom property of the colours: `--running`. */
  readonly colour: string;
}

export interface DayChartProps {
  readonly title: string;
  /** Days as `2030-01-31`, oldest first, without gaps. */
  readonly days: readonly string[];
  readonly series: readonly ChartSeries[];
  readonly format: (value: number) => string;
  readonly heightPx?: number;
  /** Said when no series has a value. */
  readonly empty: string;
  /** A sentence below the picture. */
  readonly note?: string | null;
}

/**
 * Values by day, as a picture with a crosshair and as a table. The picture is one tab stop: arrows, Home and End move
 * the crosshair, whose values are told as those of a slider.
 */
export function DayChart(props: DayChartProps) {
  const { title, days, series, format } = props;
  const [at, setAt] = useState<number | null>(null);
  const shown = Math.min(at ?? lastKnown(props), days.length - 1);
  const said = readout(props, shown);
  const isEmpty = series.every(({ values }) => values.every((value) => value === null));
  const move = (event: KeyboardEvent) => {
    const to = { ArrowLeft: shown - 1, ArrowRight: shown + 1, Home: 0, End: days.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    setAt(Math.min(days.length - 1, Math.max(0, to)));
  };
  return (
    <ChartFigure
      title={title}
      readout={isEmpty ? '' : said}
      note={props.note ?? null}
      table={{
        head: series.map(({ name }) => name),
        rows: days
          .map((day, index) => ({
            day,
            cells: series.map(({ values }) => valueText(values[index] ?? null, format)),
          }))
          .reverse(),
      }}
    >
      {series.length > 1 && !isEmpty && (
        <p className="chart-key caption">
          {series.map(({ name, look, colour }) => (
            <span key={name} className="badge">
              <span aria-hidden className={`chart-key-${look}`} style={{ color: `var(${colour})` }} />
              {name}
            </span>
          ))}
        </p>
      )}
      {isEmpty ? (
        <p className="chart-empty muted" style={{ height: props.heightPx ?? 160 }}>
          {props.empty}
        </p>
      ) : (
        <div
          className="chart-plot"
          role="slider"
          tabIndex={0}
          aria-label={title}
          aria-valuemin={1}
          aria-valuemax={days.length}
          aria-valuenow={shown + 1}
          aria-valuetext={said}
          onKeyDown={move}
          onBlur={() => setAt(null)}
          style={{ height: props.heightPx ?? 160 }}
        >
          <Plot {...props} at={at} onAt={setAt} />
        </div>
      )}
    </ChartFigure>
  );
}

function Plot(
  props: DayChartProps & { readonly at: number | null; readonly onAt: (at: number | null) => void },
) {
  const { days, series, format, at } = props;
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const latest = useRef(props);
  latest.current = props;
  // Drawn anew when what is shown is another; the same values in a new list are not.
  const key = JSON.stringify([days, series]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` stands for days and series
  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    let isGone = false;
    let end = (): void => undefined;
    // Its code is loaded with the first picture.
    plotOf({ element, days, series, format, onAt: (index) => latest.current.onAt(index) }).then(
      (made) => {
        if (isGone) made.end();
        else {
          plot.current = made.plot;
          end = made.end;
        }
      },
      (error: unknown) => setProblem(error instanceof Error ? error.message : String(error)),
    );
    return () => {
      isGone = true;
      plot.current = null;
      end();
    };
  }, [key, format]);
  useEffect(() => {
    const drawn = plot.current;
    if (drawn === null || drawn.cursor.idx === at) return;
    const left = at === null ? -10 : drawn.valToPos(at, 'x');
    drawn.setCursor({ left, top: at === null ? -10 : 1 }, false);
  }, [at]);
  return (
    <div ref={place} style={{ height: '100%' }}>
      {problem !== null && <p className="muted">{t('charts.notDrawn', { reason: showHidden(problem) })}</p>}
    </div>
  );
}

function lastKnown({ days, series }: DayChartProps): number {
  for (let index = days.length - 1; index > 0; index -= 1) {
    const isKnown = series.some(({ look, values }) => look !== 'dashed' && (values[index] ?? null) !== null);
    if (isKnown) return index;
  }
  return 0;
}

function readout({ days, series, format }: DayChartProps, index: number): string {
  const only = series.length === 1;
  const values = series
    .filter(({ values: all }, place) => place === 0 || (all[index] ?? null) !== null)
    .map(({ name, values: all }) => {
      const text = valueText(all[index] ?? null, format);
      return only ? text : `${name} ${text}`;
    });
  return `${days[index] ?? ''}: ${values.join(', ')}`;
}

function valueText(value: number | null, format: (value: number) => string): string {
  return value === null ? '–' : format(value);
}
