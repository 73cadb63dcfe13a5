import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Copy } from '../../contract/repository/copy.ts';
import type { Task, TaskLogLine } from '../../contract/tasks/task.ts';

export interface Reply {
  readonly status: number;
  readonly body: {
    readonly data: unknown;
    readonly errors: Readonly<Record<string, string>>;
    readonly message: string;
  };
}

export type Caller = (
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  body?: unknown,
) => Promise<Reply>;

export const finalStatuses = ['done', 'obsoleted', 'error', 'killed', 'broken'];
export const workingStatuses = ['assigned', 'at_client', 'execution', 'transmission', 'at_server'];

export type Queue = ReturnType<typeof queueOf>;

/** What a person does with the task queue and the repository, through the API alone. */
export function queueOf(call: Caller) {
  const good = async <T>(method: Parameters<Caller>[0], path: string, body?: unknown): Promise<T> => {
    const reply = await call(method, path, body);
    if (reply.status >= 300) {
      throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
    }
    return reply.body?.data as T;
  };
  const task = (id: number) => good<Task>('GET', `/tasks/${id}`);

  /** Waits as long as the test may last; a task that ends otherwise is a failure at once. */
  const until = async (id: number, isIt: (task: Task) => boolean): Promise<Task> => {
    for (;;) {
      const now = await task(id);
      if (isIt(now)) return now;
      if (finalStatuses.includes(now.status)) throw new Error(`task ${id} ended: ${JSON.stringify(now)}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };

  const localClient = async (): Promise<string> => {
    const [client] = await good<{ hostname: string; hwid: string }[]>('GET', '/clients');
    if (client === undefined) throw new Error('there is no client');
    return `${client.hostname} (${client.hwid})`;
  };

  const draft = async (resource: string, more: object = {}): Promise<{ readonly task: object }> => ({
    task: {
      resource_type: 'File system',
      resource,
      client: await localClient(),
      backup_type: 'full',
      pool: 'Default',
      crypto: 'nocrypt',
      priority: 100,
      storage_duration: '1 year',
      archiving: false,
      ...more,
    },
  });

  return {
    call,
    good,
    task,
    until,
    localClient,
    draft,
    ended: (id: number) => until(id, (now) => finalStatuses.includes(now.status)),
    /** Bytes are moving. */
    moving: (id: number) =>
      until(id, (now) => now.status === 'transmission' && (now.progress_details?.bytes_done ?? 0) > 0),
    tasks: () => good<Task[]>('GET', '/tasks'),
    copies: () => good<Copy[]>('GET', '/repository'),
    copy: (id: number) => good<Copy>('GET', `/repository/${id}`),
    backup: async (resource: string, more: object = {}): Promise<number> =>
      (await good<{ id: number }>('POST', '/task_queue', await draft(resource, more))).id,
    verify: async (copyId: number): Promise<number> =>
      (await good<{ task_id: number }>('POST', `/repository/${copyId}/verification`)).task_id,
    restore: async (copyId: number, destination: string, more: object = {}): Promise<number> => {
      const restoreTask = { target_client: await localClient(), destination_path: destination, ...more };
      const path = `/repository/${copyId}/restoring`;
      return (await good<{ task_id: number }>('POST', path, { restore_task: restoreTask })).task_id;
    },
    copyTo: async (copyId: number, pool: string): Promise<number> =>
      (await good<{ task_id: number }>('POST', `/repository/${copyId}/copying?pool_name=${pool}`)).task_id,
    moveTo: async (copyId: number, pool: string): Promise<number> =>
      (await good<{ task_id: number }>('POST', `/repository/${copyId}/moving?pool_name=${pool}`)).task_id,
    /** A pool with one storage in the folder. */
    addPool: async (name: string, folder: string, more: object = {}): Promise<void> => {
      const [server] = await good<{ name: string }[]>('GET', '/media_servers');
      const pool = { pool_name: name, pool_type: 'File system', media_server: server?.name, ...more };
      await good('POST', '/pools', { data: pool });
      await good('POST', '/storage_local_catalogs', { data: { path: folder, pool: name } });
    },
    /**
     * Slows the client's backups or restores down, so that a test has time to act while one goes on, however fast the
     * engine is. Work that goes on follows within a second.
     */
    slowDown: async (direction: 'backup' | 'restore', mibPerSecond: number): Promise<void> => {
      const limit = { client: await localClient(), [`${direction}_bandwidth`]: mibPerSecond * 1024 };
      await good('POST', '/client_bandwidth', { data: limit });
    },
    /** Ends what `slowDown` began. */
    fullSpeed: async (): Promise<void> => {
      for (const { id } of await good<{ id: number }[]>('GET', '/client_bandwidth')) {
        await good('DELETE', `/client_bandwidth/${id}`);
      }
    },
    log: (id: number, side: 'clients' | 'servers') =>
      good<TaskLogLine[]>('GET', `/tasks/${id}/info/${side}?limit=500`),
  };
}

/** A folder that takes a while to back up: `megabytes`, of which a quarter is left in a copy, and many small files. */
export async function makeBigFolder(folder: string, megabytes: number): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (let file = 0; file < megabytes / 4; file += 1) {
    // Of its own: what files have in common a copy has once.
    const block = randomBytes(1024 * 1024);
    await writeFile(join(folder, `big-${file}`), Buffer.concat([block, block, block, block]));
  }
  for (let sub = 0; sub < 10; sub += 1) {
    await mkdir(join(folder, `folder-${sub}`));
    for (let file = 0; file < 50; file += 1) {
      await writeFile(join(folder, `folder-${sub}`, `small-${file}.txt`), `small ${sub} ${file}\n`);
    }
  }
}

/** A small folder with a bit of everything ordinary. */
export async function makeSmallFolder(folder: string): Promise<void> {
  await mkdir(join(folder, 'letters'), { recursive: true });
  await writeFile(join(folder, 'note.txt'), 'a note\n');
  await writeFile(join(folder, 'letters', 'first.txt'), 'dear reader\n');
  await writeFile(join(folder, 'letters', 'second.txt'), 'dear reader, again\n');
}
