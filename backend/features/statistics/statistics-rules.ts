/** The local days up to that of `nowMs`, oldest first: name, and when each begins and ends (epoch ms). Pure but for the zone. */
export interface LocalDay {
  readonly name: string;
  readonly fromMs: number;
  readonly toMs: number;
}

export function localDays(nowMs: number, count: number): readonly LocalDay[] {
  const now = new Date(nowMs);
  // By calendar, not by 24 hours: a day of a change of the clocks has 23 or 25.
  const midnight = (back: number): Date => new Date(now.getFullYear(), now.getMonth(), now.getDate() - back);
  return Array.from({ length: count }, (_, index) => {
    const back = count - 1 - index;
    const from = midnight(back);
    return { name: dayName(from), fromMs: from.getTime(), toMs: midnight(back - 1).getTime() };
  });
}

/** Which days a query means: how many, and the noon of the last one; or why it means none, by field. */
export type Period =
  | { readonly kind: 'days'; readonly count: number; readonly lastMs: number }
  | { readonly kind: 'refused'; readonly field: 'days' | 'from'; readonly reason: string };

export function periodOf(
  query: {
    readonly days?: number | undefined;
    readonly from?: string | undefined;
    readonly to?: string | undefined;
  },
  nowMs: number,
  limits: { readonly default: number; readonly most: number },
): Period {
  const lastMs = query.to === undefined ? noonOf(dayName(new Date(nowMs))) : noonOf(query.to);
  if (query.from === undefined) return { kind: 'days', count: query.days ?? limits.default, lastMs };
  if (query.days !== undefined) {
    return { kind: 'refused', field: 'days', reason: 'says the same as `from`; send one of them' };
  }
  // From noon to noon, so that a change of the clocks in between does not count.
  const count = Math.round((lastMs - noonOf(query.from)) / dayMs) + 1;
  if (count < 1) return { kind: 'refused', field: 'from', reason: 'must not be after the last day' };
  if (count > limits.most) {
    return {
      kind: 'refused',
      field: 'from',
      reason: `must be ${limits.most} days before the last day at most`,
    };
  }
  return { kind: 'days', count, lastMs };
}

const dayMs = 86_400_000;

/** Epoch milliseconds of noon of a local day, `YYYY-MM-DD`. */
function noonOf(day: string): number {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return new Date(year, month - 1, date, 12).getTime();
}

function dayName(date: Date): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

export interface Sample {
  readonly timeMs: number;
  readonly bytes: number;
}

/** The value at the end of each day: the last sample until then, 0 before the first. `samples` in order of time. */
export function endOfDays(days: readonly LocalDay[], samples: readonly Sample[]): number[] {
  let at = 0;
  let bytes = 0;
  return days.map((day) => {
    for (let next = samples[at]; next !== undefined && next.timeMs < day.toMs; next = samples[at]) {
      bytes = next.bytes;
      at += 1;
    }
    return bytes;
  });
}
