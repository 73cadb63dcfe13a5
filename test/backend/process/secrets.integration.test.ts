import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { spawnBackend } from '../../support/backend.ts';
import { makeTempDir } from '../../support/temp-dir.ts';

const canary = 'canary-Passw0rd-5e1f';

async function everyFile(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

it('passwords and tokens are in no log, no database, no file and no command line', async () => {
  const folder = await makeTempDir('secrets');
  const backend = spawnBackend({ dataDir: folder.path, env: { STRONGROOM_ADMIN_PASSWORD: canary } });
  const { url } = await backend.ready;
  const call = (method: string, path: string, body: unknown, headers: Record<string, string> = {}) =>
    fetch(`${url}${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  const login = { backup_database: 'strongroom', backup_user: 'admin', password: canary };
  const answer = await call('POST', '/auth/login', login);
  const { data } = (await answer.json()) as { data: Record<string, string> };
  const secrets = [canary, `${canary}-wrong`, data.access_token, data.refresh_token, data.csrf_token].map(
    String,
  );
  const bearer = {
    authorization: `Bearer ${data.access_token}`,
    cookie: `access_token_cookie=${data.access_token}`,
  };
  // Everything that goes wrong, with secrets in every place where they can be.
  await call('POST', '/auth/login', { ...login, password: `${canary}-wrong` });
  await call('POST', '/auth/login', { ...login, password: { text: canary } });
  await call('POST', '/auth/login', `{"password":"${canary}"`);
  await call('POST', `/nothing?password=${canary}`, { password: canary }, bearer);
  await call('GET', `/auth/permissions?token=${data.access_token}`, undefined, {
    authorization: `Bearer ${canary}`,
  });
  await call('POST', '/auth/refresh', undefined, {
    ...bearer,
    'authorization-access-token': `Bearer ${canary}`,
  });
  await call('POST', '/auth/refresh', undefined, {
    authorization: `Bearer ${data.refresh_token}`,
    'authorization-access-token': `Bearer ${data.access_token}`,
  });
  const commandLine = await readFile(`/proc/${backend.pid}/cmdline`, 'utf8');
  expect(await backend.stop()).toBe(0);

  const files = await everyFile(folder.path);
  expect(files.some((path) => path.endsWith('backend.log'))).toBe(true);
  const contents = [
    ...(await Promise.all(files.map(async (path) => [path, await readFile(path, 'latin1')] as const))),
    ['standard output', backend.stdout()] as const,
    ['standard error', backend.stderr()] as const,
    ['command line', commandLine] as const,
  ];
  for (const [place, content] of contents) {
    for (const secret of secrets) expect([place, content.includes(secret)]).toEqual([place, false]);
  }
});
