import type { Configuration, ConfigurationPatch } from '../../../contract/configuration/configuration.ts';
import type { Db } from '../../db/index.ts';
import { toWireTime } from '../../platform/wire-time.ts';
import type { Announce } from '../announce.ts';
import { completeConfiguration, planChange } from './configuration-rules.ts';
import { createConfigurationStore } from './configuration-store.ts';

export { isCleaningDue } from './cleaning-rules.ts';

export interface ConfigurationService {
  /** The full form with `service_mode`. A change counts at once. */
  read(): Promise<Configuration>;
  update(patch: ConfigurationPatch): Promise<Configuration>;
  setServiceMode(on: boolean): Promise<Configuration>;
  /** Background cleaning of this kind has ended now. */
  noteCleaning(name: CleaningTime, nowMs: number): Promise<void>;
}

const noHash = '0'.repeat(64);

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
  /** Kept until it is written: nearly everything asks for it, and this service alone writes it. */
  let kept: Configuration | null = null;
  let writes = 0;

  const read = async (): Promise<Configuration> => {
    if (kept !== null) return kept;
    const before = writes;
    const [stored, keyHash] = await Promise.all([store.read(), store.keyHash()]);
    const server = { version: deps.version, dataDir: deps.dataDir, keyHash: keyHash ?? noHash };
    const whole = Object.freeze(completeConfiguration(stored, server));
    // What was read while somebody wrote may be from before it.
    if (writes === before && keyHash !== null) kept = whole;
    return whole;
  };
  const write = async (change: Parameters<typeof store.write>[0]): Promise<void> => {
    writes += 1;
    kept = null;
    try {
      await store.write(change);
    } finally {
      writes += 1;
      kept = null;
    }
  };
  const announced = async (): Promise<Configuration> => {
    deps.announce({ kind: 'configuration', action: 'changed', id: null });
    return read();
  };

  return {
    read,
    update: async (patch) => {
      await write(planChange(patch));
      return announced();
    },
    setServiceMode: async (on) => {
      await write({ set: [['service_mode', on]], clear: [] });
      return announced();
    },
    noteCleaning: async (name, nowMs) => {
      await write({ set: [[name, toWireTime(nowMs)]], clear: [] });
      deps.announce({ kind: 'configuration', action: 'changed', id: null });
    },
  };
}
