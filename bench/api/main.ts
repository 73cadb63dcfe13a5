import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openDatabase } from '../../backend/db/index.ts';
import { makeManyTasks } from '../support/many-tasks.ts';
import { median } from '../support/measure.ts';
import { type Load, load, type Target } from './load.ts';

/**
 * Requests per second and the slowest hundredth, of the real server and beside it of a bare route that answers the
 * same bytes from the same statements (the limit). Interleaved runs, medians; a share of 1 would be the limit itself.
 */
const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    runs: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '4' },
    tasks: { type: 'string', default: '1000000' },
  },
});
const runs = Number(values.runs);
const seconds = Number(values.seconds);
const tasks = Number(values.tasks);
const middleId = Math.ceil(tasks / 2);
/** Just before the middle, where the way is longest from either end. */
const deepPage = Math.floor((tasks * 0.48) / 20) + 1;
const projectRoot = join(import.meta.dirname, '..', '..');
const work = mkdtempSync(join(tmpdir(), 'strongroom-bench-api-'));
const password = 'bench password';

interface Started {
  readonly child: ChildProcess;
  /** The first line that it printed. */
  readonly line: string;
}

async function start(entry: readonly string[]): Promise<Started> {
  const child = spawn(process.execPath, [...entry], {
    cwd: projectRoot,
    env: { ...process.env, STRONGROOM_ADMIN_PASSWORD: password },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let printed = '';
  for await (const chunk of child.stdout) {
    printed += String(chunk);
    if (printed.includes('\n')) break;
  }
  return { child, line: printed.split('\n')[0] ?? '' };
}

async function stop({ child }: Started): Promise<void> {
  if (child.exitCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

const backend = (dataDir: string) =>
  start([join('out', 'backend', 'main.js'), '--data-dir', dataDir, '--port', '0']);

async function prepare(): Promise<{ readonly own: string; readonly peer: string }> {
  const own = join(work, 'data');
  const first = await backend(own);
  const { url } = JSON.parse(first.line) as { url: string };
  // Before there are tasks: the finished ones are old, and would be cleaned away.
  await enterServiceMode(url, await signIn(url));
  await stop(first);
  const database = await openDatabase({ kind: 'sqlite', path: join(own, 'strongroom.db') });
  await makeManyTasks(database, tasks);
  await database.close();
  const peer = join(work, 'peer.db');
  cpSync(join(own, 'strongroom.db'), peer);
  return { own, peer };
}

async function signIn(url: string) {
  const body = JSON.stringify({ backup_database: 'strongroom', backup_user: 'admin', password });
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${url}/auth/login`, { method: 'POST', headers, body });
  const { data } = (await answer.json()) as { data: { access_token: string } };
  return { ...headers, authorization: `Bearer ${data.access_token}` };
}

type Headers = Readonly<Record<string, string>>;

/** New tasks are accepted and stay where they are, finished ones are kept. */
async function enterServiceMode(url: string, headers: Headers): Promise<void> {
  const body = JSON.stringify({ service_mode: true });
  const path = `${url}/global_configuration/service_mode`;
  const answer = await fetch(path, { method: 'PATCH', headers, body });
  if (!answer.ok) throw new Error(`service mode: ${answer.status} ${await answer.text()}`);
}

/** Name of the one client that a new server has: itself. */
async function clientOf(url: string, headers: Headers): Promise<string> {
  const clients = await fetch(`${url}/clients`, { headers });
  const { data } = (await clients.json()) as { data: { client_name: string }[] };
  return data[0]?.client_name ?? '';
}

const works = ['list', 'deep', 'filter', 'get', 'create'] as const;
type Work = (typeof works)[number];

function targets(url: string, peerUrl: string, headers: Headers, client: string) {
  const task = {
    resource_type: 'File system',
    resource: '/srv/data',
    client,
    backup_type: 'full',
    pool: 'Default',
    crypto: 'nocrypt',
    priority: 100,
    storage_duration: '1 year',
    archiving: false,
  };
  const body = JSON.stringify({ data: { task } });
  const paths: Readonly<Record<Work, string>> = {
    list: '/task_queue?page=1&limit=20&sort=id&order=desc',
    deep: `/task_queue?page=${deepPage}&limit=20`,
    filter: '/task_queue?page=1&limit=20&status=killed',
    get: `/task_queue/${middleId}`,
    create: '/task_queue',
  };
  const target = (kind: Work, address: string, more: Headers): Target =>
    kind === 'create'
      ? { url: address, method: 'POST', headers: more, body }
      : { url: address, method: 'GET', headers: more };
  return (kind: Work) => ({
    own: target(kind, `${url}${paths[kind]}`, headers),
    peer: target(kind, `${peerUrl}/${kind}`, { 'content-type': 'application/json' }),
  });
}

/** What is compared has to be the same work. Ids of new tasks are their own. */
async function compareAnswers(own: Target, peer: Target): Promise<void> {
  const [ours, its] = await Promise.all(
    [own, peer].map(async ({ url, ...request }) => {
      const answer = await fetch(url, request);
      const text = (await answer.text()).replace(/^\{"data":\{"id":\d+\}/, '');
      return `${answer.status} ${answer.headers.get('x-total-count')} ${text}`;
    }),
  );
  if (ours !== its) throw new Error(`the answers differ:\n${ours}\n${its}`);
}

interface Row {
  readonly work: Work;
  readonly own: Load;
  readonly peer: Load;
  /** Of the peer's requests per second. */
  readonly share: number;
}

const medianLoad = (loads: readonly Load[]): Load => ({
  requestsPerSecond: median(loads.map((one) => one.requestsPerSecond)),
  p99Ms: median(loads.map((one) => one.p99Ms)),
});

async function measure(): Promise<readonly Row[]> {
  const places = await prepare();
  const [server, peer] = [
    await backend(places.own),
    await start([
      join('bench', 'api', 'peer.ts'),
      places.peer,
      String(middleId),
      String((deepPage - 1) * 20),
    ]),
  ];
  try {
    const { url } = JSON.parse(server.line) as { url: string };
    const headers = await signIn(url);
    const targetOf = targets(url, peer.line, headers, await clientOf(url, headers));
    const rows: Row[] = [];
    for (const kind of works) {
      const target = targetOf(kind);
      const own: Load[] = [];
      const its: Load[] = [];
      await compareAnswers(target.own, target.peer);
      for (const one of [target.own, target.peer]) await load(one, { seconds: 1 });
      for (let run = 0; run < runs; run += 1) {
        own.push(await load(target.own, { seconds }));
        its.push(await load(target.peer, { seconds }));
        process.stderr.write(`${kind}, run ${run + 1} of ${runs}\n`);
      }
      const [a, b] = [medianLoad(own), medianLoad(its)];
      rows.push({ work: kind, own: a, peer: b, share: a.requestsPerSecond / b.requestsPerSecond });
    }
    return rows;
  } finally {
    await Promise.all([stop(server), stop(peer)]);
  }
}

function print(rows: readonly Row[]): void {
  if (values.json) {
    const about = { suite: 'api', runs, seconds, tasks, node: process.version };
    process.stdout.write(`${JSON.stringify({ ...about, rows }, null, 2)}\n`);
    return;
  }
  const figures = ({ requestsPerSecond, p99Ms }: Load): string =>
    `${requestsPerSecond.toFixed(0).padStart(6)} requests/s, p99 ${p99Ms.toFixed(0).padStart(3)} ms`;
  for (const row of rows) {
    const share = `${row.share.toFixed(2)} of it`;
    process.stdout.write(
      `${row.work.padEnd(6)}  ${figures(row.own)}  bare route ${figures(row.peer)}  ${share}\n`,
    );
  }
}

try {
  print(await measure());
} finally {
  rmSync(work, { recursive: true, force: true });
}
