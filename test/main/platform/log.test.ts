import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLog } from '../../../main/platform/log.ts';
import { redact } from '../../../main/platform/redact.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'strongroom-log-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('the log of the app', () => {
  it('is turned over and never grows beyond its cap (case 19)', async () => {
    const log = createLog({ path: join(folder, 'log', 'app.log'), mostBytes: 10_000, keep: 2 });
    for (let index = 0; index < 2_000; index++) {
      log.info('x'.repeat(100), { index });
      if (index % 100 === 99) await log.flush();
    }
    await log.flush();
    const names = await readdir(join(folder, 'log'));
    expect(names.sort()).toEqual(['app.log', 'app.log.1', 'app.log.2']);
    const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, 'log', name))).size));
    for (const size of sizes) expect(size).toBeLessThan(30_000);
    const last = (await readFile(join(folder, 'log', 'app.log'), 'utf8')).trim().split('\n').at(-1);
    expect(JSON.parse(last ?? '{}')).toMatchObject({ level: 'info', index: 1_999 });
  });

  it('is one line for one message, whatever stands in it, and loses no count of what it drops', async () => {
    const log = createLog({ path: join(folder, 'app.log') });
    for (let index = 0; index < 1_500; index++) log.warn('a\nb\u0000', { error: new Error('c\nd') });
    await log.flush();
    log.info('after');
    await log.flush();
    const lines = (await readFile(join(folder, 'app.log'), 'utf8')).trim().split('\n');
    for (const line of lines) JSON.parse(line);
    expect(lines.length).toBeGreaterThanOrEqual(1_001);
    expect(lines.some((line) => line.includes('lines were dropped'))).toBe(true);
  });

  it('holds no secret, by name or by look', () => {
    const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZG1pbiJ9.c2lnbmF0dXJl';
    const text = JSON.stringify(
      redact({
        password: 'canary',
        nested: { refresh_token: 'canary', headers: [{ authorization: 'canary', cookie: 'canary' }] },
        note: `Bearer canary and ${jwt}`,
        url: 'postgres://user:canary@host/db',
        error: new Error(`failed with Authorization: Bearer canary`, { cause: new Error(jwt) }),
      }),
    );
    expect(text).not.toContain('canary');
    expect(text).not.toContain('eyJ');
  });
});
