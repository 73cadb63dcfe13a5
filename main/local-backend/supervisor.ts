import { randomBytes } from 'node:crypto';
import type { LocalBackendPhase, LocalBackendState } from '../../contract/desktop/local-backend.ts';
import { messageOf, ProblemError } from '../platform/problem-error.ts';
import { createSignal } from '../platform/signals.ts';
import { backOffMs } from '../platform/waiting.ts';
import { t } from '../texts/index.ts';
import { parseBackendMessage } from './backend-message.ts';
import { type Failure, failureOfExit, missingBackend, silentBackend } from './exit-reasons.ts';
import { createLineSplitter } from './line-splitter.ts';
import { createLogTail } from './log-tail.ts';
import type { SpawnBackend, SpawnedBackend } from './spawn.ts';

export interface SupervisorOptions {
  readonly spawn: SpawnBackend;
  /** True when the program is there. */
  readonly isInstalled: () => Promise<boolean>;
  readonly dataDir: string;
  readonly logDir: string;
  readonly limits?: Partial<Limits>;
  readonly now?: () => number;
}

export interface Limits {
  /** From the start to `ready`: a first start makes a database, a later one may have to repair. */
  readonly readyMs: number;
  /** From SIGTERM to SIGKILL. */
  readonly stopMs: number;
  /** Running this long makes earlier failures forgotten. */
  readonly steadyMs: number;
  readonly firstWaitMs: number;
  readonly longestWaitMs: number;
  /** Failed starts in a row after which nothing is tried any more without a person. */
  readonly mostFailures: number;
}

const usualLimits: Limits = {
  readyMs: 120_000,
  stopMs: 10_000,
  steadyMs: 60_000,
  firstWaitMs: 1_000,
  longestWaitMs: 60_000,
  mostFailures: 5,
};

/** How to reach and sign in to the backend that runs now. The secret is good for this one run. */
export interface RunningBackend {
  readonly url: string;
  readonly superuser: string;
  readonly launchSecret: string;
}

export interface Supervisor {
  readonly state: () => LocalBackendState;
  readonly onState: (listener: (state: LocalBackendState) => void) => () => void;
  readonly running: () => RunningBackend | null;
  /** Resolves when it runs; a ProblemError says why it does not. A start in progress is joined. */
  readonly start: () => Promise<RunningBackend>;
  /** Resolves when the process is gone, whatever it takes. */
  readonly stop: () => Promise<void>;
  readonly logTail: () => readonly string[];
}

interface WaitingStart {
  readonly done: (running: RunningBackend) => void;
  readonly fail: (error: Error) => void;
}

interface Run {
  readonly child: SpawnedBackend;
  readonly launchSecret: string;
  readonly ended: Promise<void>;
  said: Failure | null;
  /** It was asked to go: its end is no failure. */
  dismissed: boolean;
  wasReady: boolean;
  readyTimer: NodeJS.Timeout | undefined;
  steadyTimer: NodeJS.Timeout | undefined;
  killTimer: NodeJS.Timeout | undefined;
}

/**
 * Starts, watches and stops the one backend that belongs to this app. It only ever speaks to the process that it
 * started itself: no port is guessed, no foreign process is adopted or killed.
 */
