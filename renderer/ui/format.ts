import { locale, t, textsOf } from '../texts/index.ts';

/** Figures and times as people read them, in the language of the window. */

const unitWords = Object.values(textsOf('ui').units);
const { decimalMark } = textsOf('ui');
const figures = new Intl.NumberFormat(locale);
export const thinDash = '–';

/** Binary units, three significant digits: `1.23 GiB`, `1,23 ГиБ`; `1023 KiB` is the only kind with four. */
export function formatBytes(bytes: number | null | undefined): string {
  if (bytes === null || bytes === undefined || !Number.isFinite(bytes)) return thinDash;
  let value = bytes;
  let unit = 0;
  while (Math.round(Math.abs(value)) >= 1024 && unit < unitWords.length - 1) {
    value /= 1024;
    unit += 1;
  }
  // Beyond all units only a power of ten is short.
  if (Math.abs(value) >= 10_000) return `${figureOf(value.toExponential(2))} ${unitWords[unit]}`;
  const whole = String(Math.trunc(Number(Math.abs(value).toPrecision(3))));
  const digits = unit === 0 ? 0 : Math.max(0, 3 - whole.length);
  const figure = unit === 0 ? String(Math.round(value)) : value.toFixed(digits);
  return `${figureOf(figure)} ${unitWords[unit]}`;
}

const figureOf = (text: string): string => text.replace('.', decimalMark);

/** All of it, for a tooltip: `1,319,413,953 bytes`. */
export function formatExactBytes(bytes: number | null | undefined): string | undefined {
  return bytes === null || bytes === undefined ? undefined : t('common.counts.bytes', { count: bytes });
}

export function formatCount(count: number | null | undefined): string {
  return count === null || count === undefined ? thinDash : figures.format(count);
}

/** Where there is room for four characters only: `999`, `1k`, `12M`; `1К`, `12М`. Never more than there are. */
export function formatShortCount(count: number): string {
  if (count < 1000) return formatCount(count);
  const { thousand, million } = textsOf('ui').shortCounts;
  return count < 1_000_000
    ? `${Math.floor(count / 1000)}${thousand}`
    : `${Math.floor(count / 1_000_000)}${million}`;
}

/** For words that are English in every language; a text that counts is `t('common.counts.…', { count })`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** `3 s`, `4 min 10 s`, `2 h 5 min`, `3 d 4 h`; `3 с`, `4 мин 10 с`. */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return t('ui.durations.s', { s: whole });
  if (whole < 3600) return t('ui.durations.minS', { min: Math.floor(whole / 60), s: whole % 60 });
  const [d, h, min] = [Math.floor(whole / 86_400), Math.floor(whole / 3600), Math.floor(whole / 60)];
  return d === 0 ? t('ui.durations.hMin', { h, min: min % 60 }) : t('ui.durations.dH', { d, h: h % 24 });
}

let hasTwelveHours = false;

/** One clock for the whole window: 12 hours with AM and PM, or 24. */
export function setTwelveHours(isOn: boolean): void {
  hasTwelveHours = isOn;
}

/** A time of day, `02:30` or `14:30:05`, on the clock that a person chose: `2:30 AM`, `2:30:05 PM`. */
export function formatTimeOfDay(text: string): string {
  const match = /^(\d{2}):(\d{2}(?::\d{2})?)$/.exec(text);
  if (!hasTwelveHours || match === null) return text;
  const hour = Number(match[1]);
  return `${hour % 12 === 0 ? 12 : hour % 12}:${match[2]} ${hour < 12 ? 'AM' : 'PM'}`;
}

const serverTime = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})(:\d{2})?/;

/** Dates of a server carry no zone and are its local time: shown as they are, to the second. */
export function formatServerTime(text: string | null | undefined): string {
  if (text === null || text === undefined || text === '') return thinDash;
  const match = serverTime.exec(text);
  return match === null ? text : `${match[1]} ${formatTimeOfDay(`${match[2]}${match[3] ?? ''}`)}`;
}

/** As it is typed into a field: always 24 hours. */
export function fieldServerTime(text: string): string {
  const match = serverTime.exec(text);
  return match === null ? text : `${match[1]} ${match[2]}${match[3] ?? ''}`;
}

export function formatClock(epochMs: number): string {
  const date = new Date(epochMs);
  return formatTimeOfDay(`${two(date.getHours())}:${two(date.getMinutes())}`);
}

/** How long ago or ahead under a day, the date and time after that, in the zone of this computer. */
export function formatRelative(epochMs: number, nowMs: number): string {
  const seconds = Math.round((nowMs - epochMs) / 1000);
  const distance = Math.abs(seconds);
  if (distance >= 86_400) return formatLocalTime(epochMs);
  if (distance < 5) return t('ui.relative.now');
  const time = distance < 60 ? t('ui.durations.s', { s: distance }) : roughly(distance);
  return seconds > 0 ? t('ui.relative.ago', { time }) : t('ui.relative.ahead', { time });
}

/** `2026-03-01 14:02:09` in the zone of this computer. */
export function formatLocalTime(epochMs: number): string {
  const date = new Date(epochMs);
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
  const time = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  return `${day} ${formatTimeOfDay(time)}`;
}

function roughly(seconds: number): string {
  return seconds < 3600
    ? t('ui.durations.min', { min: Math.floor(seconds / 60) })
    : t('ui.durations.h', { h: Math.floor(seconds / 3600) });
}

function two(figure: number): string {
  return String(figure).padStart(2, '0');
}
