/** The local days up to today, oldest first: name, and when each begins and ends (epoch ms). Pure but for the zone. */
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
