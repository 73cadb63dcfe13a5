import { hostname } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, describe, expect, it } from 'vitest';
import { seed } from '../../../backend/features/first-start.ts';
import { createLog } from '../../../backend/platform/log.ts';
import type { ApiName } from '../../../contract/api.ts';
import { type Role, roles } from '../../../contract/permissions.ts';
import { startTestApp, type TestApp } from '../../support/backend.ts';
import { effort } from '../../support/effort.ts';
import { furnish } from '../../support/fuzz/furnish.ts';
import { type FuzzRequest, requestsOf } from '../../support/fuzz/requests.ts';
import { makeTempDir, memoryParent } from '../../support/temp-dir.ts';

const rounds = Number(process.env.FUZZ_ROUNDS ?? effort(8, 50));
const requestsInAll = rounds * 2_000;
const answerWithinMs = 20_000;
const firstSeed = Number(process.env.FUZZ_SEED ?? 20301);

/**
 * What a refused request may change all the same: who tried what, and how often; and what a look at the devices of this
 * host has found, which gets its numbers then.
 */
const notState: readonly string[] = [
  'audit',
  'events',
  'login_attempts',
  'sessions',
  'schema_version',
  'tape_devices',
];

interface Round {
  readonly app: TestApp;
  readonly tokens: readonly string[];
  readonly folder: string;
  readonly failures: readonly string[];
  close(): Promise<void>;
}

/** A server with some of everything. The queue does not run, so that nothing is backed up in earnest. */
async function openRound(): Promise<Round> {
  const folder = await makeTempDir('fuzz');
  const data = await makeTempDir('fuzz-data', memoryParent);
  const failures: string[] = [];
  const log = createLog({
    sinks: [(line) => line.includes('"level":"error"') && failures.push(line)],
    now: Date.now,
  });
  const app = await startTestApp({ log, dataDir: data.path });
  await seed(app.built.features);
  const sessions = [];
  for (const role of roles) sessions.push(await app.loginAs(role as Role));
  const [superuser] = sessions;
  if (superuser) await furnish(superuser, folder.path);
  await watchChanges(app);
  return {
    app,
    folder: folder.path,
    failures,
    tokens: sessions.map(({ accessToken }) => accessToken),
    close: async () => {
      await app.close();
      await data.remove();
      await folder.remove();
    },
  };
}

/** Counts each change of a row, by triggers of the database itself, so that no way of writing escapes it. */
async function watchChanges({ database: { db } }: TestApp): Promise<void> {
  await sql`create table fuzz_changes (total integer not null)`.execute(db);
  await sql`insert into fuzz_changes values (0)`.execute(db);
  const { rows } = await sql<{ name: string }>`select name from sqlite_schema
    where type = 'table' and name not like 'sqlite_%' and sql not like 'create virtual%'`.execute(db);
  for (const { name } of rows) {
    if (
      notState.includes(name) ||
      name.startsWith('fuzz_') ||
      /_(data|idx|docsize|config|content)$/.test(name)
    )
      continue;
    for (const change of ['insert', 'delete', 'update']) {
      // A failed login is noted with the user; that is no change of what the user is.
      const of =
        name === 'users' && change === 'update' ? 'update of user_name, password_hash, enabled' : change;
      await sql`create trigger ${sql.id(`fuzz_${name}_${change}`)} after ${sql.raw(of)} on ${sql.table(name)}
        begin update fuzz_changes set total = total + 1; end`.execute(db);
    }
  }
}

async function changesOf({ database: { db } }: TestApp): Promise<number> {
  const { rows } = await sql<{ total: number }>`select total from fuzz_changes`.execute(db);
  return rows[0]?.total ?? -1;
}

const known = (folder: string) => ({
  pool: ['Default', 'Fuzz', 'Spare', 'Free', 'Blocks', 'Tapes'],
  pool_name: ['Default', 'Fuzz', 'Blocks', 'Tapes'],
  pool_type: ['File system', 'Block device', 'Tape library', 'Cloud', 'Client defined'],
  meta_data_pool: ['Default'],
  media_server: [hostname()],
  group_id: ['No group', 'Group'],
  ls_pool: ['Default'],
  name: ['Fuzz', 'Group', 'Other', 'Nightly', 'Together'],
  strategy_id: ['Default', 'Monthly', 'Nightly'],
  resource_type: ['File system', 'PostgreSQL universal'],
  resourse_type: ['File system'],
  resource: [folder],
  path: [`${folder}/one`, `${folder}/two`],
  device: [`${folder}/device.img`, `${folder}/disk.img`],
  destination_path: [`${folder}/out`],
  storage_duration: ['1 week', '2 years'],
  retention_period: ['1 week'],
  crypto: ['nocrypt', 'aes-256-gcm', 'age'],
  backup_type: ['full'],
  priority: [100, 500],
  window_start: ['22:00:00', '00:00:00'],
  window_end: ['06:00:00'],
  user_name: ['maria', 'otto'],
  password: ['long enough'],
  auditor: ['maintainer', 'maria'],
  backup_database: ['strongroom'],
  backup_user: ['superuser', 'nobody'],
  address: ['127.0.0.1'],
  protocol: ['ldap', 'ldaps'],
  domain_type: ['MS_AD'],
  port: [1],
  full_schedule: ['0 0 * * 0', '*/5 * * * *'],
  time_zone: ['UTC', 'Europe/Paris'],
});

