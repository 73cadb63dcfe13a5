import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ApiName } from '../../../contract/api.ts';
import type { WireExchange } from '../../../main/api/transport.ts';
import { ProblemError, problemOf } from '../../../main/platform/problem-error.ts';
import { createSignal } from '../../../main/platform/signals.ts';
import { createExchangeRecorder } from '../../../main/support/exchange-recorder.ts';
import { redactExchange } from '../../../main/support/redact-exchange.ts';
import { createSupport } from '../../../main/support/support.ts';
import { task } from '../../renderer/features/rows.ts';
import { connection } from '../../renderer/support/fake-bridge.ts';

const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZG1pbiJ9.c2lnbmF0dXJl';
const liveToken = 'an-opaque-token-of-this-session';
const madeMs = Date.UTC(2030, 0, 15, 12);
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'strongroom-support-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

type Answer = (input: unknown) => unknown;

async function open(answers: Readonly<Partial<Record<ApiName, Answer>>> = {}, logText = '') {
  const path = join(folder, 'bundle.json');
  const logPath = join(folder, 'app.log');
  await writeFile(logPath, logText);
  const wire = createSignal<{ readonly connectionId: string; readonly exchange: WireExchange }>();
  const support = createSupport({
    connections: {
      list: () => [connection()],
      onList: createSignal<readonly ReturnType<typeof connection>[]>().listen,
      call: async (_id, name, input) => answers[name]?.(input) ?? null,
      onExchange: wire.listen,
      scrub: (_id, text) => text.replaceAll(liveToken, '[secret]'),
    },
    about: () => ({ version: '1.2.3' }),
    logPath,
    pickSaveName: async () => path,
    now: () => madeMs,
  });
  return { support, path, tellWire: wire.tell };
}

const failureOf = async (work: Promise<unknown>) =>
  problemOf(
    await work.then(
      () => null,
      (error: unknown) => error,
    ),
  );
const list =
  (rows: readonly unknown[], total = rows.length) =>
  () => ({ items: rows, total });
const tasks = [task(1, { status: 'done' }), task(2, { status: 'error' }), task(3, { status: 'done' })];
const newest = { query: { page: 1, limit: 200, sort: 'id', order: 'desc' } };

