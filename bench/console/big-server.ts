import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { openDatabase } from '../../backend/db/index.ts';
import { makeManyClients } from '../support/many-clients.ts';
import { makeManyCopies } from '../support/many-copies.ts';
import { makeManyTasks } from '../support/many-tasks.ts';
import { projectRoot } from './electron.ts';

export const password = 'bench password';

export interface BigServer {
  readonly address: string;
  readonly stop: () => Promise<void>;
}

export interface Sizes {
  readonly clients: number;
  readonly tasks: number;
  readonly copies: number;
}

/** The real server with as much in it as a big site has. */
export async function startBigServer(dataDir: string, sizes: Sizes): Promise<BigServer> {
  const first = await run(dataDir);
  // Before there are tasks: the finished ones are old, and would be cleaned away.
  await enterServiceMode(first.url);
  await first.stop();
  const database = await openDatabase({ kind: 'sqlite', path: join(dataDir, 'strongroom.db') });
  try {
    await makeManyClients(database, sizes.clients);
    await makeManyCopies(database, sizes.copies);
    await makeManyTasks(database, sizes.tasks);
  } finally {
    await database.close();
  }
  const { url, stop } = await run(dataDir);
  return { address: url.replace(/\/api\/v1$/, ''), stop };
}

async function run(dataDir: string): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  const child: ChildProcess = spawn(
    process.execPath,
    [join('out', 'backend', 'main.js'), '--data-dir', dataDir, '--port', '0'],
    {
      cwd: projectRoot,
      env: { ...process.env, STRONGROOM_ADMIN_PASSWORD: password },
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  let printed = '';
  for await (const chunk of child.stdout ?? []) {
    printed += String(chunk);
    if (printed.includes('\n')) break;
  }
  const { url } = JSON.parse(printed.split('\n')[0] ?? '') as { url: string };
  return {
    url,
    stop: async () => {
      if (child.exitCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

async function enterServiceMode(url: string): Promise<void> {
  const json = { 'content-type': 'application/json' };
  const login = await fetch(`${url}/auth/login`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ backup_database: 'strongroom', backup_user: 'admin', password }),
  });
  const { data } = (await login.json()) as { data: { access_token: string } };
  const answer = await fetch(`${url}/global_configuration/service_mode`, {
    method: 'PATCH',
    headers: { ...json, authorization: `Bearer ${data.access_token}` },
    body: JSON.stringify({ service_mode: true }),
  });
  if (!answer.ok) throw new Error(`service mode: ${answer.status} ${await answer.text()}`);
}
