import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

export interface LoopDelay {
  readonly p99Ms: number;
  readonly maxMs: number;
  /** Of the main thread alone: unlike the delay it does not grow with what else the machine does. */
  readonly mainCpuSeconds: number;
}

export interface BenchServer {
  readonly pid: number;
  good<T>(method: string, path: string, body?: unknown): Promise<T>;
  /** How late the event loop of its main thread was since the last call. */
  loopDelay(): Promise<LoopDelay>;
  stop(): Promise<void>;
}

const password = 'bench password';
/** Runs in the main thread of the server: at SIGUSR2 it writes how late its event loop was, and begins anew. */
const meter = `
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { renameSync, writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
if (isMainThread) {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  let cpu = process.threadCpuUsage();
  process.on('SIGUSR2', () => {
    // The histogram counts its own pace too.
    const { user, system } = process.threadCpuUsage(cpu);
    cpu = process.threadCpuUsage();
    const told = {
      p99Ms: delay.percentile(99) / 1e6 - 5,
      maxMs: delay.max / 1e6 - 5,
      mainCpuSeconds: (user + system) / 1e6,
    };
    writeFileSync(process.env.BENCH_DELAY + '.new', JSON.stringify(told));
    renameSync(process.env.BENCH_DELAY + '.new', process.env.BENCH_DELAY);
    delay.reset();
  });
}`;

/** The built server in a process of its own, signed in. */
export async function startServer(projectRoot: string, work: string): Promise<BenchServer> {
  const delayFile = join(work, 'delay.json');
  const meterFile = join(work, 'meter.mjs');
  await writeFile(meterFile, meter);
  const main = join(projectRoot, 'out', 'backend', 'main.js');
  const args = ['--import', meterFile, main, '--data-dir', join(work, 'data'), '--port', '0'];
  const child: ChildProcess = spawn(process.execPath, args, {
    env: { ...process.env, STRONGROOM_ADMIN_PASSWORD: password, BENCH_DELAY: delayFile },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let printed = '';
  for await (const chunk of child.stdout ?? []) {
    printed += String(chunk);
    if (printed.includes('\n')) break;
  }
  const { url } = JSON.parse(printed.split('\n')[0] ?? '') as { url: string };
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  const good = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const request = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const answer = await fetch(`${url}${path}`, request);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return (JSON.parse(text) as { data: T }).data;
  };
  const login = { backup_database: 'strongroom', backup_user: 'admin', password };
  const { access_token: token } = await good<{ access_token: string }>('POST', '/auth/login', login);
  headers.authorization = `Bearer ${token}`;
  return {
    pid: child.pid ?? 0,
    good,
    loopDelay: async () => {
      await rm(delayFile, { force: true });
      child.kill('SIGUSR2');
      for (;;) {
        const text = await readFile(delayFile, 'utf8').catch(() => null);
        if (text !== null) return JSON.parse(text) as LoopDelay;
        await wait(5);
      }
    },
    stop: async () => {
      if (child.exitCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

/** CPU seconds that a process has used so far, of all its threads. */
export async function cpuSecondsOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number);
  return ((user ?? 0) + (system ?? 0)) / 100;
}
