const pattern = /^(\d{4}-\d{2}-\d{2})(?:[T ]+(\d{1,2}):(\d{2})(:\d{2})?)?$/;

/**
 * A date and time as a person writes it (`2030-01-31`, `2030-01-31 9:00`, `2030-01-31T09:00:00`) in the form of the
 * API: local time of the server, no zone. A date alone is its last second. Anything else goes to the server as it is,
 * whose answer says what is wrong with it.
 */
export function serverTimeOf(text: string): string {
  const match = pattern.exec(text.trim());
  if (match === null) return text.trim();
  const [, date, hour, minute, seconds] = match;
  if (hour === undefined) return `${date}T23:59:59`;
  return `${date}T${hour.padStart(2, '0')}:${minute}${seconds ?? ':00'}`;
}
