import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createLog, maxLineBytes } from '../../../backend/platform/log.ts';
import { openLogFiles } from '../../../backend/platform/log-files.ts';
import { makeTempDir } from '../../support/temp-dir.ts';

const cleanUps: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

function recorded() {
  const lines: string[] = [];
  return { lines, log: createLog({ sinks: [(line) => lines.push(line)], now: () => 0 }) };
}

describe('a log line', () => {
  it('is one JSON object with time, level, message and facts', () => {
    const { lines, log } = recorded();
    log.with({ room: 'test' }).warn('something', { count: 2, big: 3n, list: [1, { deep: true }] });
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      {
        time: '1970-01-01T00:00:00.000Z',
        level: 'warn',
        message: 'something',
        room: 'test',
        count: 2,
        big: '3',
        list: [1, { deep: true }],
      },
    ]);
  });

  it('cannot be forged by line ends, escape sequences or direction marks', () => {
    const { lines, log } = recorded();
    log.info('name', {
      name: 'a\r\n{"level":"error"}\u001b[2J\u202e\u2028\u0085\u0000',
      level: 'x',
      time: 'y',
    });
    expect(lines).toHaveLength(1);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    expect(lines[0]).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/);
    expect(JSON.parse(String(lines[0]))).toMatchObject({ level: 'info', message: 'name' });
  });

  it('never exceeds 8 KiB, whatever the facts are', () => {
    const { lines, log } = recorded();
    const huge = 'ä'.repeat(5_000_000);
    log.info(huge, {
      huge,
      many: Object.fromEntries(Array.from({ length: 10_000 }, (_, key) => [key, huge])),
    });
    log.error('failed', { error: new Error(huge, { cause: new Error(huge) }) });
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    log.info('circular', circular);
    expect(lines).toHaveLength(3);
    for (const line of lines) {
      expect(Buffer.byteLength(line)).toBeLessThanOrEqual(maxLineBytes);
      expect(() => JSON.parse(line)).not.toThrow();
    }
  });

  it('never holds a secret, whether its name or its looks give it away', () => {
    const { lines, log } = recorded();
    const canary = 'canary-7f3a';
    const jwt = `eyJhbGciOiJIUzI1NiJ9.${canary}.${canary}`;
    log.info(`call with Bearer ${canary} to postgres://user:${canary}@host/db`, {
      password: canary,
      refresh_token: canary,
      csrfToken: canary,
      headers: { cookie: canary, Authorization: canary, 'x-csrf-token': canary },
      deep: [{ initialPassword: canary, client_secret: { a: canary } }],
      text: `token ${jwt}.`,
      error: new Error(`GET https://u:${canary}@host/ with Bearer ${canary}`),
    });
    expect(lines.join('')).not.toContain(canary);
    expect(lines.join('')).toContain('[removed]');
  });
});

describe('the log files', () => {
  it('rotate, stay under their total size and keep the newest lines (case 19)', async () => {
    const folder = await makeTempDir('log');
    cleanUps.push(folder.remove);
    const files = openLogFiles(join(folder.path, 'log'), { fileBytes: 10_000, oldFiles: 3 });
    for (let number = 0; number < 5_000; number += 1)
      files.sink(JSON.stringify({ number, text: 'x'.repeat(50) }));
    files.close();
    const names = (await readdir(join(folder.path, 'log'))).sort();
    expect(names).toEqual(['backend.1.log', 'backend.2.log', 'backend.3.log', 'backend.log']);
    const texts = await Promise.all(names.map((name) => readFile(join(folder.path, 'log', name), 'utf8')));
    for (const text of texts) expect(text.length).toBeLessThanOrEqual(10_000);
    const numbers = [3, 2, 1]
      .map((age) => texts[age - 1] ?? '')
      .concat(texts[3] ?? '')
      .flatMap((text) => text.trimEnd().split('\n'))
      .map((line) => (JSON.parse(line) as { number: number }).number);
    expect(numbers).toEqual(
      Array.from({ length: numbers.length }, (_, index) => 5_000 - numbers.length + index),
    );
  });

  it('go on where an earlier run stopped, and are for the owner only', async () => {
    const folder = await makeTempDir('log');
    cleanUps.push(folder.remove);
    for (const number of [1, 2]) {
      const files = openLogFiles(folder.path);
      files.sink(`{"number":${number}}`);
      files.close();
    }
    const path = join(folder.path, 'backend.log');
    expect(await readFile(path, 'utf8')).toBe('{"number":1}\n{"number":2}\n');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('go on after a time in which nothing could be written, and tell how many lines were lost', async () => {
    const folder = await makeTempDir('log');
    cleanUps.push(folder.remove);
    const path = join(folder.path, 'log');
    const files = openLogFiles(path, { fileBytes: 60, oldFiles: 1 });
    files.sink('{"n":1,"x":"fill the file so that the next line rotates"}');
    await rm(path, { recursive: true });
    await writeFile(path, 'a file where the folder was');
    files.sink('{"n":2}');
    files.sink('{"n":3}');
    await rm(path);
    files.sink('{"n":4}');
    files.close();
    const text = `${await readFile(join(path, 'backend.1.log'), 'utf8').catch(() => '')}${await readFile(join(path, 'backend.log'), 'utf8')}`;
    expect(text).toContain('"count":2');
    expect(text).toContain('{"n":4}');
  });
});
