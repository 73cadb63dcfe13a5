import { execFile } from 'node:child_process';
import { errorCode } from './native.ts';

export interface ProcessRequest {
  /** A program of the system, looked for in its usual folders only. */
  readonly program: string;
  /** Handed over as they are: no shell ever sees them. */
  readonly args: readonly string[];
  /** Exit codes that are an answer; any other one is a failure. */
  readonly expected: readonly number[];
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

export interface ProcessAnswer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A program that is missing, failed or did not end in time. */
export class ProcessError extends Error {
  override readonly name = 'ProcessError';
  readonly reason: 'missing' | 'failed' | 'timeout' | 'cancelled';
  readonly code: number | null;

  constructor(reason: ProcessError['reason'], message: string, code: number | null = null) {
    super(message);
    this.reason = reason;
    this.code = code;
  }
}

const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const maxOutputBytes = 1024 * 1024;

/**
 * Runs a program to its end. It sees no variables of ours (they may hold secrets) and speaks English, so that its output can
 * be read. Rejects with a `ProcessError`; a program that outlives its time is killed.
 */
export function runProcess(request: ProcessRequest): Promise<ProcessAnswer> {
  const { program, args, expected, timeoutMs, signal } = request;
  return new Promise((resolve, reject) => {
    execFile(
      program,
      [...args],
      {
        env: { PATH: systemPath, LC_ALL: 'C' },
        timeout: timeoutMs,
        killSignal: 'SIGKILL',
        maxBuffer: maxOutputBytes,
        encoding: 'utf8',
        windowsHide: true,
        ...(signal ? { signal } : {}),
      },
      (error, stdout, stderr) => {
        const code = exitCodeOf(error);
        if (code !== null && expected.includes(code)) resolve({ code, stdout, stderr });
        else reject(problemOf(program, error, { code, stderr, isAborted: signal?.aborted ?? false }));
      },
    ).stdin?.end();
  });
}

/** Null when the program did not come to an end by itself. */
function exitCodeOf(error: unknown): number | null {
  if (error === null) return 0;
  const { code } = error as { code?: unknown };
  return typeof code === 'number' ? code : null;
}

function problemOf(
  program: string,
  error: unknown,
  facts: { readonly code: number | null; readonly stderr: string; readonly isAborted: boolean },
): ProcessError {
  if (facts.isAborted) return new ProcessError('cancelled', `${program} was cancelled.`);
  if (errorCode(error) === 'ENOENT') return new ProcessError('missing', `${program} is not installed.`);
  if ((error as { killed?: boolean }).killed)
    return new ProcessError('timeout', `${program} did not end in time.`);
  const told = facts.stderr.trim().slice(0, 500);
  const how = facts.code === null ? 'could not be run' : `ended with ${facts.code}`;
  return new ProcessError('failed', `${program} ${how}${told === '' ? '' : `: ${told}`}`, facts.code);
}
