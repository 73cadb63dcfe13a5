import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { access, lstat, open, readlink, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import type { Readable } from 'node:stream';
import { messageOf } from './errors.ts';
import { endMarked, signalMarked } from './marked-processes.ts';
import { errorCode } from './native.ts';

export interface ScriptRequest {
  /** Absolute path of the program. No shell reads it and it gets no arguments. */
  readonly path: string;
  /** All that it sees beside `PATH` and the locale. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** How long it has to end by itself once it was asked to (SIGTERM) before it is killed. */
  readonly graceMs?: number;
  readonly onLine: (from: 'stdout' | 'stderr', line: string) => void;
}

export type ScriptEnd =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'signalled'; readonly signal: string }
  | { readonly kind: 'timeout' }
  /** `stop` was called. */
  | { readonly kind: 'stopped' }
  /** It was not run at all; `reason` says why and what to do. */
  | { readonly kind: 'refused'; readonly reason: string };

export interface RunningScript {
  /**
   * Never rejects. Once it resolves, nothing of the script's process group is left, and after `stop` or the time limit
   * nothing outside of it either that it began (on Linux).
   */
  readonly ended: Promise<ScriptEnd & { readonly omittedBytes: number }>;
  stop(): void;
  pause(): void;
  resume(): void;
}

const usualGraceMs = 2_000;
const afterKillMs = 1_000;
const mostLines = 200;
const mostLineLength = 1_000;
const mostBytes = 64 * 1024;
/** Beyond what is kept, output is read slowly: a flood costs the script its time, not the server. */
const drainPauseMs = 10;
/** How long output is waited for that somebody outside of the group may hold open. */
const lastOutputMs = 500;
const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** In the environment of all that a script begins, whatever group or session that moves to. */
const markName = 'STRONGROOM_RUN_ID';

/** Runs a script of an administrator in a process group of its own, which ends with it, with `stop` and at its time limit. */
export function runScript(request: ScriptRequest): RunningScript {
  const run: Run = {
    mark: `${markName}=${randomUUID()}`,
    strays: Promise.resolve(),
    tell: (line) => request.onLine('stderr', line),
    child: null,
    asked: null,
    isOver: false,
    isPaused: false,
    kill: undefined,
    giveUp: () => undefined,
  };
  return {
    ended: start(request, run),
    stop: () => ask(run, 'stopped', request.graceMs ?? usualGraceMs),
    pause: () => {
      run.isPaused = true;
      signalGroup(run, 'SIGSTOP');
    },
    resume: () => {
      run.isPaused = false;
      signalGroup(run, 'SIGCONT');
    },
  };
}

interface Run {
  /** No other run has it. */
  readonly mark: string;
  /** The search for what has left the group. */
  strays: Promise<void>;
  readonly tell: (line: string) => void;
  child: ChildProcess | null;
  /** Why it was asked to end. */
  asked: 'timeout' | 'stopped' | null;
  isOver: boolean;
  isPaused: boolean;
  kill: NodeJS.Timeout | undefined;
  giveUp: (why: 'timeout' | 'stopped') => void;
}

async function start(
  request: ScriptRequest,
  run: Run,
): Promise<ScriptEnd & { readonly omittedBytes: number }> {
  const reason = await whyNotRun(request.path);
  if (run.asked !== null) return { kind: run.asked, omittedBytes: 0 };
  if (reason !== null) return { kind: 'refused', reason, omittedBytes: 0 };
  const output = { lines: 0, bytes: 0, omitted: 0 };
  return new Promise((resolve) => {
    let child: ChildProcess;
    try {
      child = spawn(request.path, [], {
        cwd: '/',
        env: {
          PATH: systemPath,
          LC_ALL: 'C.UTF-8',
          ...withoutNul(request.env),
          [markName]: run.mark.slice(markName.length + 1),
        },
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: true,
        shell: false,
      });
    } catch (error) {
      resolve({ kind: 'refused', reason: startFailure(request.path, error), omittedBytes: 0 });
      return;
    }
    run.child = child;
    const graceMs = request.graceMs ?? usualGraceMs;
    const limit = setTimeout(() => ask(run, 'timeout', graceMs), request.timeoutMs);
    const { stdout, stderr } = child;
    const closed = Promise.all([
      readLines(stdout, output, (line) => request.onLine('stdout', line)),
      readLines(stderr, output, (line) => request.onLine('stderr', line)),
    ]);
    const over = (end: ScriptEnd): void => {
      if (run.isOver) return;
      // Whatever it has left running in its group: nobody would ever end it.
      signalGroup(run, 'SIGKILL');
      run.isOver = true;
      clearTimeout(limit);
      clearTimeout(run.kill);
      const late = setTimeout(() => {
        stdout?.destroy();
        stderr?.destroy();
      }, lastOutputMs);
      // What has left the group of a script that ends by itself was meant to go on.
      if (run.asked !== null) searchStrays(run, () => endMarked(run.mark));
      void Promise.all([closed, run.strays]).then(() => {
        clearTimeout(late);
        resolve({ ...end, omittedBytes: output.omitted });
      });
    };
    run.giveUp = (why) => over({ kind: why });
    child.once('error', (error) => over({ kind: 'refused', reason: startFailure(request.path, error) }));
    child.once('exit', (code, signal) => {
      if (run.asked !== null) over({ kind: run.asked });
      else if (signal !== null) over({ kind: 'signalled', signal });
      else over({ kind: 'exited', code: code ?? -1 });
    });
    if (run.isPaused) signalGroup(run, 'SIGSTOP');
  });
}

