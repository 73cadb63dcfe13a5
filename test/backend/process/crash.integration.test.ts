import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { openDatabase } from '../../../backend/db/index.ts';
import { loginAt, spawnBackend } from '../../support/backend.ts';
import { sourceProgram } from '../../support/source-program.ts';
import { makeTempDir } from '../../support/temp-dir.ts';

const writer = fileURLToPath(new URL('crash-writer.ts', import.meta.url));

it('what was said to be written survives 15 kills at random moments, and nothing is half there', async () => {
  const folder = await makeTempDir('crash');
  const path = join(folder.path, 'crash.db');
  let said = -1;
  for (let round = 0; round < 15; round += 1) {
    const child = spawn(process.execPath, sourceProgram(writer, path, String(said + 1_000)), {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    const killAfter = 1 + Math.floor(Math.random() * 120);
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.split('\n').length > killAfter) child.kill('SIGKILL');
    });
    await once(child, 'close');
    const numbers = output.split('\n').slice(0, -1).map(Number);
    const { db, close } = await openDatabase({ kind: 'sqlite', path });
    const { rows: check } = await sql<{ integrity_check: string }>`pragma integrity_check`.execute(db);
    expect(check).toMatchObject([{ integrity_check: 'ok' }]);
    const names = new Set(
      (await db.selectFrom('installation').select('name').execute()).map(({ name }) => name),
    );
    for (const number of numbers) expect(names.has(`a${number}`)).toBe(true);
    for (const name of names) {
      const twin = name.startsWith('a') ? `b${name.slice(1)}` : `a${name.slice(1)}`;
      expect(names.has(twin)).toBe(true);
    }
    await close();
    said = Math.max(said, ...[...names].map((name) => Number(name.slice(1))));
  }
  await folder.remove();
});

it('a backend that is killed during its very first start can be started again, with a way to log in', async () => {
  for (const afterLines of [1, 2, 3]) {
    const folder = await makeTempDir('crash');
    const env = { STRONGROOM_ADMIN_PASSWORD: 'first password' };
    const first = spawnBackend({ dataDir: folder.path, env });
    first.child.stderr?.on('data', () => {
      if (first.stderr().split('\n').length > afterLines) first.child.kill('SIGKILL');
    });
    await first.ended;
    const second = spawnBackend({ dataDir: folder.path, env });
    await loginAt((await second.ready).url, 'admin', 'first password');
    expect(await second.stop()).toBe(0);
    await folder.remove();
  }
});
