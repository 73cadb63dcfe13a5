import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commands, eventChannel, invokeChannel } from '../../../contract/bridge.ts';
import { type CommandHandlers, createDispatch, type Sender } from '../../../main/bridge/dispatch.ts';
import { createRunningCalls } from '../../../main/bridge/running-calls.ts';
import { weighsAtMost } from '../../../main/bridge/weight.ts';
import { ProblemError } from '../../../main/platform/problem-error.ts';

const own: Sender = { isMainFrame: true, origin: 'app://bundle' };

function open(handlers: Partial<CommandHandlers> = {}) {
  const asked: unknown[] = [];
  const errors: unknown[] = [];
  const all = Object.fromEntries(
    Object.keys(commands).map((name) => [
      name,
      (input: unknown) => {
        asked.push(input);
        return null;
      },
    ]),
  ) as unknown as CommandHandlers;
  const log = {
    info: () => undefined,
    warn: () => undefined,
    error: (...told: unknown[]) => errors.push(told),
    flush: async () => undefined,
  };
  return { asked, errors, dispatch: createDispatch({ ...all, ...handlers }, log) };
}

describe('a message of the window', () => {
  it.each([
    ['a frame inside the page', { isMainFrame: false, origin: 'app://bundle' }],
    ['another origin', { isMainFrame: true, origin: 'https://evil.example' }],
    ['an origin that begins alike', { isMainFrame: true, origin: 'app://bundle.evil' }],
    ['a frame that is gone', null],
  ])('is refused when it comes from %s (case 24)', async (_name, sender) => {
    const { dispatch, asked } = open();
    expect(await dispatch(sender, 'clipboard.write', { text: 'x' })).toMatchObject({
      ok: false,
      problem: { code: 'sender' },
    });
    expect(asked).toEqual([]);
  });

  it.each([
    'nothing',
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    '',
    7,
    null,
    ['api.call'],
    {},
  ])('is refused when it asks for %j (case 24)', async (name) => {
    const { dispatch, asked } = open();
    expect(await dispatch(own, name, {})).toMatchObject({ ok: false, problem: { code: 'unknownCommand' } });
    expect(asked).toEqual([]);
  });

  it('is refused by field when its input has another form (case 24)', async () => {
    const { dispatch, asked } = open();
    const outcome = await dispatch(own, 'connections.add', { address: '', remember: 'yes', extra: 1 });
    expect(outcome).toMatchObject({ ok: false, problem: { kind: 'refused', code: 'input' } });
    if (!outcome.ok)
      expect(Object.keys(outcome.problem.errors ?? {})).toEqual(
        expect.arrayContaining(['address', 'remember', 'password']),
      );
    expect(asked).toEqual([]);
  });

  it('is refused when it weighs too much (case 24)', async () => {
    const { dispatch, asked } = open();
    const text = 'x'.repeat(3 * 1024 * 1024);
    expect(await dispatch(own, 'clipboard.write', { text })).toMatchObject({ problem: { code: 'tooLarge' } });
    expect(asked).toEqual([]);
  });

  it('gets the parsed input, and its answer holds only what the contract names', async () => {
    const { dispatch } = open({
      'app.info': () => ({ version: '1', accessToken: 'canary' }) as never,
      'localBackend.logTail': () => ['a', 7] as never,
      'keychain.retry': () => 'ok' as never,
    });
    const info = await dispatch(own, 'app.info', undefined);
    expect(JSON.stringify(info)).not.toContain('canary');
    expect(info).toMatchObject({ ok: false, problem: { kind: 'bug' } });
    expect(await dispatch(own, 'keychain.retry', null)).toEqual({ ok: true, value: 'ok' });
  });

  it('hears of a failure as data: a problem as it is, anything else without its inside', async () => {
    const { dispatch, errors } = open({
      'connections.retry': () => {
        throw new ProblemError({ kind: 'unreachable', message: 'Away.', code: 'x' });
      },
      'localBackend.stop': () => {
        throw new Error('ENOENT /secret/path');
      },
    });
    expect(await dispatch(own, 'connections.retry', { connectionId: 'a' })).toEqual({
      ok: false,
      problem: { kind: 'unreachable', message: 'Away.', code: 'x' },
    });
    const bug = await dispatch(own, 'localBackend.stop', undefined);
    expect(JSON.stringify(bug)).not.toContain('/secret/path');
    expect(errors).toHaveLength(1);
  });
});

describe('the preload', () => {
  it('knows exactly the two channels of the contract (case 24)', async () => {
    const text = await readFile(join(import.meta.dirname, '../../../preload/index.ts'), 'utf8');
    const channels = [...text.matchAll(/'(bridge:[a-z]+)'/g)].map(([, channel]) => channel);
    expect(channels).toEqual([invokeChannel, eventChannel]);
    expect(text.match(/exposeInMainWorld/g)).toHaveLength(1);
  });
});

describe('the weight of a value', () => {
  it('is counted whatever the value is made of', () => {
    const loop: Record<string, unknown> = {};
    loop.self = loop;
    expect(weighsAtMost(loop, 1_000)).toBe(true);
    expect(weighsAtMost('ü'.repeat(600), 1_000)).toBe(false);
    expect(weighsAtMost(new Uint8Array(2_000), 1_000)).toBe(false);
    expect(weighsAtMost(Array(1_000).fill(0), 1_000)).toBe(false);
    expect(weighsAtMost({ ['k'.repeat(2_000)]: 1 }, 1_000)).toBe(false);
    expect(weighsAtMost({ a: [1, 'two', null, undefined, true] }, 1_000)).toBe(true);
  });
});

describe('running calls', () => {
  it('are cancelled by their id, all when the page is loaded anew, and forgotten when over', async () => {
    const calls = createRunningCalls();
    const hang = (signal: AbortSignal) =>
      new Promise<string>((resolve) => signal.addEventListener('abort', () => resolve('cancelled')));
    const [one, two] = [calls.run('1', hang), calls.run('2', hang)];
    calls.cancel('unknown');
    calls.cancel('1');
    expect(await one).toBe('cancelled');
    await expect(calls.run('2', hang)).rejects.toThrow(/running already/);
    calls.cancelAll();
    expect(await two).toBe('cancelled');
    expect(calls.count()).toBe(0);
  });
});
