import { defaultStrategyName, monthlyStrategyName } from '../../contract/strategies/strategy.ts';
import { type Db, foldCase, type Tx } from '../db/index.ts';
import type { HostFacts } from '../platform/host-facts.ts';

export interface LocalClient {
  readonly host: HostFacts;
  readonly hwid: string;
  readonly version: string;
  readonly groupId: number;
  readonly poolId: number;
  /** The resource types that it can back up. */
  readonly modules: readonly string[];
  /** Whether a client that is not there yet may be used at once. */
  readonly authorized: boolean;
}

/** What a server always has. Each `ensure…` makes it if it is missing and answers its id or value. */
export function createFirstStartStore(db: Db | Tx, nowMs: number) {
  const fact = async (name: string): Promise<string | null> => {
    const row = await db
      .selectFrom('installation')
      .select('value')
      .where('name', '=', name)
      .executeTakeFirst();
    return row?.value ?? null;
  };

  return {
    fact,

    ensureFact: async (name: string, make: () => string): Promise<string> => {
      const known = await fact(name);
      if (known !== null) return known;
      const value = make();
      await db.insertInto('installation').values({ name, value }).execute();
      return value;
    },

    addFirstStrategies: async (poolId: number): Promise<void> => {
      const common = {
        pool_id: poolId,
        priority: 100,
        differential_schedule: null,
        time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
        storage_duration: null,
        crypto: 'nocrypt',
        capacity: 0,
        enabled: 1 as const,
        valid_from_ms: null,
        valid_until_ms: null,
        verify_period: null,
        created_ms: nowMs,
        changed_ms: nowMs,
      };
      const schedules = [
        { name: defaultStrategyName, full_schedule: '0 0 * * 0', incremental_schedule: '0 0 * * *' },
        { name: monthlyStrategyName, full_schedule: '0 0 1 * *', incremental_schedule: null },
      ];
      await db
        .insertInto('strategies')
        .values(schedules.map((plan) => ({ ...common, ...plan, name_key: foldCase(plan.name) })))
        .execute();
    },

    /** Its name stays as it was made, since pools and people refer to it. */
    ensureLocalMediaServer: async (host: HostFacts, version: string): Promise<number> => {
      const facts = { ip: host.ipv4 ?? host.ipv6, version, last_activity_ms: nowMs };
      const known = await db
        .selectFrom('media_servers')
        .select('id')
        .where('is_local', '=', 1)
        .executeTakeFirst();
      if (known) {
        await db.updateTable('media_servers').set(facts).where('id', '=', known.id).execute();
        return known.id;
      }
      const name = host.hostname;
      const row = await db
        .insertInto('media_servers')
        .values({
          ...facts,
          name,
          name_key: foldCase(name),
          role: 'primary',
          is_local: 1,
          created_ms: nowMs,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      return row.id;
    },

    ensureGroup: async (name: string): Promise<number> => {
      const known = await db
        .selectFrom('client_groups')
        .select('id')
        .where('name', '=', name)
        .executeTakeFirst();
      if (known) return known.id;
      const row = await db
        .insertInto('client_groups')
        .values({ name, name_key: foldCase(name), shared: 0, created_ms: nowMs })
        .returning('id')
        .executeTakeFirstOrThrow();
      return row.id;
    },

    ensureFilePool: async (name: string, mediaServerId: number): Promise<number> => {
      const known = await db.selectFrom('pools').select('id').where('name', '=', name).executeTakeFirst();
      if (known) return known.id;
      const row = await db
        .insertInto('pools')
        .values({
          name,
          name_key: foldCase(name),
          pool_type: 'File system',
          media_server_id: mediaServerId,
          compression_type: 'None',
          ignore_free_space_check: 0,
          created_ms: nowMs,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      return row.id;
    },

    addStorage: async (path: string, poolId: number, mediaServerId: number): Promise<void> => {
      await db
        .insertInto('storages')
        .values({ path, pool_id: poolId, media_server_id: mediaServerId, created_ms: nowMs })
        .execute();
    },

    /** Brings the facts of the host up to date. */
    ensureLocalClient: async (client: LocalClient): Promise<void> => {
      const { host, hwid } = client;
      const facts = {
        hostname: host.hostname,
        ipv4: host.ipv4,
        ipv6: host.ipv6,
        mac: host.mac,
        os_type: host.osType,
        os_distribution: host.osDistribution,
        version: client.version,
        is_local: 1 as const,
        last_activity_ms: nowMs,
        modules: JSON.stringify(client.modules),
      };
      const known = await db.selectFrom('clients').select('id').where('hwid', '=', hwid).executeTakeFirst();
      if (known) {
        await db.updateTable('clients').set(facts).where('id', '=', known.id).execute();
        return;
      }
      await db
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
          created_ms: nowMs,
        })
        .execute();
    },
  };
}
