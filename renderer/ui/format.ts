/** Figures and times as people read them. */

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const;
export const thinDash = '–';

/** Binary units, three significant digits: `1.23 GiB`. */
export function formatBytes(bytes: number | null | undefined): string {
  if (bytes === null || bytes === undefined || !Number.isFinite(bytes)) return thinDash;
  let value = bytes;
  let unit = 0;
  while (Math.abs(value) >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  if (unit === 0) return `${value} B`;
  return `${value.toFixed(digitsFor(Math.abs(value)))} ${units[unit]}`;
}

function digitsFor(size: number): number {
  if (size >= 100) return 0;
  return size >= 10 ? 1 : 2;
}

export function formatCount(count: number | null | undefined): string {
  return count === null || count === undefined ? thinDash : count.toLocaleString('en-US');
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** `3 s`, `4 min 10 s`, `2 h 5 min`, `3 d 4 h`. */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  if (whole < 86_400) return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
  return `${Math.floor(whole / 86_400)} d ${Math.floor((whole % 86_400) / 3600)} h`;
}

/** Dates of a server carry no zone and are its local time: shown as they are, to the second. */
export function formatServerTime(text: string | null | undefined): string {
  if (text === null || text === undefined || text === '') return thinDash;
  const match = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})(:\d{2})?/.exec(text);
  return match === null ? text : `${match[1]} ${match[2]}${match[3] ?? ''}`;
}

export function formatClock(epochMs: number): string {
  const date = new Date(epochMs);
  return `${String(date.getHours()).padStart(2, '0')}:${String(date.getMinutes()).padStart(2, '0')}`;
}
