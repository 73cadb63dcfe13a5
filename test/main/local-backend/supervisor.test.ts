import { afterEach, describe, expect, it } from 'vitest';
import type { LocalBackendState } from '../../../contract/desktop/local-backend.ts';
import { createLineSplitter } from '../../../main/local-backend/line-splitter.ts';
import { createLogTail } from '../../../main/local-backend/log-tail.ts';
import type { SpawnBackend } from '../../../main/local-backend/spawn.ts';
import {
  createSupervisor,
  type Supervisor,
  type SupervisorOptions,
} from '../../../main/local-backend/supervisor.ts';
import { problemOf } from '../../../main/platform/problem-error.ts';
import { waitUntil } from '../support/wait-until.ts';

interface FakeChild {
  readonly posted: unknown[];
  readonly signals: string[];
  readonly say: (message: unknown) => void;
  readonly print: (text: string) => void;
  readonly exit: (code: number | null) => void;
}

/** Processes that do nothing but what the test makes them do. */
function fakeProcesses(onSpawn: (child: FakeChild) => void = () => undefined) {
  const children: FakeChild[] = [];
  const spawn: SpawnBackend = () => {
    let say: FakeChild['say'] = () => undefined;
    let print: (chunk: Uint8Array) => void = () => undefined;
    let exit: FakeChild['exit'] = () => undefined;
    const child: FakeChild = {
      posted: [],
      signals: [],
      say: (message) => say(message),
      print: (text) => print(new TextEncoder().encode(text)),
      exit: (code) => exit(code),
    };
    children.push(child);
    queueMicrotask(() => onSpawn(child));
    return {
      pid: () => 4711,
      post: (message) => child.posted.push(message),
      onMessage: (listener) => {
        say = listener;
      },
      onOutput: (listener) => {
        print = listener;
      },
      onExit: (listener) => {
        exit = listener;
      },
      signal: (name) => {
        child.signals.push(name);
      },
    };
  };
  return { spawn, children };
}

const ready = {
  event: 'ready',
  url: 'http://127.0.0.1:4567/api/v1',
  pid: 4711,
  version: '1.2.3',
  superuser: 'root',
};
const readyAtOnce = (child: FakeChild): void => child.say(ready);

const open: Supervisor[] = [];
afterEach(() => {
  open.splice(0);
});

function supervise(spawn: SpawnBackend, more: Partial<SupervisorOptions> = {}) {
  const supervisor = createSupervisor({
    spawn,
    isInstalled: async () => true,
    dataDir: '/home/x/backend',
    logDir: '/home/x/backend/log',
    ...more,
    limits: { firstWaitMs: 1, longestWaitMs: 2, stopMs: 20, ...more.limits },
  });
  const states: LocalBackendState[] = [];
  supervisor.onState((state) => states.push(state));
  open.push(supervisor);
  return { supervisor, states, phases: () => states.map(({ phase }) => phase) };
}

const failureOf = async (work: Promise<unknown>) =>
  problemOf(
    await work.then(
      () => undefined,
      (error: unknown) => error,
    ),
  );

