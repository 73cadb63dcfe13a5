import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { backendProgram } from '../../support/backend.ts';
import { makeTempDir } from '../../support/temp-dir.ts';

const launchSecret = 'launch-canary-0123456789-0123456789-0123456';
let folder: Awaited<ReturnType<typeof makeTempDir>>;
let child: ChildProcess;
let output = '';

beforeEach(async () => {
  folder = await makeTempDir('launch');
  output = '';
  // As the desktop app starts it: options and secret come as a message, the answer too.
  child = fork(backendProgram, [], {
    execArgv: ['--import', new URL('parent-port.mjs', import.meta.url).href],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
});
afterEach(async () => {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  await folder.remove();
});

interface Started {
  readonly event: string;
  readonly url: string;
  readonly superuser: string;
  readonly reason: string;
  readonly exitCode: number;
}

async function start(message: unknown): Promise<Started> {
  child.send(message as object);
  const [answer] = (await once(child, 'message')) as [Started];
  return answer;
}
const exitOf = async () => (await once(child, 'exit'))[0] as number | null;

describe('a backend that the desktop app starts', () => {
  it('takes its options from a message, says where it listens, and lets the app in by its secret', async () => {
    const ready = await start({ options: { dataDir: folder.path, port: 0 }, launchSecret });
    expect(ready).toEqual({
      event: 'ready',
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/api\/v1$/),
      pid: child.pid,
      version: expect.any(String),
      superuser: 'admin',
    });
    const login = (password: string) =>
      fetch(`${ready.url}/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ backup_database: 'strongroom', backup_user: ready.superuser, password }),
      });
    expect((await login('something else')).status).toBe(401);
    expect((await login(launchSecret)).status).toBe(200);
    child.send({ event: 'stop' });
    expect(await exitOf()).toBe(0);
    expect(output).not.toContain(launchSecret);
    expect(output).not.toContain('"event":"ready"');
  });

  it('ends by itself when the app is gone (case 2)', async () => {
    await start({ options: { 'data-dir': folder.path, port: '0' }, launchSecret });
    child.disconnect();
    expect(await exitOf()).toBe(0);
  });

  it('tells why it cannot start, with the exit code', async () => {
    const file = join(folder.path, 'file');
    await writeFile(file, '');
    const failed = await start({ options: { dataDir: file }, launchSecret });
    expect(failed).toEqual({
      event: 'failed',
      reason: expect.stringContaining('not a directory'),
      exitCode: 4,
    });
    expect(await exitOf()).toBe(4);
  });

  it.each([
    [{ options: { dataDir: '/x', sport: 1 } }, 'sport'],
    [{ options: { port: 0 } }, '--data-dir'],
    [{ options: { dataDir: '/x' }, launchSecret: 'too short' }, 'start message'],
    ['nonsense', 'start message'],
  ])('refuses the message %j', async (message, named) => {
    expect(await start(message)).toEqual({
      event: 'failed',
      reason: expect.stringContaining(named),
      exitCode: 2,
    });
    expect(await exitOf()).toBe(2);
  });
});
