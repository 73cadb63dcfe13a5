import { chmod, lchown, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { signalMarked } from '../../../backend/platform/marked-processes.ts';
import { type RunningScript, runScript } from '../../../backend/platform/script-process.ts';
import { isAlive, makeScript, untilGone, untilWritten } from '../../support/real-scripts.ts';
import { makeTempDir } from '../../support/temp-dir.ts';

let folder: Awaited<ReturnType<typeof makeTempDir>>;
let lines: [string, string][];
beforeEach(async () => {
  folder = await makeTempDir('script');
  lines = [];
});
afterEach(() => folder.remove());

const run = (path: string, more: Partial<Parameters<typeof runScript>[0]> = {}): RunningScript =>
  runScript({
    path,
    env: {},
    timeoutMs: 30_000,
    graceMs: 200,
    onLine: (from, line) => lines.push([from, line]),
    ...more,
  });
const script = (...body: readonly string[]) => makeScript(folder.path, 'script', body);
const file = (name: string) => join(folder.path, name);
const pidIn = async (name: string) => Number(await untilWritten(file(name)));

describe('a script', { timeout: 60_000 }, () => {
  it('gets no arguments, a fixed environment and the root folder, and says how it ended', async () => {
    process.env.STRONGROOM_TEST_SECRET = 'must not be seen';
    const path = await script('echo "$# $PWD"', 'env | sort', 'echo oops >&2', 'exit 7');
    const env = { STRONGROOM_ONE: '$(id) `id` "two words"', STRONGROOM_NUL: 'a\0b' };
    expect(await run(path, { env }).ended).toEqual({ kind: 'exited', code: 7, omittedBytes: 0 });
    delete process.env.STRONGROOM_TEST_SECRET;
    const printed = lines.filter(([from]) => from === 'stdout').map(([, line]) => line);
    expect(printed).toEqual([
      '0 /',
      'LC_ALL=C.UTF-8',
      'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      'PWD=/',
      'STRONGROOM_NUL=a\ufffdb',
      'STRONGROOM_ONE=$(id) `id` "two words"',
      expect.stringMatching(/^STRONGROOM_RUN_ID=[0-9a-f-]{36}$/),
    ]);
    expect(lines.filter(([from]) => from === 'stderr')).toEqual([['stderr', 'oops']]);
  });

  it('that hangs is killed at its limit with all that it has forked, also what ignores SIGTERM', async () => {
    const path = await script(
      "trap '' TERM",
      `(trap '' TERM; echo "$$" > /dev/null; exec sleep 1000) & echo $! > ${file('child')}`,
      `echo $$ > ${file('own')}`,
      'sleep 1000',
      'sleep 1000',
    );
    const running = run(path, { timeoutMs: 300 });
    const [child, own] = [await pidIn('child'), await pidIn('own')];
    expect([await isAlive(child), await isAlive(own)]).toEqual([true, true]);
    expect((await running.ended).kind).toBe('timeout');
    await Promise.all([untilGone(child), untilGone(own)]);
  });

  it('that ends takes what it left running in its group with it', async () => {
    const path = await script(`sleep 1000 & echo $! > ${file('child')}`, 'echo done');
    expect(await run(path).ended).toMatchObject({ kind: 'exited', code: 0 });
    await untilGone(await pidIn('child'));
    expect(lines).toEqual([['stdout', 'done']]);
  });

  it('is not waited for when something outside of its group holds its output open', async () => {
    const path = await script(
      `setsid sh -c 'echo $$ > ${file('away')}; exec sleep 1000' &`,
      `until [ -s ${file('away')} ]; do :; done`,
    );
    expect(await run(path).ended).toMatchObject({ kind: 'exited', code: 0 });
    const away = await pidIn('away');
    expect(await isAlive(away)).toBe(true);
    process.kill(away, 'SIGKILL');
  });

  it('that is stopped takes along what it began in a session of its own, by a double fork too, and nothing of others', async () => {
    const leave = (name: string) => `sh -c 'echo $$ > ${file(name)}; exec sleep 1000'`;
    const path = await script(
      `echo $STRONGROOM_RUN_ID > ${file('mark')}`,
      `setsid ${leave('session')} &`,
      `(setsid sh -c "(${leave('twice').replaceAll('$$', '\\$\\$')} &)" &)`,
      // It does not hear of SIGTERM, and begins another one all the time.
      `setsid sh -c "trap '' TERM; echo \\$\\$ > ${file('stubborn')}; while :; do setsid sleep 1000 & sleep 0.01; done" &`,
      'wait',
    );
    const other = run(await makeScript(folder.path, 'other', [`echo $$ > ${file('other')}`, 'sleep 1000']));
    const running = run(path);
    const strays = await Promise.all(['session', 'twice', 'stubborn'].map(pidIn));
    expect(await Promise.all(strays.map(isAlive))).toEqual([true, true, true]);
    running.stop();
    expect((await running.ended).kind).toBe('stopped');
    await Promise.all(strays.map(untilGone));
    const mark = `STRONGROOM_RUN_ID=${(await untilWritten(file('mark'))).trim()}`;
    expect(await signalMarked(mark, 'SIGKILL')).toBe(0);
    expect(await isAlive(await pidIn('other'))).toBe(true);
    other.stop();
    await other.ended;
  });

  it('at its limit takes along what it began in a session of its own', async () => {
    const path = await script(`setsid sh -c 'echo $$ > ${file('away')}; exec sleep 1000' &`, 'sleep 1000');
    const running = run(path, { timeoutMs: 500 });
    const away = await pidIn('away');
    expect((await running.ended).kind).toBe('timeout');
    await untilGone(away);
  });

  it('that floods its output is read to its end, kept to the caps, and holds up nobody', async () => {
    const path = await script('head -c 3000000 /dev/zero | tr "\\0" "x"', 'echo', 'yes flood');
    let turns = 0;
    const ticker = setInterval(() => {
      turns += 1;
    }, 5);
    const end = await run(path, { timeoutMs: 1_000 }).ended;
    clearInterval(ticker);
    expect(end.kind).toBe('timeout');
    expect(end.omittedBytes).toBeGreaterThan(1_000_000);
    expect(lines.length).toBeLessThanOrEqual(200);
    expect(lines.every(([, line]) => line.length <= 1000)).toBe(true);
    expect(lines.reduce((sum, [, line]) => sum + line.length, 0)).toBeLessThanOrEqual(66_000);
    // Other work went on: far more than a flooded event loop would leave.
    expect(turns).toBeGreaterThan(20);
  });

  it('keeps no terminal colours and nothing that a database refuses', async () => {
    const path = await script(`printf '\\033[31mred\\000\\033[0m\\r\\n\\377\\n'`);
    await run(path).ended;
    expect(lines.map(([, line]) => line)).toEqual(['\ufffd[31mred\ufffd\ufffd[0m', '\ufffd']);
  });

  it('that is stopped ends with its group, paused or not, begun or not', async () => {
    const path = await script(`sleep 1000 & echo $! > ${file('child')}`, 'wait');
    const running = run(path);
    const child = await pidIn('child');
    running.pause();
    running.stop();
    expect((await running.ended).kind).toBe('stopped');
    await untilGone(child);
    const other = run(path);
    other.stop();
    expect((await other.ended).kind).toBe('stopped');
  });

  it('that kills itself says by which signal', async () => {
    expect(await run(await script('kill -9 $$')).ended).toMatchObject({
      kind: 'signalled',
      signal: 'SIGKILL',
    });
  });
});

describe('a script is not run, and the reason names it and the remedy, when it', () => {
  const refusal = async (path: string): Promise<string> => {
    const end = await run(path).ended;
    if (end.kind !== 'refused') throw new Error(JSON.stringify(end));
    expect(end.reason).toContain(path);
    return end.reason;
  };

  it('is missing, or lies below a file', async () => {
    expect(await refusal(file('nowhere'))).toContain('is not there');
    await writeFile(file('plain'), '');
    expect(await refusal(join(file('plain'), 'below'))).toContain('is not there');
  });

  it('is a folder, or is not executable', async () => {
    await mkdir(file('folder'));
    expect(await refusal(file('folder'))).toContain('is no file');
    await writeFile(file('plain'), '#!/bin/sh\n');
    expect(await refusal(file('plain'))).toContain('chmod 755');
  });

  it('has no first line that names an interpreter, or one that is not there', async () => {
    await writeFile(file('bare'), 'echo hello\n', { mode: 0o755 });
    expect(await refusal(file('bare'))).toContain('#!/bin/sh');
    await writeFile(file('lost'), '#!/nowhere/interpreter\n', { mode: 0o755 });
    expect(await refusal(file('lost'))).toContain('interpreter');
  });

  it('can be changed by others, or lies in a folder that can', async () => {
    const path = await script('echo hello');
    await chmod(path, 0o777);
    expect(await refusal(path)).toContain('chmod go-w');
    await mkdir(file('open'));
    const inside = await makeScript(file('open'), 'inside', ['echo hello']);
    await chmod(file('open'), 0o777);
    const end = await run(inside).ended;
    expect(end).toMatchObject({ kind: 'refused' });
    expect(JSON.stringify(end)).toContain(`${file('open')} can be changed by other users`);
    expect(lines).toEqual([]);
  });

  it('can be changed by others, though it is sticky', async () => {
    const path = await script('echo hello');
    await chmod(path, 0o1777);
    expect(await refusal(path)).toContain('chmod go-w');
  });

  it('is a link into a folder that others can change, or a link leads through one', async () => {
    await Promise.all(['good', 'open'].map((name) => mkdir(file(name))));
    const target = await makeScript(file('open'), 'target', ['echo hello']);
    const good = await makeScript(file('good'), 'program', ['echo hello']);
    await symlink(target, file('absolute'));
    await symlink('open/../open/target', file('relative'));
    await symlink('open', file('folder'));
    // The program itself lies well, but whoever can change this link says which program it is.
    await symlink(good, join(file('open'), 'onward'));
    await symlink('open/onward', file('through'));
    await chmod(file('open'), 0o777);
    const paths = [file('absolute'), file('relative'), join(file('folder'), 'target'), file('through')];
    for (const path of paths) {
      expect(await refusal(path)).toContain(`${file('open')} can be changed by other users`);
    }
    expect(lines).toEqual([]);
  });

  it('is a link of somebody else', async ({ skip }) => {
    if (process.getuid?.() !== 0) skip('only root can give a link to somebody else');
    await symlink(await script('echo hello'), file('link'));
    await lchown(file('link'), 65_534, 65_534);
    expect(await refusal(file('link'))).toContain('belongs to another user');
  });
});

it('a script is run by a link when all that leads to it is safe', async () => {
  await mkdir(file('folder'));
  await makeScript(file('folder'), 'program', ['echo hello']);
  await symlink('folder', file('way'));
  await symlink('./way/../folder//program', file('link'));
  expect(await run(file('link')).ended).toMatchObject({ kind: 'exited', code: 0 });
  expect(lines).toEqual([['stdout', 'hello']]);
});
