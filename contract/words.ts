import { z } from 'zod';

/**
 * The written forms that the API uses inside strings. Each has a schema whose message names the remedy, and, where a
 * room needs the parts, a parser. Schemas keep the text as it was sent: normalising is the backend's, showing is the window's.
 */

export const durationUnits = ['day', 'week', 'month', 'year'] as const;
export type DurationUnit = (typeof durationUnits)[number];

export interface Duration {
  readonly count: number;
  readonly unit: DurationUnit;
}

const durationPattern = /^([1-9][0-9]{0,4}) (day|week|month|year)s?$/;

/** `1 year`, `2 weeks`; undefined when the text is no duration. */
export function parseDuration(text: string): Duration | undefined {
  const match = durationPattern.exec(text);
  const unit = durationUnits.find((known) => known === match?.[2]);
  if (!match || !unit) return undefined;
  return { count: Number(match[1]), unit };
}

/** Singular for 1, plural otherwise: the one form that is stored. */
export function formatDuration({ count, unit }: Duration): string {
  return count === 1 ? `1 ${unit}` : `${count} ${unit}s`;
}

export const DurationText = z
  .string('must be a text like `1 year`')
  .regex(
    durationPattern,
    'must be a number from 1 to 99999, a space and one of day, week, month, year, like `1 year` or `2 weeks`',
  )
  .meta({ description: '`<number> <unit word>`: day, week, month or year', example: '1 year' });

const clientTextPattern = /^([^\p{Cc}]{1,255}) \(([0-9a-f]{16})\)$/u;

export interface ClientReference {
  readonly name: string;
  readonly hwid: string;
}

/** `<name> (<hwid>)`; undefined when the text has another form. */
export function parseClientText(text: string): ClientReference | undefined {
  const match = clientTextPattern.exec(text);
  if (!match?.[1] || !match[2]) return undefined;
  return { name: match[1], hwid: match[2] };
}

export function formatClientText({ name, hwid }: ClientReference): string {
  return `${name} (${hwid})`;
}

export const Hwid = z
  .string()
  .regex(/^[0-9a-f]{16}$/, 'must be 16 lower-case hexadecimal digits')
  .meta({ description: 'hardware id of a client: 16 lower-case hexadecimal digits' });

export const ClientText = z
  .string('must be a text like `host (0123456789abcdef)`')
  .regex(
    clientTextPattern,
    'must be `<client name> (<hwid>)` with the 16 hexadecimal digits of the client, like `host (0123456789abcdef)`',
  )
  .meta({ description: '`<client_name> (<client_hwid>)`', example: 'host (0123456789abcdef)' });

const isoPattern = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?$/;

/** True for a date and time that exists; a leap second or the 30th of February does not. */
export function isIsoDateTime(text: string): boolean {
  const match = isoPattern.exec(text);
  if (!match) return false;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  if (year < 1970 || hour > 23 || minute > 59 || second > 59) return false;
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

/** Date and time in the server's local time, without a zone; fractional seconds are allowed. */
export const IsoDateTime = z
  .string('must be a text like `2030-01-31T23:59:59`')
  .refine(
    isIsoDateTime,
    'must be a date and time without a zone in the local time of the server, like `2030-01-31T23:59:59`',
  )
  .meta({ description: 'ISO 8601, no zone, local time of the server', example: '2030-01-31T23:59:59.000' });

export const TimeOfDay = z
  .string('must be a text like `23:30:00`')
  .regex(
    /^([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]$/,
    'must be a time of day from 00:00:00 to 23:59:59, like `23:30:00`',
  )
  .meta({ description: '`HH:MM:SS`', example: '23:30:00' });

/** The path is judged on the host it belongs to; here only its form counts: from the root, without NUL. */
export const AbsolutePath = z
  .string('must be a text: an absolute path')
  .max(32_767, 'is too long for a path')
  .regex(/^(\/|[A-Za-z]:[\\/])/, 'must be an absolute path, like `/srv/data`')
  .refine((path) => !path.includes('\0'), 'must not contain a NUL character')
  .meta({ description: 'absolute path', example: '/srv/data' });

/** What is backed up, in the form of its type: a path on the client, or the address of a database server. */
export const ResourceText = z
  .string('must be a text: an absolute path')
  .max(32_767, 'is too long for a path')
  .regex(
    /^(\/|[A-Za-z]:[\\/]|postgres(ql)?:\/\/)/,
    'must be an absolute path, like `/srv/data`, or the address of a PostgreSQL server, like `postgresql://backup@db.example.com:5432`',
  )
  .refine((text) => !text.includes('\0'), 'must not contain a NUL character')
  .meta({
    description:
      'absolute path; for `PostgreSQL universal` the address of the server, `postgresql://user@host:port` without a password',
    example: '/srv/data',
  });

/** A path that may also be empty, which means "none". */
export const OptionalAbsolutePath = z
  .union([z.literal(''), AbsolutePath], 'must be an absolute path, like `/usr/local/bin/script`, or empty')
  .meta({ description: 'absolute path, or empty for none' });

export const YesNo = z.enum(['yes', 'no'], 'must be `yes` or `no`');

/** A name that a person gives: no control characters, not blank, no blank at either end. */
export const ObjectName = z
  .string('must be a text')
  .min(1, 'must not be empty')
  .max(255, 'must have 255 characters at most')
  .refine((name) => name.trim() === name, 'must not begin or end with a blank')
  .refine((name) => !/\p{Cc}/u.test(name), 'must not contain control characters');

export const Description = z.string('must be a text').max(4096, 'must have 4096 characters at most');

export const Priority = z
  .int('must be a whole number from 100 to 1000')
  .min(100, 'must be 100 at least')
  .max(1000, 'must be 1000 at most')
  .meta({ description: '100–1000, larger runs earlier' });

/** Bytes of the text in UTF-8 (no room-specific encoder is needed for it). */
export function utf8Length(text: string): number {
  let length = 0;
  for (const character of text) length += bytesOf(character.codePointAt(0) ?? 0);
  return length;
}

function bytesOf(codePoint: number): number {
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint < 0x10000 ? 3 : 4;
}
