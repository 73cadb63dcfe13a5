import type { Db } from '../../db/index.ts';
import { clientText } from '../client-text-store.ts';
import type { Groups } from '../own-clients-store.ts';
import type { RestoreTarget } from './restore-rules.ts';

/** Reads what decides whether a restore may be asked for. */
export function createRestoreStore(db: Db) {
  return {
    /** An authorized client by its text form; null also for one outside of the caller's groups. */
    target: async (text: string, groups: Groups): Promise<RestoreTarget | null> => {
      const row = await db
        .selectFrom('clients')
        .innerJoin('client_groups', 'client_groups.id', 'clients.client_group_id')
        .select([
          'clients.id',
          'clients.hwid',
          'clients.os_type',
          'clients.modules',
          'clients.client_group_id',
          'clients.is_local',
          'client_groups.shared',
        ])
        .where(clientText, '=', text)
        .where('clients.authorized', '=', 1)
        .$if(groups !== null, (query) =>
          query.where('clients.client_group_id', 'in', [...(groups ?? []), -1]),
        )
        .executeTakeFirst();
      if (!row) return null;
      return {
        id: row.id,
        hwid: row.hwid,
        osType: row.os_type,
        modules: JSON.parse(row.modules) as string[],
        groupId: row.client_group_id,
        isGroupShared: row.shared === 1,
        isLocal: row.is_local === 1,
      };
    },

    storagePaths: async (): Promise<readonly string[]> =>
      (await db.selectFrom('storages').select('path').orderBy('id').execute()).map(({ path }) => path),
  };
}
