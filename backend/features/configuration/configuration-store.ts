import type { Db } from '../../db/index.ts';
import type { StoredConfiguration } from './configuration-rules.ts';

export type ConfigurationStore = ReturnType<typeof createConfigurationStore>;

export function createConfigurationStore(db: Db) {
  return {
    read: async (): Promise<StoredConfiguration> => {
      const rows = await db.selectFrom('configuration').select(['name', 'value']).execute();
      return new Map(rows.map((row) => [row.name, JSON.parse(row.value) as unknown]));
    },

    /** All or nothing. */
    write: async (change: {
      readonly set: readonly (readonly [string, unknown])[];
      readonly clear: readonly string[];
    }): Promise<void> => {
      await db.transaction().execute(async (tx) => {
        const names = [...change.clear, ...change.set.map(([name]) => name)];
        if (names.length > 0) await tx.deleteFrom('configuration').where('name', 'in', names).execute();
        for (const [name, value] of change.set) {
          await tx
            .insertInto('configuration')
            .values({ name, value: JSON.stringify(value) })
            .execute();
        }
      });
    },

    /** The hash of this server's key, made at the first start; null before that. */
    keyHash: async (): Promise<string | null> => {
      const row = await db
        .selectFrom('installation')
        .select('value')
        .where('name', '=', 'rb_key_hash')
        .executeTakeFirst();
      return row?.value ?? null;
    },
  };
}
