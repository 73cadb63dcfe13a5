/** Date and time as the API writes them: ISO 8601 without a zone, in the server's local time. */

const digits = (value: number, width: number): string => String(value).padStart(width, '0');

/** Epoch milliseconds → `2030-01-31T23:59:59`, with `.123` when there are milliseconds. */
export function toWireTime(epochMs: number): string {
  const date = new Date(epochMs);
  const day = `${digits(date.getFullYear(), 4)}-${digits(date.getMonth() + 1, 2)}-${digits(date.getDate(), 2)}`;
  const time = `${digits(date.getHours(), 2)}:${digits(date.getMinutes(), 2)}:${digits(date.getSeconds(), 2)}`;
  const fraction = date.getMilliseconds() === 0 ? '' : `.${digits(date.getMilliseconds(), 3)}`;
  return `${day}T${time}${fraction}`;
}

/** The same moment in UTC, for who reads the server's times elsewhere: `2030-01-31T22:59:59Z`. */
export function toUtcTime(epochMs: number): string {
  return new Date(epochMs).toISOString().replace('.000Z', 'Z');
}

/** The same for a sentence: `2030-01-31 22:59 UTC`, with the second where there is one. */
export function sayUtcTime(epochMs: number): string {
  const text = new Date(epochMs).toISOString();
  const second = text.slice(16, 19);
  return `${text.slice(0, 10)} ${text.slice(11, 16)}${second === ':00' ? '' : second} UTC`;
}

/** Same for a time that may be missing. */
export function toWireTimeOrNull(epochMs: number | null): string | null {
  return epochMs === null ? null : toWireTime(epochMs);
}

const form = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?$/;

/** The way back; `null` for anything that is not such a date (also 31 February and hour 24). */
export function fromWireTime(text: string): number | null {
  const match = form.exec(text);
  if (!match) return null;
  const [year, month, day, hour, minute, second] = [1, 2, 3, 4, 5, 6].map((group) =>
    Number(match[group] ?? 0),
  );
  if (year === undefined || month === undefined || day === undefined) return null;
  if (hour === undefined || minute === undefined || second === undefined) return null;
  const milliseconds = Number((match[7] ?? '0').padEnd(3, '0').slice(0, 3));
  const date = new Date(2000, 0, 1);
  date.setFullYear(year, month - 1, day);
  date.setHours(hour, minute, second, milliseconds);
  const sameDay = date.getFullYear() === year && date.getMonth() === month - 1 && date.getDate() === day;
  // An hour that a time zone skips in spring is moved on by the runtime, so the hour itself is not compared.
  return sameDay && hour < 24 && minute < 60 && second < 60 ? date.getTime() : null;
}
