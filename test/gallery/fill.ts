import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import type { Task } from '../../contract/tasks/task.ts';
import { activeStatuses } from '../../contract/tasks/task-states.ts';
import type { Call } from './bridge.ts';

const dayMs = 86_400_000;
export interface Place {
  /** Folder of its own, for sources and storages. */
  readonly work: string;
  /** The server's clock is that far behind when it is filled, so that so many nights are seen. Without it, there is only today. */
  readonly past?: {
    readonly nights: number;
    /** Puts the server's clock so far ahead of (behind, below 0) that of this computer. */
    readonly setClock: (aheadMs: number) => void;
  };
}

/** What an office of a few machines has after some days, all of it made through the API by a server at work. */
export async function fill(call: Call, place: Place): Promise<void> {
  const folders = writeSources(place.work);
  const { client, mediaServer } = await hostOf(call);
  await makeTargets(call, place, mediaServer);
  await makePlans(call, client, folders);
  for (let night = (place.past?.nights ?? 0) - 1; night >= 0; night -= 1) {
    const before = await taskCount(call);
    place.past?.setClock(-night * dayMs);
    await expect.poll(() => taskCount(call), { timeout: 60_000 }).toBeGreaterThan(before);
    await untilIdle(call);
  }
  const backUp = (resource: string, pool: string) =>
    call('taskQueue.create', {
      body: {
        task: {
          resource_type: 'File system',
          resource,
          client,
          backup_type: 'full',
          pool,
          crypto: 'nocrypt',
          priority: 100,
          storage_duration: '1 month',
          archiving: false,
        },
      },
    });
  await backUp(folders.mail, 'Tapes');
  await untilIdle(call);
  // The newest ones are those whose files can be looked at.
  await backUp(folders.documents, 'Archive');
  await backUp(folders.photos, 'Blocks');
  await backUp(join(place.work, 'old share'), 'Default');
  await untilIdle(call);
  await makeAccounts(call);
  if (place.past === undefined) return;
  await verifyTwo(call);
  await call('clientBandwidth.create', {
    body: { client, backup_bandwidth: 200, restore_bandwidth: 0 },
  });
  // Goes on while the pictures are drawn.
  const { id } = await backUp(folders.video, 'Archive');
  const status = async () => (await call('taskQueue.get', { params: { id } })).status;
  await expect.poll(status, { timeout: 60_000 }).toBe('transmission');
}

function writeSources(work: string) {
  const folderOf = (name: string, files: number, bytes: number): string => {
    const folder = join(work, name);
    mkdirSync(folder, { recursive: true });
    for (let at = 1; at <= files; at += 1)
      writeFileSync(join(folder, `${name} ${at}.dat`), noise(bytes, at + name.length));
    return folder;
  };
  return {
    documents: folderOf('documents', 40, 20_000),
    photos: folderOf('photos', 12, 300_000),
    mail: folderOf('mail', 25, 60_000),
    video: folderOf('video', 8, 16_000_000),
  };
}

/** Bytes that no program makes smaller. */
function noise(length: number, seed: number): Buffer {
  const bytes = Buffer.alloc(length);
  let state = seed;
  for (let at = 0; at < length; at += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[at] = state >>> 24;
  }
  return bytes;
}

const firstPage = { query: { page: 1, limit: 500 } } as const;

async function hostOf(call: Call) {
  const [host] = (await call('clients.list', firstPage)).items;
  const [server] = (await call('mediaServers.list', firstPage)).items;
  if (host === undefined || server === undefined) throw new Error('the server has no client or media server');
  return { client: host.client_name, mediaServer: server.name };
}

async function makeTargets(call: Call, { work }: Place, media_server: string): Promise<void> {
  await call('clientGroups.create', { body: { name: 'Offices' } });
  await call('clientGroups.create', { body: { name: 'Laboratory', shared: true } });
  const archive = { pool_name: 'Archive', pool_type: 'File system', media_server };
  await call('pools.create', {
    body: { ...archive, retention_period: '1 year', description: 'Second disk' },
  });
  await call('storages.create', { body: { path: join(work, 'archive disk'), pool: 'Archive' } });
  const blocks = { pool_name: 'Blocks', pool_type: 'Block device', media_server, meta_data_pool: 'Default' };
  await call('pools.create', { body: blocks });
  const device = join(work, 'disk.img');
  writeFileSync(device, Buffer.alloc(64 * 2 ** 20));
  await call('blockDevices.create', { body: { device, pool: 'Blocks', overwrite_file_system: false } });
  await call('pools.create', { body: { pool_name: 'Tapes', pool_type: 'Tape library', media_server } });
  await makeTapeLibrary(call, media_server);
}

async function makeTapeLibrary(call: Call, media_server: string): Promise<void> {
  const barcodes = ['SR0001L8', 'SR0002L8', 'SR0003L8', 'SR0004L8', 'CLN001L1'];
  await call('virtualLibraries.create', {
    body: {
      media_server,
      name: 'rack',
      slots: 12,
      drives: 2,
      mail_slots: 2,
      cartridges: barcodes,
      cartridge_size: 32 * 2 ** 20,
    },
  });
  const found = await call('tapeLibraries.candidates', { query: { media_server, adding_type: 'auto' } });
  const [robot] = found.medium_changers;
  if (robot === undefined) throw new Error('the simulated library is no candidate');
  const { id } = await call('tapeLibraries.create', {
    body: {
      pool: 'Tapes',
      media_server,
      medium_changer_candidate_id: robot.id,
      tape_drives_candidates_ids: found.tape_drives.map((drive) => drive.id),
    },
  });
  await call('tapeLibraries.sync', { params: { id } });
  const { items } = await call('cartridges.list', firstPage);
  for (const cartridge of items.slice(0, 3))
    await call('cartridges.update', { params: { id: cartridge.id }, body: { label: true } });
}