export function createSupervisor(options: SupervisorOptions): Supervisor {
  const limits = { ...usualLimits, ...options.limits };
  const now = options.now ?? Date.now;
  const changed = createSignal<LocalBackendState>();
  const tail = createLogTail(() => (run ? [run.launchSecret] : []));
  let run: Run | null = null;
  let backend: RunningBackend | null = null;
  let starting: Promise<RunningBackend> | null = null;
  let waitingStart: WaitingStart | null = null;
  let restartTimer: NodeJS.Timeout | undefined;
  let wanted = false;
  /** Grows with each launch and stop: a launch that was overtaken while it waited does nothing. */
  let turn = 0;
  let state: LocalBackendState = {
    phase: 'unused',
    since: now(),
    reason: null,
    code: null,
    exitCode: null,
    retryAt: null,
    url: null,
    pid: null,
    version: null,
    dataDir: options.dataDir,
    logDir: options.logDir,
    failedStarts: 0,
  };

  const enter = (phase: LocalBackendPhase, more: Partial<LocalBackendState> = {}): void => {
    const { failedStarts, version } = state;
    state = {
      ...state,
      ...{ reason: null, code: null, exitCode: null, retryAt: null, url: null, pid: null },
      ...{ failedStarts, version },
      ...more,
      phase,
      since: now(),
    };
    changed.tell(state);
  };

  const settle = (how: (waiting: WaitingStart) => void): void => {
    const waiting = waitingStart;
    // At once, so that a start right after a stop is a new one.
    waitingStart = null;
    starting = null;
    if (waiting) how(waiting);
  };

  const launch = async (): Promise<void> => {
    turn++;
    const own = turn;
    enter('starting');
    const installed = await options.isInstalled();
    if (own !== turn || run) return;
    if (!installed) {
      giveUp(missingBackend());
      return;
    }
    const launchSecret = randomBytes(32).toString('base64url');
    let child: SpawnedBackend;
    try {
      child = options.spawn();
    } catch (error) {
      giveUp(missingBackend(messageOf(error)));
      return;
    }
    watch(child, launchSecret);
    // A folder and options as values, never as text for a shell; any character may stand in the path.
    child.post({ options: { dataDir: options.dataDir, host: '127.0.0.1', port: 0 }, launchSecret });
  };

  const watch = (child: SpawnedBackend, launchSecret: string): void => {
    let ended = (): void => undefined;
    const own: Run = {
      child,
      launchSecret,
      ended: new Promise((resolve) => {
        ended = resolve;
      }),
      said: null,
      dismissed: false,
      wasReady: false,
      readyTimer: undefined,
      steadyTimer: undefined,
      killTimer: undefined,
    };
    run = own;
    const lines = createLineSplitter(tail.add);
    child.onOutput(lines.push);
    child.onMessage((data) => hear(own, data));
    child.onExit((code) => {
      lines.end();
      clearTimeout(own.readyTimer);
      clearTimeout(own.steadyTimer);
      clearTimeout(own.killTimer);
      if (run === own) {
        run = null;
        backend = null;
        if (own.dismissed) enter('stopped');
        else afterExit(own.said ?? failureOfExit(code, null), own.wasReady);
      }
      ended();
    });
    own.readyTimer = setTimeout(() => {
      own.said = silentBackend();
      child.signal('SIGKILL');
    }, limits.readyMs);
  };

  const hear = (own: Run, data: unknown): void => {
    const message = parseBackendMessage(data);
    if (!message) {
      tail.add('(a message that is none of the backend)');
      own.said ??= {
        code: 'junk',
        exitCode: null,
        mayPass: true,
        reason: t('backend.junk'),
      };
      return;
    }
    if (message.event === 'failed') {
      own.said = failureOfExit(message.exitCode, message.reason);
      return;
    }
    if (state.phase !== 'starting' || run !== own || own.dismissed) return;
    clearTimeout(own.readyTimer);
    own.said = null;
    const url = message.url.replace(/\/api\/v1\/?$/, '');
    const running = { url, superuser: message.superuser, launchSecret: own.launchSecret };
    backend = running;
    own.wasReady = true;
    own.steadyTimer = setTimeout(() => {
      state = { ...state, failedStarts: 0 };
    }, limits.steadyMs);
    enter('running', { url, pid: message.pid, version: message.version });
    settle((one) => one.done(running));
  };

  const afterExit = (failure: Failure, wasReady: boolean): void => {
    const failedStarts = state.failedStarts + 1;
    state = { ...state, failedStarts };
    // One that never got ready will hardly do so the fifth time: the person hears of it sooner.
    const most = wasReady ? limits.mostFailures : Math.min(2, limits.mostFailures);
    if (!wanted || !failure.mayPass || failedStarts >= most) {
      giveUp(failure);
      return;
    }
    const waitMs = backOffMs(failedStarts, limits.firstWaitMs, limits.longestWaitMs);
    enter('waiting', { ...shown(failure), retryAt: now() + waitMs });
    restartTimer = setTimeout(() => void launch(), waitMs);
  };

  const giveUp = (failure: Failure): void => {
    wanted = false;
    enter('failed', shown(failure));
    settle((one) => one.fail(problemOfFailure(failure)));
  };

  const start = (): Promise<RunningBackend> => {
    if (backend) return Promise.resolve(backend);
    if (starting) return starting;
    wanted = true;
    state = { ...state, failedStarts: 0 };
    clearTimeout(restartTimer);
    starting = new Promise<RunningBackend>((done, fail) => {
      waitingStart = { done, fail };
    });
    // Whoever started it may be gone; the state tells the failure as well.
    starting.catch(() => undefined);
    if (run && !run.dismissed) return starting;
    if (run) void run.ended.then(() => (wanted ? launch() : undefined));
    else void launch();
    return starting;
  };

  const stop = async (): Promise<void> => {
    wanted = false;
    turn++;
    clearTimeout(restartTimer);
    settle((one) => one.fail(stoppedProblem()));
    const own = run;
    if (!own) {
      if (state.phase === 'starting' || state.phase === 'waiting') enter('stopped');
      return;
    }
    backend = null;
    if (!own.dismissed) {
      own.dismissed = true;
      clearTimeout(own.readyTimer);
      clearTimeout(own.steadyTimer);
      enter('stopping');
      own.killTimer = setTimeout(() => own.child.signal('SIGKILL'), limits.stopMs);
      own.child.signal('SIGTERM');
    }
    await own.ended;
  };

  return {
    state: () => state,
    onState: changed.listen,
    running: () => backend,
    start,
    stop,
    logTail: tail.lines,
  };
}

function shown({ code, reason, exitCode }: Failure): Partial<LocalBackendState> {
  return { code, reason, exitCode };
}

function problemOfFailure(failure: Failure): ProblemError {
  return new ProblemError({
    kind: 'local',
    code: failure.code,
    message: t('backend.doesNotStart', { reason: failure.reason }),
  });
}

function stoppedProblem(): ProblemError {
  return new ProblemError({ kind: 'cancelled', code: 'stopped', message: t('backend.wasStopped') });
}
