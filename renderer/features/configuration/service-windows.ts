import { wallTimeIn } from '../../shell/zone-times.ts';

/** A time in which cleaning may begin; its end is none of it. */
export interface ServiceWindow {
  readonly fromMs: number;
  readonly toMs: number;
}

const dayS = 86_400;
/** No zone changes its clocks but at a whole quarter of an hour. */
const quarterS = 900;
/** From the begin of a day on there is one in each. */
const mostDays = 5;

/**
 * The next service windows by the clocks of a zone, the first of which may be open already (then it begins now); `all`: the
 * whole day, null: a text is no time of day, or the zone is unknown here. By the rule of the server: the clocks on the wall
 * decide from second to second, so a begin that they skip is the moment they jump to, and hours that come twice count
 * twice. Pure.
 */
export function serviceWindows(
  { start, end, zone }: { readonly start: string; readonly end: string; readonly zone: string },
  nowMs: number,
  count: number,
): readonly ServiceWindow[] | 'all' | null {
  const [from, to] = [secondOf(start), secondOf(end)];
  if (from === null || to === null || wallTimeIn(zone, nowMs) === null) return null;
  if (from === to) return 'all';
  const isInside = (second: number): boolean =>
    from < to ? second >= from && second < to : second >= from || second < to;
  const found: ServiceWindow[] = [];
  const nowS = Math.floor(nowMs / 1000);
  let openS: number | null = null;
  let offsetS = 0;
  for (let atS = nowS; atS < nowS + mostDays * dayS && found.length < count; atS += 1) {
    if (atS === nowS || atS % quarterS === 0)
      offsetS = Math.round((wallTimeIn(zone, atS * 1000)?.offsetMs ?? 0) / 1000);
    const isOpen = isInside((((atS + offsetS) % dayS) + dayS) % dayS);
    if (isOpen && openS === null) openS = atS;
    if (isOpen || openS === null) continue;
    found.push({ fromMs: openS * 1000, toMs: atS * 1000 });
    openS = null;
  }
  return found;
}

function secondOf(text: string): number | null {
  const match = /^([01]\d|2[0-3]):([0-5]\d):([0-5]\d)$/.exec(text);
  return match === null ? null : Number(match[1]) * 3600 + Number(match[2]) * 60 + Number(match[3]);
}
