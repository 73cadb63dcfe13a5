import { appendFile, mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { redact, redactText } from './redact.ts';

export interface Log {
  readonly info: (message: string, facts?: Readonly<Record<string, unknown>>) => void;
  readonly warn: (message: string, facts?: Readonly<Record<string, unknown>>) => void;
  readonly error: (message: string, facts?: Readonly<Record<string, unknown>>) => void;
  /** Done when everything said so far is in the file. */
  readonly flush: () => Promise<void>;
}

export interface LogOptions {
  readonly path: string;
  /** One file; `keep` older ones stay beside it. */
  readonly mostBytes?: number;
  readonly keep?: number;
  readonly now?: () => number;
}

const mostWaiting = 1_000;

/** JSON lines in a file that is turned over by size, so that the whole never grows beyond `mostBytes × (keep + 1)`. */
export function createLog(options: LogOptions): Log {
  const { path, mostBytes = 5 * 1024 * 1024, keep = 4, now = Date.now } = options;
  let waiting: string[] = [];
  let dropped = 0;
  let size: number | null = null;
  let writing: Promise<void> | null = null;

  const write = async (): Promise<void> => {
    while (waiting.length > 0) {
      const lines = waiting;
      waiting = [];
      if (dropped > 0)
        lines.push(`${JSON.stringify({ level: 'warn', message: 'lines were dropped', dropped })}\n`);
      dropped = 0;
      const text = lines.join('');
      size ??= await sizeOf(path);
      if (size > 0 && size + text.length > mostBytes) {
        await turnOver(path, keep);
        size = 0;
      }
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await appendFile(path, text, { mode: 0o600 });
      size += Buffer.byteLength(text);
    }
  };

  const add = (level: string, message: string, facts: Readonly<Record<string, unknown>> = {}): void => {
    if (waiting.length >= mostWaiting) {
      dropped++;
      return;
    }
    const record = {
      time: new Date(now()).toISOString(),
      level,
      message: redactText(message),
      ...(redact(facts) as object),
    };
    waiting.push(`${JSON.stringify(record)}\n`);
    // A full disk must not end the app; the lines are lost.
    writing ??= write()
      .catch(() => undefined)
      .finally(() => {
        writing = null;
      });
  };

  return {
    info: (message, facts) => add('info', message, facts),
    warn: (message, facts) => add('warn', message, facts),
    error: (message, facts) => add('error', message, facts),
    flush: async () => {
      while (writing) await writing;
    },
  };
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch {
    // Not there yet.
    return 0;
  }
}

async function turnOver(path: string, keep: number): Promise<void> {
  await rm(`${path}.${keep}`, { force: true });
  for (let index = keep - 1; index >= 0; index--) {
    const from = index === 0 ? path : `${path}.${index}`;
    // A gap in the row is no reason to stop writing.
    await rename(from, `${path}.${index + 1}`).catch(() => undefined);
  }
}
