import type { LocalBackendLine } from '../../contract/desktop/local-backend.ts';
import type { LogLine } from '../ui/index.ts';

export const severities = ['all', 'warning', 'error'] as const;
export type Severity = (typeof severities)[number];

const shownSeverities: Readonly<Record<Severity, readonly string[] | null>> = {
  all: null,
  warning: ['warning', 'error'],
  error: ['error'],
};

/**
 * A line of the backend's output for people: its JSON is taken apart, facts stand behind the message. What is no JSON
 * (the last words of a process that crashed) is shown as it is.
 */
export function logLineOf({ id, text }: LocalBackendLine): LogLine {
  const parsed = objectOf(text);
  if (parsed === null) return { id, time: '', level: 'info', message: text };
  const { time, level, message, ...facts } = parsed;
  const said = Object.entries(facts).map(([name, value]) => `${name}=${factText(value)}`);
  return {
    id,
    time: localTime(String(time ?? '')),
    level: level === 'warn' ? 'warning' : String(level ?? 'info'),
    message: [String(message ?? ''), ...said].join(' '),
  };
}

/** The levels that a severity lets through; null: all of them. */
export function levelsOf(severity: Severity): readonly string[] | null {
  return shownSeverities[severity];
}

export function ofSeverity<L extends Pick<LogLine, 'level'>>(
  lines: readonly L[],
  severity: Severity,
): readonly L[] {
  const wanted = shownSeverities[severity];
  return wanted === null ? lines : lines.filter(({ level }) => wanted.includes(level));
}

function objectOf(text: string): Readonly<Record<string, unknown>> | null {
  if (!text.startsWith('{')) return null;
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>>;
  } catch {
    // It begins like a line of the log and was cut off.
    return null;
  }
}

function factText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Its clock is this computer's: `2030-01-31T14:02:09`, as times of a server are written. */
function localTime(utc: string): string {
  const date = new Date(utc);
  if (Number.isNaN(date.getTime())) return utc;
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}
