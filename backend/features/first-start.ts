import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { defaultClientGroupName } from '../../contract/clients/client.ts';
import { defaultPoolName } from '../../contract/pools/pool.ts';
import type { Db } from '../db/index.ts';
import type { Clock } from '../platform/clock.ts';
import { type HostFacts, readHostFacts, readHwid } from '../platform/host-facts.ts';
import { createFirstStartStore } from './first-start-store.ts';
import { localModules } from './resource-types.ts';

export interface SeedDeps {
  readonly db: Db;
  readonly clock: Clock;
  /** Absolute path. */
  readonly dataDir: string;
  readonly version: string;
  /** For tests; the real host unless told. */
  readonly host?: HostFacts;
}

/**
 * Called at every start, before anything is served. The first time it makes what a server always has: the group of
 * clients without a group, this host as the primary media server and as an authorized client, and the default pool with
 * one storage in the data directory. Later it brings the facts of this host up to date; a local client that was deleted
 * comes back as one that waits for an administrator. One transaction: a start that is cut off begins anew.
 */
export async function seed(deps: SeedDeps): Promise<void> {
  const { clock, version } = deps;
  const modules = await localModules();
  const host = deps.host ?? readHostFacts();
  const storagePath = join(deps.dataDir, 'pools', 'default');
  await deps.db.transaction().execute(async (tx) => {
    const store = createFirstStartStore(tx, clock.now());
    const isFirst = (await store.fact('seeded_ms')) === null;
    const hwid = await store.ensureFact('local_hwid', readHwid);
    await store.ensureFact('rb_key_hash', () => randomBytes(32).toString('hex'));
    const mediaServerId = await store.ensureLocalMediaServer(host, version);
    const groupId = await store.ensureGroup(defaultClientGroupName);
    const poolId = await store.ensureFilePool(defaultPoolName, mediaServerId);
    if (isFirst) {
      await mkdir(storagePath, { recursive: true, mode: 0o700 });
      await store.addStorage(storagePath, poolId, mediaServerId);
    }
    await store.ensureLocalClient({ host, hwid, version, groupId, poolId, modules, authorized: isFirst });
    // Not part of the first start alone: servers that were made before there were strategies get them too.
    if ((await store.fact('strategies_seeded_ms')) === null) {
      await store.addFirstStrategies(poolId);
      await store.ensureFact('strategies_seeded_ms', () => String(clock.now()));
    }
    await store.ensureFact('seeded_ms', () => String(clock.now()));
  });
}