describe('the local backend', () => {
  it('is told its folder, a free port and a secret, and learns its address from the answer (case 5)', async () => {
    const { spawn, children } = fakeProcesses(readyAtOnce);
    const { supervisor, phases } = supervise(spawn);
    const running = await supervisor.start();
    expect(children[0]?.posted).toEqual([
      {
        options: { dataDir: '/home/x/backend', host: '127.0.0.1', port: 0 },
        launchSecret: running.launchSecret,
      },
    ]);
    expect(running).toMatchObject({ url: 'http://127.0.0.1:4567', superuser: 'root' });
    expect(running.launchSecret.length).toBeGreaterThanOrEqual(43);
    expect(phases()).toEqual(['starting', 'running']);
    expect(supervisor.state()).toMatchObject({ pid: 4711, version: '1.2.3' });
  });

  it('is started once, however many ask', async () => {
    const { spawn, children } = fakeProcesses(readyAtOnce);
    const { supervisor } = supervise(spawn);
    await Promise.all([supervisor.start(), supervisor.start()]);
    await supervisor.start();
    expect(children).toHaveLength(1);
  });

  it('that is missing leads to a page with the reason (case 4)', async () => {
    const { spawn, children } = fakeProcesses();
    const { supervisor } = supervise(spawn, { isInstalled: async () => false });
    expect(await failureOf(supervisor.start())).toMatchObject({ kind: 'local', code: 'missing' });
    expect(supervisor.state()).toMatchObject({
      phase: 'failed',
      code: 'missing',
      reason: expect.stringContaining('missing'),
    });
    expect(children).toHaveLength(0);
  });

  it('that cannot be run leads to a page with the reason (case 4)', async () => {
    const { supervisor } = supervise(() => {
      throw new Error('EACCES');
    });
    expect(await failureOf(supervisor.start())).toMatchObject({ message: expect.stringContaining('EACCES') });
    expect(supervisor.state().phase).toBe('failed');
  });

  it('whose folder is in use is not tried again and says which process holds it (case 20)', async () => {
    const { spawn, children } = fakeProcesses((child) => {
      child.say({ event: 'failed', reason: 'Process 123 uses the data folder.', exitCode: 3 });
      child.exit(3);
    });
    const { supervisor } = supervise(spawn);
    expect(await failureOf(supervisor.start())).toMatchObject({ code: 'dataDirInUse' });
    expect(supervisor.state()).toMatchObject({
      phase: 'failed',
      exitCode: 3,
      reason: 'Process 123 uses the data folder.',
    });
    expect(children).toHaveLength(1);
  });

  it('that says junk is not believed (case 4)', async () => {
    const { spawn } = fakeProcesses((child) => {
      child.say('ready');
      child.say({ ...ready, url: 'http://evil.example/api/v1' });
      child.say({ ...ready, url: 'https://127.0.0.1.evil.example/' });
      child.exit(1);
    });
    const { supervisor } = supervise(spawn);
    expect(await failureOf(supervisor.start())).toMatchObject({ code: 'junk' });
    expect(supervisor.state()).toMatchObject({ phase: 'failed', code: 'junk' });
  });

  it('that says nothing is ended by the deadline', async () => {
    const { spawn, children } = fakeProcesses();
    const { supervisor } = supervise(spawn, { limits: { readyMs: 5, mostFailures: 1 } });
    const start = failureOf(supervisor.start());
    await waitUntil(() => children[0]?.signals.includes('SIGKILL') === true);
    children[0]?.exit(null);
    expect(await start).toMatchObject({ code: 'deadline' });
  });

  it('that dies is started again with growing waits, and not for ever (case 11)', async () => {
    const { spawn, children } = fakeProcesses((child) => {
      readyAtOnce(child);
      setImmediate(() => child.exit(1));
    });
    const { supervisor, states } = supervise(spawn);
    await supervisor.start();
    await waitUntil(() => supervisor.state().phase === 'failed');
    expect(children).toHaveLength(5);
    const waits = states.filter(({ phase }) => phase === 'waiting');
    expect(waits.map(({ failedStarts }) => failedStarts)).toEqual([1, 2, 3, 4]);
    expect(waits.every(({ retryAt }) => retryAt !== null)).toBe(true);
    expect(new Set(children.map(({ posted }) => JSON.stringify(posted))).size).toBe(5);
  });

  it('is asked to stop and, when it does not, ended (case 3)', async () => {
    const { spawn, children } = fakeProcesses(readyAtOnce);
    const { supervisor } = supervise(spawn);
    await supervisor.start();
    const stopped = supervisor.stop();
    expect(children[0]?.signals).toEqual(['SIGTERM']);
    await waitUntil(() => children[0]?.signals.includes('SIGKILL') === true);
    children[0]?.exit(null);
    await stopped;
    expect(supervisor.state()).toMatchObject({ phase: 'stopped', pid: null, url: null });
    expect(supervisor.running()).toBeNull();
  });

  it('may be stopped and started at any moment, and only one runs', async () => {
    const { spawn, children } = fakeProcesses((child) => {
      if (child === children.at(-1)) readyAtOnce(child);
    });
    const { supervisor } = supervise(spawn);
    const first = failureOf(supervisor.start());
    const stopped = supervisor.stop();
    expect(await first).toMatchObject({ kind: 'cancelled' });
    await stopped;
    await supervisor.start();
    const leaving = supervisor.stop();
    const next = supervisor.start();
    children.at(-1)?.exit(0);
    await leaving;
    expect((await next).url).toBe('http://127.0.0.1:4567');
    expect(children).toHaveLength(2);
    expect(supervisor.state().phase).toBe('running');
  });

  it('leaves no listener and no timer behind over 200 starts and stops (case 21)', async () => {
    const { spawn } = fakeProcesses((child) => {
      readyAtOnce(child);
    });
    const withExit: SpawnBackend = () => {
      const child = spawn();
      return {
        ...child,
        signal: () => {
          for (const exit of exits.splice(0)) exit(0);
        },
        onExit: (listener) => {
          exits.push(listener);
        },
      };
    };
    const exits: ((code: number | null) => void)[] = [];
    const { supervisor } = supervise(withExit);
    const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    await supervisor.start();
    await supervisor.stop();
    const before = timers();
    for (let cycle = 0; cycle < 200; cycle++) {
      await supervisor.start();
      await supervisor.stop();
    }
    expect(timers()).toBeLessThanOrEqual(before);
    expect(exits).toHaveLength(0);
    expect(supervisor.state().phase).toBe('stopped');
  });

  it('shows its last 100 lines, and its secret in none of them (case 4)', async () => {
    const { spawn, children } = fakeProcesses(readyAtOnce);
    const { supervisor } = supervise(spawn);
    const { launchSecret } = await supervisor.start();
    children[0]?.print(`started with ${launchSecret}\n`);
    for (let line = 0; line < 150; line++) children[0]?.print(`line ${line}\n`);
    expect(supervisor.logTail()).toHaveLength(100);
    expect(supervisor.logTail().at(-1)).toBe('line 149');
    for (let line = 0; line < 50; line++) children[0]?.print(`${launchSecret}\n`);
    expect(supervisor.logTail().join('\n')).not.toContain(launchSecret);
  });
});

describe('output of a process', () => {
  const text = 'first\r\nünï 日本\n\nlast without end';
  const split = (pieces: readonly Uint8Array[]) => {
    const lines: string[] = [];
    const splitter = createLineSplitter((line) => lines.push(line));
    for (const piece of pieces) splitter.push(piece);
    splitter.end();
    return lines;
  };

  it('becomes the same lines byte by byte and as one piece (case 21)', () => {
    const bytes = new TextEncoder().encode(text);
    const whole = split([bytes]);
    expect(whole).toEqual(['first', 'ünï 日本', '', 'last without end']);
    expect(split([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(whole);
  });

  it('cannot fill the memory with a line that never ends', () => {
    const piece = new TextEncoder().encode('x'.repeat(10_000));
    for (const line of split(Array(20).fill(piece))) expect(line.length).toBeLessThanOrEqual(4_096);
    const tail = createLogTail(() => [], 3);
    for (let index = 0; index < 10; index++) tail.add(String(index));
    expect(tail.lines()).toEqual(['7', '8', '9']);
  });
});
