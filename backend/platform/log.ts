import { messageOf } from './errors.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
export type LogFacts = Readonly<Record<string, unknown>>;

/**
 * Structured log: a message that never changes, and the facts of this time beside it.
 * Secrets may be handed over by mistake; they are struck out here (see `redact`).
 */
export interface Log {
  debug(message: string, facts?: LogFacts): void;
  info(message: string, facts?: LogFacts): void;
  warn(message: string, facts?: LogFacts): void;
  error(message: string, facts?: LogFacts): void;
  /** A log that adds `facts` to each of its lines. */
  with(facts: LogFacts): Log;
}

/** Takes one finished line without its line end; must not throw. */
export type LogSink = (line: string) => void;

/** A line is never longer than this, so that one hostile field cannot fill the disk. */
export const maxLineBytes = 8 * 1024;
const maxTextCharacters = 1500;
const maxDepth = 5;
const maxEntries = 40;

export function createLog(options: {
  readonly sinks: readonly LogSink[];
  readonly now: () => number;
  readonly facts?: LogFacts;
}): Log {
  const write = (level: LogLevel, message: string, facts: LogFacts): void => {
    const line = formatLine(level, message, { ...options.facts, ...facts }, options.now());
    for (const sink of options.sinks) sink(line);
  };
  return {
    debug: (message, facts = {}) => write('debug', message, facts),
    info: (message, facts = {}) => write('info', message, facts),
    warn: (message, facts = {}) => write('warn', message, facts),
    error: (message, facts = {}) => write('error', message, facts),
    with: (facts) => createLog({ ...options, facts: { ...options.facts, ...facts } }),
  };
}

/** A log that nobody reads. */
export const silentLog: Log = createLog({ sinks: [], now: () => 0 });

function formatLine(level: LogLevel, message: string, facts: LogFacts, nowMs: number): string {
  const head = { time: new Date(nowMs).toISOString(), level, message: redactText(message) };
  const line = toJson({ ...head, ...asFacts(facts) });
  if (Buffer.byteLength(line) <= maxLineBytes) return line;
  return toJson({ ...head, message: cut(head.message, 500), shortened: cut(line, 1000) });
}

/** The facts must not overwrite the head of the line. */
function asFacts(facts: LogFacts): LogFacts {
  const { time: _time, level: _level, message, ...rest } = redact(facts, 0) as Record<string, unknown>;
  return message === undefined ? rest : { ...rest, text: message };
}

/** JSON on one line; control and direction characters are escaped, so that no field can forge or hide a line. */
function toJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

const secretKey =
  /pass(word|phrase|wd)?$|password|token|secret|cookie|authorization|csrf|private_?key|credential/i;
/** Tokens and URL passwords are recognised in running text too. */
const secretText = /\b(Bearer\s+)\S+|\beyJ[\w-]+\.[\w-]+\.[\w-]*|(\/\/[^/\s:@]*:)[^/\s@]+@/g;

function redactText(text: string): string {
  return cut(
    text.replace(secretText, (_all, bearer?: string, url?: string) => {
      if (url) return `${url}[removed]@`;
      return `${bearer ?? ''}[removed]`;
    }),
    maxTextCharacters,
  );
}

function redact(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Error) return describeError(value, depth);
  if (depth >= maxDepth) return '[deeper]';
  if (value instanceof Uint8Array) return `[${value.byteLength} bytes]`;
  if (Array.isArray(value)) return value.slice(0, maxEntries).map((entry) => redact(entry, depth + 1));
  const entries = Object.entries(value).slice(0, maxEntries);
  return Object.fromEntries(
    entries.map(([key, entry]) => [
      cut(key, 100),
      secretKey.test(key) && typeof entry !== 'boolean' ? '[removed]' : redact(entry, depth + 1),
    ]),
  );
}

function describeError(error: Error, depth: number): unknown {
  const { code } = error as NodeJS.ErrnoException;
  return {
    name: error.name,
    message: redactText(error.message),
    ...(code === undefined ? {} : { code: String(code) }),
    ...(error.stack ? { stack: redactText(error.stack.split('\n').slice(1, 12).join('\n')) } : {}),
    ...(error.cause === undefined || depth >= maxDepth
      ? {}
      : { cause: error.cause instanceof Error ? redact(error.cause, depth + 1) : messageOf(error.cause) }),
  };
}

function cut(text: string, characters: number): string {
  return text.length <= characters ? text : `${text.slice(0, characters)}… (${text.length} characters)`;
}
