import type { Configuration, ConfigurationPatch } from '../../../contract/configuration/configuration.ts';
import type { Db } from '../../db/index.ts';
import { toWireTime } from '../../platform/wire-time.ts';
import type { Announce } from '../announce.ts';
import { completeConfiguration, planChange } from './configuration-rules.ts';
import { createConfigurationStore } from './configuration-store.ts';

export { isCleaningDue } from './cleaning-rules.ts';

export interface ConfigurationService {
  /** The full form with `service_mode`; read from the database each time, since a change counts at once. */
  read(): Promise<Configuration>;
  update(patch: ConfigurationPatch): Promise<Configuration>;
  setServiceMode(on: boolean): Promise<Configuration>;
  /** Background cleaning of this kind has ended now. */
  noteCleaning(name: CleaningTime, nowMs: number): Promise<void>;
}

/** Read-only fields that say when something was cleaned last. */
export type CleaningTime =
  | 'clean_tape_drives_last_time'
  | 'dedup_clean_last_time'
  | 'filesystems_clean_last_time';

export function createConfigurationService(deps: {
  readonly db: Db;
  readonly version: string;
  readonly dataDir: string;
  readonly announce: Announce;
}): ConfigurationService {
  const store = createConfigurationStore(deps.db);

  const read = async (): Promise<Configuration> => {
    const [stored, keyHash] = await Promise.all([store.read(), store.keyHash()]);
    return completeConfiguration(stored, { version: deps.version, dataDir: deps.dataDir, keyHash });
  };
  const announced = async (): Promise<Configuration> => {
    deps.announce({ kind: 'configuration', action: 'changed', id: null });
    return read();
  };

  return {
    read,
    update: async (patch) => {
      await store.write(planChange(patch));
      return announced();
    },
    setServiceMode: async (on) => {
      await store.write({ set: [['service_mode', on]], clear: [] });
      return announced();
    },
    noteCleaning: async (name, nowMs) => {
      await store.write({ set: [[name, toWireTime(nowMs)]], clear: [] });
      deps.announce({ kind: 'configuration', action: 'changed', id: null });
    },
  };
}
