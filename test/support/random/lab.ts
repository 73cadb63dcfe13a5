import { mkdir, rename, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { type BackendProcess, loginAt, spawnBackend } from '../backend.ts';
import { makeSparseFile } from '../loop-device.ts';
import { type Caller, type Queue, queueOf } from '../queue.ts';

const password = 'correct horse battery';
const minuteMs = 60_000;
const mib = 1024 * 1024;

/** The pools of the lab; those of blocks keep their file lists in a folder beside their device. */
export const pools = {
  near: { kind: 'files', more: { compression_type: 'Optimal' } },
  far: { kind: 'files', more: { compression_type: 'Fast' } },
  blocks: { kind: 'blocks', more: { block_size: 8192, algorithm: 'sha2', hash_length: 256 } },
  store: { kind: 'blocks', more: { block_size: 16_384, algorithm: 'blake3', hash_length: 512 } },
} as const;
export type PoolName = keyof typeof pools;
export const poolNames = Object.keys(pools) as readonly PoolName[];

export interface Lab {
  readonly folder: string;
  readonly queue: Queue;
  /** Of the server's clock. */
  readonly now: () => number;
  /** Where the copies' folders of a pool lie. */
  readonly storageOf: (pool: PoolName) => string;
  readonly deviceOf: (pool: PoolName) => string;
  /** The server's clock goes on by so much. */
  readonly advance: (ms: number) => Promise<void>;
  /** Ends the server at once, in the middle of whatever it does. */
  readonly kill: () => Promise<void>;
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<number | string>;
  readonly stderr: () => string;
}

/** The real server as a process, with pools of both kinds and a clock that can be set forward. */
export async function openLab(folder: string): Promise<Lab> {
  let backend: BackendProcess | null = null;
  let aheadMs = 0;
  let url = '';
  let login: ReturnType<typeof loginAt> | null = null;
  const clock = join(folder, 'clock');

  const setClock = async (): Promise<void> => {
    await writeFile(`${clock}.new`, String(aheadMs));
    await rename(`${clock}.new`, clock);
  };
  // The session ends while the clock jumps; then it is signed in anew.
  const caller: Caller = async (...call) => {
    login ??= loginAt(url, 'admin', password);
    const reply = await (await login)(...call);
    if (reply.status !== 401) return reply;
    login = loginAt(url, 'admin', password);
    return (await login)(...call);
  };
  const queue = queueOf(caller);
  const start = async (): Promise<void> => {
    backend = spawnBackend({
      dataDir: join(folder, 'data'),
      env: { STRONGROOM_ADMIN_PASSWORD: password, STRONGROOM_CLOCK_FILE: clock, TZ: 'UTC' },
    });
    ({ url } = await backend.ready);
    login = null;
  };
  const lab: Lab = {
    folder,
    queue,
    now: () => Date.now() + aheadMs,
    storageOf: (pool) => join(folder, `pool-${pool}`),
    deviceOf: (pool) => join(folder, `${pool}.img`),
    advance: async (ms) => {
      aheadMs += ms;
      await setClock();
    },
    kill: async () => {
      await backend?.kill();
    },
    start,
    stop: async () => (await backend?.stop()) ?? 'never started',
    stderr: () => backend?.stderr() ?? '',
  };
  await setClock();
  await start();
  await makePools(lab);
  await queue.good('PATCH', '/global_configuration', {
    service_window_start: '00:00:00',
    service_window_end: '00:00:00',
    dedup_clean_period: 1,
    filesystems_clean_period: 1,
    dont_delete_last_strategy_rule_archive: false,
    suspended_task_restart_period: 1,
  });
  await lab.advance(minuteMs);
  return lab;
}

async function makePools({ queue, storageOf, deviceOf }: Lab): Promise<void> {
  for (const name of poolNames) {
    const { kind, more } = pools[name];
    await mkdir(storageOf(name));
    if (kind === 'files') {
      await queue.addPool(name, storageOf(name), more);
      continue;
    }
    await queue.addPool(`lists-${name}`, storageOf(name));
    const pool = { pool_name: name, pool_type: 'Block device', media_server: hostname(), ...more };
    await queue.good('POST', '/pools', { data: { ...pool, meta_data_pool: `lists-${name}` } });
    await makeSparseFile(deviceOf(name), 96 * mib);
    const device = { device: deviceOf(name), pool: name, overwrite_file_system: false };
    await queue.good('POST', '/storage_block_devices', { data: device });
  }
}
