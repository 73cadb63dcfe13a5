import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { messageOf } from './errors.ts';
import { errorCode } from './native.ts';

export interface StreamProgram {
  /** Absolute path. No shell reads it. */
  readonly path: string;
  /** Every user of the host can read them: never a secret. */
  readonly args: readonly string[];
  /** All that it sees beside `PATH` and the locale. */
  readonly env: Readonly<Record<string, string>>;
  /** Another user of the host that it runs as; null: the one of this server. */
  readonly user: { readonly uid: number; readonly gid: number } | null;
}

export interface StreamProcess {
  readonly output: Readable;
  /** Resolves when it has ended and said all; never rejects. */
  readonly ended: Promise<StreamEnd>;
  /** SIGTERM, and SIGKILL two seconds later. */
  stop(): void;
}

export interface StreamEnd {
  readonly kind: 'exited' | 'signalled' | 'notStarted';
  readonly code: number | null;
  /** The last lines of its standard error that `onLine` did not take; or why it could not be started. */
  readonly told: string;
}

const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const killAfterMs = 2_000;
const mostLines = 20;
const mostLineLength = 1_000;

/** Runs a program whose standard output is the data. `onLine` may take a line of its standard error by answering true. */
export function startStreamProcess(
  program: StreamProgram,
  onLine: (line: string) => boolean = () => false,
): StreamProcess | { readonly notStarted: string } {
  let child: ChildProcess;
  try {
    child = spawn(program.path, [...program.args], {
      cwd: '/',
      env: { PATH: systemPath, LC_ALL: 'C', ...program.env },
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: false,
      ...(program.user ?? {}),
    });
  } catch (error) {
    return { notStarted: messageOf(error) };
  }
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) return { notStarted: 'the system has no descriptor left for it' };
  const lines: string[] = [];
  const said = readLines(stderr, (line) => {
    if (line.trim() === '' || onLine(line)) return;
    lines.push(line.slice(0, mostLineLength));
    if (lines.length > mostLines) lines.shift();
  });
  let kill: NodeJS.Timeout | undefined;
  const ended = new Promise<Omit<StreamEnd, 'told'> & { readonly why?: string }>((resolve) => {
    child.once('error', (error) => {
      const code = errorCode(error);
      resolve({ kind: 'notStarted', code: null, why: code === '' ? messageOf(error) : code });
    });
    child.once('exit', (code, signal) =>
      resolve({ kind: signal === null ? 'exited' : 'signalled', code: code ?? null }),
    );
  }).then(async ({ kind, code, why }): Promise<StreamEnd> => {
    clearTimeout(kill);
    if (kind !== 'notStarted') await said;
    return { kind, code, told: why ?? lines.join('\n') };
  });
  return {
    output: stdout,
    ended,
    stop: () => {
      if (child.exitCode !== null || child.signalCode !== null || kill !== undefined) return;
      child.kill('SIGTERM');
      kill = setTimeout(() => child.kill('SIGKILL'), killAfterMs);
    },
  };
}

/** Hands over whole lines; resolves when the stream is closed. */
async function readLines(stream: Readable, onLine: (line: string) => void): Promise<void> {
  stream.setEncoding('utf8');
  let rest = '';
  stream.on('data', (chunk: string) => {
    const parts = (rest + chunk).split(/\r\n|\n|\r/);
    rest = (parts.pop() ?? '').slice(-mostLineLength);
    for (const part of parts) onLine(part);
  });
  await new Promise<void>((resolve) => {
    stream.once('close', resolve);
    stream.once('error', () => resolve());
  });
  if (rest !== '') onLine(rest);
}