function ask(run: Run, why: 'timeout' | 'stopped', graceMs: number): void {
  if (run.isOver || run.asked !== null) return;
  run.asked = why;
  signalGroup(run, 'SIGTERM');
  if (run.child !== null) {
    searchStrays(run, async () => {
      await signalMarked(run.mark, 'SIGTERM');
    });
  }
  // A paused process hears of it only when it goes on.
  signalGroup(run, 'SIGCONT');
  run.kill = setTimeout(() => {
    signalGroup(run, 'SIGKILL');
    // A process that hangs in the kernel, or that has other rights than this server, is waited for no longer.
    run.kill = setTimeout(() => run.giveUp(why), afterKillMs);
  }, graceMs);
}

/** One search after the other; one that cannot be made is told in the log of the script. */
function searchStrays(run: Run, search: () => Promise<void>): void {
  run.strays = run.strays
    .then(search)
    .catch((error) =>
      run.tell(`Processes that have left the group cannot be looked for: ${messageOf(error)}`),
    );
}

function signalGroup(run: Run, signal: NodeJS.Signals): void {
  const pid = run.child?.pid;
  if (run.isOver || pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // Nothing of the group is left (ESRCH), or it has other rights than this server (EPERM).
    const code = errorCode(error);
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}

/** Hands over whole lines up to the caps, counts the rest; resolves when the stream is closed. */
async function readLines(
  stream: Readable | null | undefined,
  output: { lines: number; bytes: number; omitted: number },
  onLine: (line: string) => void,
): Promise<void> {
  // The system had no descriptor left for it.
  if (!stream) return;
  stream.setEncoding('utf8');
  let rest = '';
  const tell = (line: string): void => {
    if (output.lines >= mostLines || output.bytes >= mostBytes) {
      output.omitted += Buffer.byteLength(line);
      return;
    }
    const shown = line.slice(0, mostLineLength);
    output.lines += 1;
    output.bytes += Buffer.byteLength(shown);
    output.omitted += Buffer.byteLength(line.slice(mostLineLength));
    onLine(printable(shown));
  };
  stream.on('data', (chunk: string) => {
    if (output.lines >= mostLines || output.bytes >= mostBytes) {
      output.omitted += Buffer.byteLength(rest) + Buffer.byteLength(chunk);
      rest = '';
      stream.pause();
      setTimeout(() => stream.resume(), drainPauseMs);
      return;
    }
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) tell(line);
    if (rest.length > mostLineLength) {
      tell(rest);
      rest = '';
    }
  });
  await new Promise<void>((resolve) => stream.once('close', resolve));
  if (rest !== '') tell(rest);
}

/** Terminal colours, bells and what no database keeps. */
function printable(line: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  return line.replace(/\r$/, '').replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '\ufffd');
}

function withoutNul(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => [name, value.replaceAll('\0', '\ufffd')]),
  );
}

/** Why a program may not or cannot be run; null when it can. */
async function whyNotRun(path: string): Promise<string | null> {
  try {
    const file = await stat(path);
    if (!file.isFile()) return `${path} is no file; name a program`;
    await access(path, constants.X_OK);
    if (!(await isProgram(path))) return `${path} is no program; a script needs a first line like #!/bin/sh`;
    return await whyWayIsUnsafe(path);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR')
      return `${path} is not there; put it there or correct the rule`;
    if (code === 'EACCES')
      return `${path} may not be read and run by this server; make it executable (chmod 755)`;
    return `${path} cannot be looked at: ${messageOf(error)}`;
  }
}

/** What the kernel itself can run: the C library would hand anything else to a shell. */
async function isProgram(path: string): Promise<boolean> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0);
    const start = buffer.toString('latin1', 0, bytesRead);
    return start.startsWith('#!') || start === '\u007fELF';
  } finally {
    await file.close();
  }
}

/**
 * Whoever can change the program, a link that leads to it or a folder on the way would act with the rights of this
 * server. Step by step as the system goes: a link is followed only once its own place is known to be safe.
 */
async function whyWayIsUnsafe(path: string): Promise<string | null> {
  const left = path.split('/');
  for (let place = '/'; ; ) {
    const facts = await lstat(place);
    const reason = whyUnsafe(facts);
    if (reason !== null) {
      const way = place === path ? '' : `; the way to ${path} leads through it`;
      return `${place} ${reason}${way}`;
    }
    if (facts.isSymbolicLink()) {
      const target = await readlink(place);
      left.unshift(...target.split('/'));
      place = isAbsolute(target) ? '/' : dirname(place);
    }
    const next = left.shift();
    if (next === undefined) return null;
    place = join(place, next);
  }
}

function whyUnsafe(facts: Stats): string | null {
  const own = process.getuid?.() ?? 0;
  if (facts.uid !== 0 && facts.uid !== own) {
    return 'belongs to another user, who could put anything there; give it to root or to the user of this server';
  }
  // A link has all rights and nobody can write to it.
  if (facts.isSymbolicLink()) return null;
  const isSticky = facts.isDirectory() && (facts.mode & 0o1000) !== 0;
  if ((facts.mode & 0o022) !== 0 && !isSticky) {
    return 'can be changed by other users; take that right away (chmod go-w)';
  }
  return null;
}

function startFailure(path: string, error: unknown): string {
  const code = errorCode(error);
  if (code === 'ENOENT') return `the interpreter in the first line of ${path} is not there`;
  if (code === 'EACCES') return `${path} may not be run here: no right, or its file system is mounted noexec`;
  return `${path} could not be started: ${messageOf(error)}`;
}