async function makePlans(
  call: Call,
  client: string,
  folders: Readonly<Record<'documents' | 'photos' | 'mail', string>>,
): Promise<void> {
  const strategies = [
    {
      name: 'Nightly',
      pool: 'Default',
      full_schedule: '30 2 * * 0',
      incremental_schedule: '30 2 * * 1-6',
      storage_duration: '2 week',
      restore_proof_files: 3,
    },
    {
      name: 'Office hours of New York',
      pool: 'Default',
      full_schedule: '0 6 * * 1',
      differential_schedule: '0 */4 * * 1-5',
      time_zone: 'America/New_York',
      storage_duration: '1 month',
    },
    { name: 'Weekly to the second disk', pool: 'Archive', full_schedule: '0 5 * * 6', verify_period: 30 },
    { name: 'Before the move', pool: 'Archive', full_schedule: '0 1 1 * *', enabled: false },
  ];
  for (const body of strategies) await call('strategies.create', { body });
  const rules = [
    ['Nightly', folders.documents],
    ['Nightly', folders.mail],
    ['Nightly', '/srv/accounting'],
    ['Office hours of New York', folders.photos],
    ['Weekly to the second disk', folders.documents],
  ] as const;
  for (const [strategy_id, resource] of rules) {
    await call('strategyRules.create', {
      body: {
        strategy_rule: {
          resource_type: 'File system',
          resource,
          client_id: client,
          strategy_id,
          status: 'run',
        },
      },
    });
  }
}

async function makeAccounts(call: Call): Promise<void> {
  await call('users.create', {
    body: {
      user_name: 'n.petrova',
      password: 'a password of the gallery',
      roles: ['administrator'],
      client_groups: ['Offices'],
    },
  });
  await call('users.create', {
    body: { user_name: 'audit', password: 'a password of the gallery', roles: ['auditor'], enabled: false },
  });
  await call('directory.set', {
    body: {
      domain_type: 'MS_AD',
      protocol: 'ldaps',
      address: 'dc1.lab.example',
      port: 636,
      domain: 'lab.example',
      login: 'reader@lab.example',
      password: 'a password of the gallery',
      user_search_base: 'OU=People,DC=lab,DC=example',
      group_search_base: 'OU=Groups,DC=lab,DC=example',
    },
  });
  await call('directoryMappings.create', { body: { group: 'Backup Operators', role: 'administrator' } });
  const { id } = await call('dynamicPoolGroups.create', {
    body: {
      name: 'Disks',
      max_pool_tasks: 2,
      max_media_server_tasks: 8,
      description: 'Whichever disk is free',
    },
  });
  for (const pool of ['Default', 'Archive'])
    await call('dynamicPoolGroupRecords.create', { body: { dynamic_pool_group: id, pool } });
}

/** The copy on the second disk is found good, one of the default pool, which its disk has damaged, is not. */
async function verifyTwo(call: Call): Promise<void> {
  const { items } = await call('repository.list', firstPage);
  const good = items.find((copy) => copy.pool === 'Archive');
  const damaged = items.find((copy) => copy.pool === 'Default' && copy.backup_type === 'full');
  if (good === undefined || damaged === undefined) throw new Error('there are no copies to verify');
  damage(String(damaged.path));
  for (const { id } of [good, damaged]) await call('repository.verify', { params: { id } });
  await untilIdle(call);
}

function damage(folder: string): void {
  const name = readdirSync(folder).find((each) => each.startsWith('archive.'));
  const file = join(folder, String(name));
  const bytes = readFileSync(file);
  for (let at = 20; at < bytes.length - 20; at += 40) bytes.writeUInt8((bytes[at] ?? 0) ^ 1, at);
  writeFileSync(file, bytes);
}

async function taskCount(call: Call): Promise<number> {
  return (await call('taskQueue.list', { query: { page: 1, limit: 1 } })).total;
}

/** What is still at work after minutes is told with its log. */
async function untilIdle(call: Call): Promise<void> {
  const active: readonly string[] = activeStatuses;
  const busy = async () => {
    const { items } = await call('taskQueue.list', firstPage);
    return items.filter(({ status }) => active.includes(status));
  };
  try {
    await expect.poll(async () => (await busy()).length, { timeout: 240_000 }).toBe(0);
  } catch (error) {
    const stuck = await Promise.all((await busy()).map((task) => story(call, task)));
    throw new Error(`tasks do not end:\n${stuck.join('\n')}`, { cause: error });
  }
}

async function story(call: Call, task: Task): Promise<string> {
  const params = { id: task.id };
  const logs = await Promise.all([
    call('tasks.clientLog', { params, ...firstPage }),
    call('tasks.serverLog', { params, ...firstPage }),
  ]);
  const lines = logs.flatMap(({ items }) => items.map(({ time, message }) => `  ${time} ${message}`));
  return [`${task.id} ${task.task_type} ${task.resource}: ${task.status}`, ...lines].join('\n');
}
