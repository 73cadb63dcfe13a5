import type uPlot from 'uplot';
import { language } from '../../texts/index.ts';
import type { ChartSeries } from './day-chart.tsx';

export interface PlotInput {
  readonly element: HTMLElement;
  readonly days: readonly string[];
  readonly series: readonly ChartSeries[];
  readonly format: (value: number) => string;
  /** The day below the pointer; null when it has left. */
  readonly onAt: (index: number | null) => void;
}

/** Sizes are told in binary units, so the lines of the axis stand at powers of two. */
const binarySteps = Array.from({ length: 63 }, (_, power) => 2 ** power);
const daySteps = [1, 2, 7, 14, 28, 56, 112];

/** Draws into the element, in its size and the colours of the theme, and follows both until `end`. */
export async function plotOf(input: PlotInput): Promise<{ readonly plot: uPlot; readonly end: () => void }> {
  const [{ default: Plot }] = await Promise.all([import('uplot'), import('uplot/dist/uPlot.min.css')]);
  const { element, days, series } = input;
  const values = [days.map((_, index) => index), ...series.map((one) => [...one.values])];
  const plot = new Plot(optionsOf(input, Plot), values as uPlot.AlignedData, element);
  const resized = new ResizeObserver(() => plot.setSize(sizeOf(element)));
  resized.observe(element);
  const themed = new MutationObserver(() => plot.redraw());
  themed.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  return {
    plot,
    end: () => {
      resized.disconnect();
      themed.disconnect();
      plot.destroy();
    },
  };
}

function optionsOf(input: PlotInput, Plot: typeof uPlot): uPlot.Options {
  const { days, series, format, element } = input;
  const axis: uPlot.Axis = {
    stroke: () => colourOf('--text-muted'),
    font: `11px ${colourOf('--font')}`,
    grid: { stroke: () => colourOf('--border'), width: 1 },
    ticks: { show: false },
  };
  return {
    ...sizeOf(element),
    legend: { show: false },
    padding: [8, 8, 0, 0],
    cursor: { y: false, drag: { x: false, y: false, setScale: false }, points: { size: 6 } },
    scales: {
      // Half a day beside the first and the last, for bars as wide as the others.
      x: { time: false, range: () => [-0.5, days.length - 0.5] },
      y: { range: (_plot, _least, most) => [0, (most || 1) * 1.08] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 24,
        gap: 4,
        space: 64,
        incrs: daySteps,
        values: (_plot, marks) => marks.map((mark) => dayText(days[mark])),
      },
      {
        ...axis,
        size: 68,
        gap: 6,
        space: 32,
        incrs: binarySteps,
        values: (_plot, marks) => marks.map(format),
      },
    ],
    series: [{}, ...series.map((one) => seriesOf(one, Plot))],
    hooks: {
      setCursor: [
        (plot) => {
          const { idx, left } = plot.cursor;
          input.onAt(idx === null || idx === undefined || (left ?? -1) < 0 ? null : idx);
        },
      ],
    },
  };
}

function seriesOf({ name, look, colour }: ChartSeries, Plot: typeof uPlot): uPlot.Series {
  const own: uPlot.Series = {
    label: name,
    width: 1.5,
    stroke: () => colourOf(colour),
    points: { show: false },
  };
  const bars = Plot.paths.bars?.({ size: [0.62, 28] });
  if (look === 'bars' && bars !== undefined)
    return { ...own, paths: bars, width: 0, fill: () => colourOf(colour) };
  if (look === 'dashed') return { ...own, dash: [5, 4], width: 1.5 };
  return { ...own, fill: () => colourOf(colour, 0.14) };
}

function sizeOf(element: HTMLElement): { readonly width: number; readonly height: number } {
  return { width: Math.max(120, element.clientWidth), height: Math.max(80, element.clientHeight) };
}

/** The canvas knows no custom properties; those of the theme are read each time that it is drawn. */
function colourOf(property: string, opacity = 1): string {
  const value = getComputedStyle(document.documentElement).getPropertyValue(property).trim();
  if (opacity === 1) return value;
  return `color-mix(in srgb, ${value} ${opacity * 100}%, transparent)`;
}

const shortDay = new Intl.DateTimeFormat(language === 'ru' ? 'ru' : 'en-GB', {
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
});

function dayText(day: string | undefined): string {
  return day === undefined ? '' : shortDay.format(Date.parse(`${day}T00:00:00Z`));
}
