import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { defaultClientGroupName } from '../../contract/clients/client.ts';
import { defaultPoolName } from '../../contract/pools/pool.ts';
import { type Db, foldCase, type Tx } from '../db/index.ts';
import type { Clock } from '../platform/clock.ts';
import { type HostFacts, readHostFacts, readHwid } from '../platform/host-facts.ts';

export interface SeedDeps {
  readonly db: Db;
  readonly clock: Clock;
  /** Absolute path. */
  readonly dataDir: string;
  readonly version: string;
  /** For tests; the real host unless told. */
  readonly host?: HostFacts;
}

const seededKey = 'seeded_ms';
const hwidKey = 'local_hwid';

/**
 * Called at every start, before anything is served. The first time it makes what a server always has: the group of
 * clients without a group, this host as the primary media server and as an authorized client, and the default pool with
 * one storage in the data directory. Later it brings the facts of this host up to date; a local client that was deleted
 * comes back as one that waits for an administrator. One transaction: a start that is cut off begins anew.
 */
export async function seed(deps: SeedDeps): Promise<void> {
  const host = deps.host ?? readHostFacts();
  const path = join(deps.dataDir, 'pools', 'default');
  await deps.db.transaction().execute(async (tx) => {
    const isFirst = (await fact(tx, seededKey)) === null;
    const hwid = await ensureFact(tx, hwidKey, readHwid);
    await ensureFact(tx, 'rb_key_hash', () => randomBytes(32).toString('hex'));
    const mediaServerId = await ensureLocalMediaServer(tx, deps, host);
    const groupId = await ensureDefaultGroup(tx, deps);
    const poolId = await ensureDefaultPool(tx, deps, mediaServerId);
    if (isFirst) {
      await mkdir(path, { recursive: true, mode: 0o700 });
      await tx
        .insertInto('storages')
        .values({
          path,
          pool_id: poolId,
          media_server_id: mediaServerId,
          description: null,
          created_ms: deps.clock.now(),
        })
        .execute();
    }
    await ensureLocalClient(tx, deps, { host, hwid, groupId, poolId, authorized: isFirst });
    await ensureFact(tx, seededKey, () => String(deps.clock.now()));
  });
}

async function fact(tx: Tx, name: string): Promise<string | null> {
  const row = await tx.selectFrom('installation').select('value').where('name', '=', name).executeTakeFirst();
  return row?.value ?? null;
}

async function ensureFact(tx: Tx, name: string, make: () => string): Promise<string> {
  const known = await fact(tx, name);
  if (known !== null) return known;
  const value = make();
  await tx.insertInto('installation').values({ name, value }).execute();
  return value;
}

async function ensureLocalMediaServer(tx: Tx, deps: SeedDeps, host: HostFacts): Promise<number> {
  const facts = { ip: host.ipv4 ?? host.ipv6, version: deps.version, last_activity_ms: deps.clock.now() };
  const known = await tx
    .selectFrom('media_servers')
    .select('id')
    .where('is_local', '=', 1)
    .executeTakeFirst();
  if (known) {
    // The name stays: pools and people refer to it.
    await tx.updateTable('media_servers').set(facts).where('id', '=', known.id).execute();
    return known.id;
  }
  const row = await tx
    .insertInto('media_servers')
    .values({
      ...facts,
      name: host.hostname,
      name_key: foldCase(host.hostname),
      role: 'primary',
      is_local: 1,
      description: null,
      created_ms: deps.clock.now(),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}

async function ensureDefaultGroup(tx: Tx, deps: SeedDeps): Promise<number> {
  const name = defaultClientGroupName;
  const known = await tx.selectFrom('client_groups').select('id').where('name', '=', name).executeTakeFirst();
  if (known) return known.id;
  const row = await tx
    .insertInto('client_groups')
    .values({ name, name_key: foldCase(name), shared: 0, created_ms: deps.clock.now() })
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}

async function ensureDefaultPool(tx: Tx, deps: SeedDeps, mediaServerId: number): Promise<number> {
  const name = defaultPoolName;
  const known = await tx.selectFrom('pools').select('id').where('name', '=', name).executeTakeFirst();
  if (known) return known.id;
  const row = await tx
    .insertInto('pools')
    .values({
      name,
      name_key: foldCase(name),
      pool_type: 'File system',
      media_server_id: mediaServerId,
      compression_type: 'None',
      ignore_free_space_check: 0,
      created_ms: deps.clock.now(),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}

interface LocalClient {
  readonly host: HostFacts;
  readonly hwid: string;
  readonly groupId: number;
  readonly poolId: number;
  readonly authorized: boolean;
}

async function ensureLocalClient(tx: Tx, deps: SeedDeps, client: LocalClient): Promise<void> {
  const { host, hwid } = client;
  const facts = {
    hostname: host.hostname,
    ipv4: host.ipv4,
    ipv6: host.ipv6,
    mac: host.mac,
    os_type: host.osType,
    os_distribution: host.osDistribution,
    version: deps.version,
    is_local: 1 as const,
    last_activity_ms: deps.clock.now(),
    modules: JSON.stringify(['File system']),
  };
  const known = await tx.selectFrom('clients').select('id').where('hwid', '=', hwid).executeTakeFirst();
  if (known) {
    await tx.updateTable('clients').set(facts).where('id', '=', known.id).execute();
    return;
  }
  await tx
    .insertInto('clients')
    .values({
      ...facts,
      hwid,
      client_group_id: client.groupId,
      authorized: client.authorized ? 1 : 0,
      ls_pool_id: client.poolId,
      lsf_flag: 0,
      lrl_flag: 0,
      storage_capacity: 0,
      client_side_backup: 0,
      client_side_restore: 0,
      created_ms: deps.clock.now(),
    })
    .execute();
}
