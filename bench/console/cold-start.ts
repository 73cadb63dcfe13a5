import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { openProtocol, type Protocol } from './devtools.ts';
import { launchEnv, projectRoot, runtimePath } from './electron.ts';

export interface Start {
  /** From the start of the process until the button was on the screen. */
  readonly usableMs: number;
  /** Of all processes of the program until then. */
  readonly cpuMs: number;
}

const limitMs = 60_000;
const lookEveryMs = 5;
/** The kernel counts in hundredths of a second. */
const tickMs = 10;

/**
 * Starts a program of Electron with new browser data, and waits until the button `usable` is on the screen. Only looks at the page
 * by the browser's own protocol: a driver that prepares each page would be a part of the time, and more of it for the quicker one.
 */
export async function coldStart(program: string, usable: string): Promise<Start> {
  const scratch = await mkdtemp(join(tmpdir(), 'strongroom-bench-start-'));
  const rootSwitches = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const startedAt = performance.now();
  const child = spawn(
    runtimePath(),
    ['--remote-debugging-port=0', ...rootSwitches, `--user-data-dir=${join(scratch, 'browser')}`, program],
    {
      cwd: projectRoot,
      env: launchEnv(join(scratch, 'home')),
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  try {
    const protocol = await openProtocol(await addressOf(child));
    try {
      await untilOnScreen(protocol, usable, startedAt + limitMs);
      return { usableMs: performance.now() - startedAt, cpuMs: await cpuMsOf(child.pid ?? 0) };
    } finally {
      protocol.close();
    }
  } finally {
    child.kill('SIGTERM');
    await ended;
    await rm(scratch, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function addressOf(child: ChildProcess): Promise<string> {
  const written: string[] = [];
  if (child.stderr === null) throw new Error('the program has no standard error');
  for await (const line of createInterface(child.stderr)) {
    const address = /^DevTools listening on (ws:.*)$/.exec(line)?.[1];
    if (address !== undefined) {
      // Read on, or the program would wait for it.
      child.stderr.resume();
      return address;
    }
    written.push(line);
  }
  throw new Error(`the program ended before it had a window; it wrote:\n${written.join('\n')}`);
}

async function untilOnScreen(protocol: Protocol, name: string, deadline: number): Promise<void> {
  const isThere = `[...document.querySelectorAll('button')].some(
    (button) => button.textContent.trim() === ${JSON.stringify(name)} && button.checkVisibility({ visibilityProperty: true }))`;
  let page: string | null = null;
  while (performance.now() < deadline) {
    page ??= await protocol.attachToPage();
    if (page !== null && (await protocol.evaluate(page, isThere)) === true) return;
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
  }
  throw new Error(`there is no button "${name}" after ${limitMs / 1000} seconds`);
}

/** Milliseconds of the processor of a process and all that it started and still runs; Linux only, elsewhere not a number. */
async function cpuMsOf(root: number): Promise<number> {
  if (process.platform !== 'linux') return Number.NaN;
  const parents = new Map<number, number>();
  const times = new Map<number, number>();
  for (const pid of (await readdir('/proc')).map(Number).filter(Number.isInteger)) {
    // One that ends meanwhile is none of the program's that matters now.
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    parents.set(pid, Number(fields[1]));
    times.set(pid, (Number(fields[11]) + Number(fields[12])) * tickMs);
  }
  const isOfProgram = (pid: number): boolean => {
    for (let at: number | undefined = pid; at !== undefined && at > 1; at = parents.get(at))
      if (at === root) return true;
    return false;
  };
  return [...times].reduce((sum, [pid, ms]) => (isOfProgram(pid) ? sum + ms : sum), 0);
}
