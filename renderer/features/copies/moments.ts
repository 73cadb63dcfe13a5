/** Moments of a server, which are its local time and carry no zone: reckoned as if they were in UTC. */

import { wallTimeIn } from '../../shell/zone-times.ts';

export const dayMs = 86_400_000;

/** Null: it is no time of a server. */
export function momentOf(text: string | null | undefined): number | null {
  const match = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}(?::\d{2})?)/.exec(text ?? '');
  if (match === null) return null;
  const ms = Date.parse(`${match[1]}T${match[2]}Z`);
  return Number.isFinite(ms) ? ms : null;
}

/** The first whole second at which this moment is over. */
export function momentAfter(text: string | null | undefined): number | null {
  const ms = momentOf(text);
  return ms !== null && /\.\d*[1-9]/.test(text ?? '') ? ms + 1000 : ms;
}

/** `2030-01-31T12:00:00` */
export function serverTextOf(momentMs: number): string {
  return new Date(momentMs).toISOString().slice(0, 19);
}

/** What the clocks of a zone show now. */
export function momentNow(zone: string, nowMs: number): number {
  return nowMs + (wallTimeIn(zone, nowMs)?.offsetMs ?? 0);
}