describe('a support bundle', () => {
  it('holds no password, token, cookie or session, in whatever way they went (case 19)', async () => {
    const canary = 'canary-Passwort-9';
    const { support, path } = await open(
      {
        'users.create': () => ({ id: 5 }),
        'clients.createJoinToken': () => ({ token: `${canary}-join`, expires: '2030-01-15T13:00:00' }),
        'taskQueue.list': list([
          task(1, {
            error_message: `login failed: password=${canary} for admin; Authorization: Bearer ${jwt}`,
            module_extensions: [{ name: 'smb_password', value: canary }] as never,
          }),
        ]),
        'tasks.clientLog': list([
          {
            id: 1,
            time: '',
            level: 'error',
            source: 'x',
            message: `curl https://me:${canary}@host/ --token '${canary}'`,
          },
          { id: 2, time: '', level: 'error', source: 'x', message: `session ${liveToken} ended` },
          {
            id: 3,
            time: '',
            level: 'error',
            source: 'x',
            message: `-----BEGIN RSA PRIVATE KEY-----\n${canary}\n-----END RSA PRIVATE KEY-----`,
          },
        ]),
        'auth.permissions': () => {
          throw new ProblemError({
            kind: 'refused',
            message: `Set-Cookie: access_token_cookie=${canary}; refused`,
            facts: { cookie: canary },
          });
        },
      },
      `${JSON.stringify({ message: `token=${canary}`, password: canary })}\n`,
    );
    const call = (name: ApiName, input?: unknown) =>
      support.call('prague', name, input).catch(() => undefined);
    await call('users.create', { body: { user_name: 'eve', password: canary, role: ['auditor'] } });
    await call('clients.createJoinToken');
    await call('taskQueue.list', newest);
    await call('tasks.clientLog', { params: { id: 1 } });
    await call('auth.permissions');
    expect(await support.save('prague')).toEqual({ path, exchanges: 5 });
    const text = await readFile(path, 'utf8');
    for (const secret of [canary, jwt, 'eyJ', liveToken]) expect(text).not.toContain(secret);
    // What is no secret is still there to be read.
    for (const fact of ['eve', 'login failed', 'smb_password', 'refused', '1.2.3'])
      expect(text).toContain(fact);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('tells of sign-in, look and event stream by status and headers, without the secrets in them', async () => {
    const { support, path, tellWire } = await open();
    const canary = 'canary-Passwort-9';
    const exchange = {
      ...{ at: madeMs, ms: 12, method: 'POST', path: '/api/v1/login', problem: null },
      sent: {
        accept: 'application/json',
        authorization: `Bearer ${jwt}`,
        'x-csrf-token': canary,
        cookie: canary,
      },
      status: 503,
      received: { 'set-cookie': `access_token_cookie=${canary}`, 'retry-after': '12', server: 'proxy/1' },
    };
    tellWire({ connectionId: 'prague', exchange });
    for (let at = 0; at < 500; at += 1)
      tellWire({ connectionId: 'brno', exchange: { ...exchange, path: `/api/v1/events?token=${canary}` } });
    tellWire({
      connectionId: 'prague',
      exchange: {
        ...exchange,
        method: 'GET',
        path: '/api/v1/events',
        status: null,
        received: {},
        problem: 'ECONNRESET',
      },
    });
    await support.save('prague');
    const text = await readFile(path, 'utf8');
    for (const secret of [canary, jwt, 'brno']) expect(text).not.toContain(secret);
    expect(JSON.parse(text).wire).toMatchObject([
      { path: '/api/v1/login', status: 503, received: { 'retry-after': '12', 'set-cookie': '[secret]' } },
      { path: '/api/v1/events', status: null, problem: 'ECONNRESET' },
    ]);
    expect((await support.open(path)).kind).toBe('recorded');
  });

  it('takes the place of a file as a whole, and only its owner reads it', async () => {
    const { support, path } = await open();
    await writeFile(path, 'an earlier one, which all may read');
    await chmod(path, 0o644);
    await support.save('prague');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['app.log', 'bundle.json']);
    expect(JSON.parse(await readFile(path, 'utf8')).format).toBe('strongroom-support');
  });

  it('opens as a server that answers what it was asked, in any order of a list that is whole', async () => {
    const { support, path } = await open({
      'taskQueue.list': (input) => {
        const { status } = (input as { readonly query: { readonly status?: string } }).query;
        return list(status === 'error' ? [tasks[1]] : [tasks[2], tasks[1], tasks[0]])();
      },
      'taskQueue.get': () => tasks[1],
    });
    await support.call('prague', 'taskQueue.list', newest);
    await support.call('prague', 'taskQueue.list', { query: { status: 'error', page: 1, limit: 1 } });
    await support.call('prague', 'taskQueue.get', { params: { id: 2 } });
    await support.save('prague');
    const opened = await support.open(path);
    expect(opened).toMatchObject({
      name: 'Prague',
      kind: 'recorded',
      state: { phase: 'connected', live: false, since: madeMs },
    });
    expect(opened.state.permissions).toEqual(['task_queue.read', 'repository.read', 'pools.read']);
    expect(support.list()).toEqual([opened]);
    const ask = (name: ApiName, input: unknown) => support.call(opened.id, name, input);
    // The same question with its parts in another order.
    expect(
      await ask('taskQueue.list', { query: { order: 'desc', sort: 'id', limit: 200, page: 1 } }),
    ).toMatchObject({ items: [{ id: 3 }, { id: 2 }, { id: 1 }], total: 3 });
    expect(
      await ask('taskQueue.list', { query: { sort: 'id', order: 'asc', page: 2, limit: 2 } }),
    ).toMatchObject({
      items: [{ id: 3 }],
      total: 3,
    });
    expect(await ask('taskQueue.list', { query: { status: 'error', page: 1, limit: 50 } })).toMatchObject({
      items: [{ id: 2 }],
    });
    expect(await ask('taskQueue.get', { params: { id: 2 } })).toMatchObject({ id: 2, status: 'error' });
    support.close(opened.id);
    expect(support.list()).toEqual([]);
  });

  it('says so of what was not recorded, repeats what was refused, and changes nothing', async () => {
    const { support, path } = await open({
      'taskQueue.list': list(tasks.slice(0, 2), 900),
      'pools.list': () => {
        throw new ProblemError({ kind: 'refused', message: 'The catalogue is locked.', status: 500 });
      },
    });
    await support.call('prague', 'taskQueue.list', newest);
    await support.call('prague', 'pools.list', { query: { page: 1 } }).catch(() => undefined);
    await support.save('prague');
    const { id } = await support.open(path);
    const ask = (name: ApiName, input: unknown) => failureOf(support.call(id, name, input));
    expect(await ask('taskQueue.get', { params: { id: 7 } })).toMatchObject({
      kind: 'refused',
      code: 'notRecorded',
    });
    // Of a list that is not known as a whole no other page is made up.
    expect(
      await ask('taskQueue.list', { query: { page: 2, limit: 200, sort: 'id', order: 'desc' } }),
    ).toMatchObject({
      code: 'notRecorded',
    });
    expect(await ask('pools.list', { query: { page: 1 } })).toMatchObject({
      message: 'The catalogue is locked.',
    });
    expect(await ask('taskQueue.deleteMany', { body: { ids: [1] } })).toMatchObject({ code: 'readOnly' });
  });

  it.each([
    ['no JSON', '{', 'not valid JSON'],
    ['another JSON', '{"format":"strongroom-connections","version":1}', 'no support bundle'],
    ['a later version', '{"format":"strongroom-support","version":2}', 'newer version'],
    ['a damaged one', '{"format":"strongroom-support","version":1,"made":"x"}', 'damaged (made'],
  ])('%s is refused with its reason', async (_name, text, reason) => {
    const { support, path } = await open();
    await writeFile(path, text);
    expect(await failureOf(support.open(path))).toMatchObject({
      code: 'foreign',
      message: expect.stringContaining(reason),
      errors: { path: expect.any(String) },
    });
    expect(support.list()).toEqual([]);
  });

  it('answers of a forged file that are none of the kind reach no screen', async () => {
    const { support, path } = await open({ 'taskQueue.list': list(tasks) });
    await support.call('prague', 'taskQueue.list', newest);
    await support.save('prague');
    const bundle = JSON.parse(await readFile(path, 'utf8'));
    bundle.exchanges[0].outcome.value = { items: 'x', total: 1 };
    await writeFile(path, JSON.stringify(bundle));
    const { id } = await support.open(path);
    expect(await failureOf(support.call(id, 'taskQueue.list', newest))).toMatchObject({ kind: 'badAnswer' });
  });
});

describe('the memory of exchanges', () => {
  const recorded = async (
    count: number,
    answerOf: (at: number) => unknown,
    inputOf = (at: number): unknown => ({ at }),
  ) => {
    const recorder = createExchangeRecorder(() => madeMs);
    let at = 0;
    const call = recorder.watch(async () => answerOf(at));
    for (; at < count; at++) await call('prague', 'pools.list', inputOf(at));
    return recorder;
  };

  it('is bounded in number and size, the oldest go first', async () => {
    const many = (await recorded(1_000, (at) => ({ at }))).of('prague');
    expect(many).toHaveLength(400);
    expect(many.at(-1)?.input).toEqual({ at: 999 });
    const large = await recorded(60, (at) => Array.from({ length: 100 }, () => `${at} ${'x'.repeat(3_000)}`));
    expect(JSON.stringify(large.of('prague')).length).toBeLessThan(9 * 1024 * 1024);
    expect(large.of('prague').at(-1)?.input).toEqual({ at: 59 });
  });

  it('keeps of one question only the newest answer, and of a huge answer only that there was one', async () => {
    const same = (
      await recorded(
        3,
        (at) => ({ at }),
        () => ({ query: {} }),
      )
    ).of('prague');
    expect(same.map(({ outcome }) => outcome.kind)).toEqual(['later', 'later', 'answer']);
    const huge = (await recorded(1, () => Array.from({ length: 900 }, () => 'x'.repeat(3_000)))).of('prague');
    expect(huge).toMatchObject([{ outcome: { kind: 'tooLarge' }, input: null }]);
  });

  it('gives back the very value and error of the call, and takes no note of what was given up', async () => {
    const recorder = createExchangeRecorder();
    const value = { password: 'x' };
    expect(await recorder.watch(async () => value)('a', 'pools.list', null)).toBe(value);
    const gone = new ProblemError({ kind: 'cancelled', message: 'given up' });
    const failing = recorder.watch(async () => {
      throw gone;
    });
    await expect(failing('b', 'pools.list', null)).rejects.toBe(gone);
    expect(recorder.of('b')).toEqual([]);
    recorder.forget(['b']);
    expect(recorder.of('a')).toEqual([]);
  });

  it('looks at an answer only once it is on its way, and then by itself', async () => {
    let looks = 0;
    const value = Object.defineProperty({ id: 1 }, 'name', {
      enumerable: true,
      get: () => {
        looks += 1;
        return 'Default';
      },
    });
    const recorder = createExchangeRecorder();
    await recorder.watch(async () => value)('a', 'pools.list', null);
    expect(looks).toBe(0);
    await new Promise((resolve) => setImmediate(resolve));
    expect(looks).toBeGreaterThan(0);
    expect(recorder.of('a')).toMatchObject([{ outcome: { kind: 'answer', value: { id: 1 } } }]);
  });

  it('keeps the order of exchanges however many wait to be kept', async () => {
    const recorder = createExchangeRecorder();
    const rows = Array.from({ length: 1_000 }, (_, id) => ({
      id,
      text: 'the token bucket is full '.repeat(10),
    }));
    const call = recorder.watch(async () => rows);
    for (let at = 0; at < 20; at += 1) await call('a', 'pools.list', { at });
    await new Promise((resolve) => setImmediate(resolve));
    await call('a', 'pools.list', { at: 20 });
    expect(recorder.of('a').map(({ input }) => input)).toEqual(
      Array.from({ length: 21 }, (_, at) => ({ at })),
    );
  });
});

describe('what is blotted out', () => {
  it('leaves what holds no secret uncopied, and what is given untouched', () => {
    const plain = [{ id: 1, name: 'x', parts: [{ note: null }] }];
    expect(redactExchange(plain)).toBe(plain);
    const given = [{ id: 1, inner: { password: 'x' } }, plain];
    expect(redactExchange(given)).toEqual([{ id: 1, inner: { password: '[secret]' } }, plain]);
    expect(given[0]).toEqual({ id: 1, inner: { password: 'x' } });
  });

  it.each([
    [
      { password: 'x', user: 'y' },
      { password: '[secret]', user: 'y' },
    ],
    [
      { smtp_passwd: 'x', api_key: 'x', pin: 1234 },
      { smtp_passwd: '[secret]', api_key: '[secret]', pin: '[secret]' },
    ],
    [
      { password: null, has_password: true, token: '' },
      { password: null, has_password: true, token: '' },
    ],
    [
      { password_min_length: 8, token_ids: [1] },
      { password_min_length: 8, token_ids: '[secret]' },
    ],
    [[{ name: 'Password', value: 'x' }], [{ name: 'Password', value: '[secret]' }]],
    [
      { name: 'port', value: 'x' },
      { name: 'port', value: 'x' },
    ],
    ['--password=hunter2 --port=1', '--password=[secret] --port=1'],
    ['--auth-token "a b" -x 1', '--auth-token [secret] -x 1'],
    ['{"refresh_token": "abc def"}', '{"refresh_token": [secret]}'],
    ['the token bucket is full', 'the token bucket is full'],
  ])('%j', (given, expected) => {
    expect(redactExchange(given)).toEqual(expected);
  });

  it.each(['token-', 'password ', '--token', 'eyJ-', 'a-', '//a:', '"', '-----BEGIN PRIVATE KEY-----'])(
    'a text made of %j keeps nobody busy',
    (part) => {
      const hostile = Array.from({ length: 50 }, () => part.repeat(4_000 / part.length));
      const began = performance.now();
      redactExchange(hostile);
      expect(performance.now() - began).toBeLessThan(5_000);
    },
  );
});