/** Nothing may leave this test: no path outside its folder is made, no other host is called. */
function tamer(folder: string): (name: ApiName, body: unknown) => unknown {
  const isOurs = (value: unknown): boolean =>
    typeof value !== 'string' || !value.startsWith('/') || value.startsWith(`${folder}/`);
  const tameIn = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(tameIn);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => {
        if (key === 'address') return [key, inner === '' || typeof inner !== 'string' ? inner : '127.0.0.1'];
        if (key === 'port')
          return [key, typeof inner === 'number' && inner > 1 && inner < 65_536 ? 1 : inner];
        return [key, isOurs(inner) ? tameIn(inner) : `${folder}/other`];
      }),
    );
  };
  return (_name, body) => tameIn(body);
}

const statuses = new Map<number, number>();
const reached = new Set<string>();

async function check(round: Round, request: FuzzRequest): Promise<void> {
  const before = await changesOf(round.app);
  const answer = await inTime(
    round.app.app.inject({
      method: request.method,
      url: `/api/v1${request.path}`,
      headers: { host: '127.0.0.1', ...request.headers },
      ...(request.body === null ? {} : { payload: request.body }),
    }),
    request,
  );
  const { statusCode, payload } = answer;
  statuses.set(statusCode, (statuses.get(statusCode) ?? 0) + 1);
  if (statusCode < 300) reached.add(request.name);
  expect(round.failures, shown(request)).toEqual([]);
  expect([200, 201, 204, 207, 400, 401, 403, 404, 422], shown(request)).toContain(statusCode);
  if (statusCode === 204) {
    expect(payload).toBe('');
    return;
  }
  // A path with `..` in it can be that of the interactive page.
  if (statusCode === 200 && answer.headers['content-type']?.toString().startsWith('text/html')) return;
  const envelope = answer.json() as Record<string, unknown>;
  expect(Object.keys(envelope).sort(), shown(request)).toEqual(['data', 'errors', 'is_error', 'message']);
  expect(envelope.is_error, shown(request)).toBe(statusCode === 207 ? true : statusCode >= 400);
  if (statusCode < 300) return;
  expect(envelope.data, shown(request)).toBeNull();
  // Neither a stack, nor a place in the program, nor the database's words.
  expect(payload, shown(request)).not.toMatch(
    /\.[tj]s:\d+|node_modules|\bSQLITE_|\bat [\w.<>]+ \(|UNIQUE constraint/,
  );
  // The first storage lies in the data directory, and its path is what everybody knows it by.
  const told = payload.replaceAll(join(round.app.dataDir, 'pools', 'default'), '');
  expect(told.includes(round.app.dataDir), shown(request)).toBe(false);
  expect(await changesOf(round.app), `changed by ${shown(request)} → ${statusCode}`).toBe(before);
}

async function inTime<T>(work: Promise<T>, request: FuzzRequest): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer in time: ${shown(request)}`)), answerWithinMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

function shown({ method, path, headers, body }: FuzzRequest): string {
  return `${method} ${path.slice(0, 300)} ${JSON.stringify(headers).slice(0, 200)} ${body?.toString('utf8', 0, 600) ?? ''}`;
}

describe(`${requestsInAll} requests made from the contract and broken (seed ${firstSeed}; FUZZ_SEED sets another)`, () => {
  afterAll(() => {
    const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
    process.stderr.write(
      `fuzz: ${[...statuses.values()].reduce((sum, count) => sum + count, 0)} requests, ${counts.join(', ')}; ${reached.size} endpoints accepted some\n`,
    );
  });

  for (let index = 0; index < rounds; index += 1) {
    it(`round ${index + 1} of ${rounds}: no 5xx, no hang, nothing changed by what is refused`, async () => {
      const round = await openRound();
      try {
        const requests = requestsOf(round.tokens, known(round.folder), tamer(round.folder));
        await fc.assert(
          fc.asyncProperty(requests, (request) => check(round, request)),
          {
            numRuns: requestsInAll / rounds,
            seed: firstSeed + index,
            // The state of the server has moved on: a smaller request would not fail for the same reason.
            endOnFailure: true,
          },
        );
      } finally {
        await round.close();
      }
    });
  }
});
