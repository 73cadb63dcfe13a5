// First: what follows may use the pool.
import './thread-pool.ts';
import { z } from 'zod';
import { DatabaseUnusable } from './db/index.ts';
import { BadOption, optionsFromArguments, optionsFromMessage } from './options.ts';
import { DataDirUnusable } from './platform/data-dir.ts';
import { messageOf } from './platform/errors.ts';
import { leave } from './platform/leave.ts';
import { DataDirInUse } from './platform/lock.ts';
import { createLog, type Log } from './platform/log.ts';
import { type RunningServer, type StartInput, startServer } from './server.ts';

/**
 * Entry of the backend. Under plain Node it takes its options from the command line and says on standard output
 * when it is ready. Inside Electron's utility process it waits for a start message on its port instead, answers
 * there, and ends when the app is gone.
 */

/** A stop must be over in 10 s, whatever hangs; what was cut off is repaired by the next start. */
const stopLimitMs = 9_000;

const exitCodes = [
  [BadOption, 2],
  [DataDirInUse, 3],
  [DataDirUnusable, 4],
  [DatabaseUnusable, 4],
] as const;

function exitCodeOf(error: unknown): number {
  return exitCodes.find(([kind]) => error instanceof kind)?.[1] ?? 1;
}

const logSink = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

/** A reader of our output who goes away must not take the backend with it. */
function ignoreBrokenPipes(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}

/** Until the server has its own log, which also goes to files. */
const earlyLog = createLog({ sinks: [logSink], now: Date.now });

interface Stopper {
  /** The server that is to be stopped; its start may still be under way, or fail. */
  watch(server: Promise<RunningServer>): void;
  stop(exitCode: number): void;
}

function createStopper(): Stopper {
  let server: Promise<RunningServer> | null = null;
  let log: Log = earlyLog;
  let stopping = false;
  const stop = (exitCode: number): void => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => leave(exitCode, { isLate: true }), stopLimitMs).unref();
    if (server === null) leave(exitCode, { isLate: false });
    // A start that fails meanwhile ends the process with its own exit code.
    server.then((running) => endAfter(running, exitCode)).catch(() => undefined);
  };
  const endAfter = async (running: RunningServer, exitCode: number): Promise<void> => {
    try {
      await running.stop();
    } catch (error) {
      earlyLog.error('the stop failed', { error });
      leave(1, { isLate: false });
    }
    leave(exitCode, { isLate: false });
  };
  const fail = (error: unknown): void => {
    log.error('unexpected failure', { error });
    stop(1);
  };
  process.on('uncaughtException', fail);
  process.on('unhandledRejection', fail);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop(0));
  return {
    stop,
    watch: (running) => {
      server = running;
      running.then(
        (started) => {
          log = started.log;
        },
        () => undefined,
      );
    },
  };
}

async function start(input: Pick<StartInput, 'options' | 'launchSecret'>): Promise<RunningServer> {
  return startServer({ ...input, environment: process.env, logSink });
}

/** What Electron gives to a utility process; plain Node has no such port. */
interface ParentPort {
  postMessage(message: unknown): void;
  on(event: 'message', listener: (event: { readonly data: unknown }) => void): void;
  on(event: 'close', listener: () => void): void;
}

function parentPort(): ParentPort | null {
  return (process as unknown as { readonly parentPort?: ParentPort }).parentPort ?? null;
}

const StartMessage = z.object({
  options: z.record(z.string(), z.unknown()),
  launchSecret: z.string().min(32).nullish(),
});

async function runForApp(port: ParentPort): Promise<void> {
  const stopper = createStopper();
  port.on('close', () => stopper.stop(0));
  let started = false;
  port.on('message', ({ data }) => {
    if ((data as { readonly event?: unknown } | null)?.event === 'stop') return stopper.stop(0);
    if (started) return;
    started = true;
    const running = startFromMessage(data);
    stopper.watch(running);
    running.then(
      ({ url, version, superuser }) =>
        port.postMessage({ event: 'ready', url, pid: process.pid, version, superuser }),
      (error: unknown) => {
        const exitCode = exitCodeOf(error);
        port.postMessage({ event: 'failed', reason: messageOf(error), exitCode });
        // The message travels on its own thread; leaving at once could lose it.
        setTimeout(() => process.exit(exitCode), 200);
      },
    );
  });
}

async function startFromMessage(data: unknown): Promise<RunningServer> {
  const message = StartMessage.safeParse(data);
  if (!message.success) throw new BadOption('the start message must be { options, launchSecret }');
  const { options, launchSecret } = message.data;
  return start({ options: optionsFromMessage(options), launchSecret: launchSecret ?? null });
}

async function runAlone(): Promise<void> {
  const stopper = createStopper();
  try {
    const running = start({ options: optionsFromArguments(process.argv.slice(2)), launchSecret: null });
    // A start that fails is told below; a stop that comes meanwhile waits for it.
    stopper.watch(running);
    const { url, version } = await running;
    process.stdout.write(`${JSON.stringify({ event: 'ready', url, pid: process.pid, version })}\n`);
  } catch (error) {
    process.stderr.write(`strongroom: ${oneLine(messageOf(error))}\n`, () => process.exit(exitCodeOf(error)));
  }
}

function oneLine(text: string): string {
  return text.replace(/\s*\p{Cc}+\s*/gu, ' ');
}

ignoreBrokenPipes();
const port = parentPort();
await (port ? runForApp(port) : runAlone());
