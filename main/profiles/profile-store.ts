import type { FileCalls } from '../platform/atomic-file.ts';
import { createJsonFile } from '../platform/json-file.ts';
import { t } from '../texts/index.ts';
import { Profile } from './profile.ts';

export interface ProfileStore {
  /** Reads the file; to be called once, at start. */
  readonly load: () => Promise<readonly Profile[]>;
  readonly all: () => readonly Profile[];
  readonly put: (profile: Profile) => Promise<void>;
  readonly remove: (id: string) => Promise<void>;
}

const version = 1;
const mostProfiles = 500;

export function createProfileStore(options: {
  readonly path: string;
  readonly onTrouble: (message: string) => void;
  readonly files?: FileCalls;
}): ProfileStore {
  const file = createJsonFile<readonly Profile[]>({
    ...options,
    fallback: [],
    read: readProfiles,
    // A record, so that later versions can say more.
    write: (connections) => ({ version, connections }),
  });
  let profiles: readonly Profile[] = [];
  const change = async (next: readonly Profile[]): Promise<void> => {
    const before = profiles;
    profiles = next;
    try {
      await file.save(next);
    } catch (error) {
      profiles = before;
      throw error;
    }
  };
  return {
    load: async () => {
      profiles = await file.load();
      return profiles;
    },
    all: () => profiles,
    put: (profile) =>
      change(
        profiles.some(({ id }) => id === profile.id)
          ? profiles.map((one) => (one.id === profile.id ? profile : one))
          : [...profiles, profile],
      ),
    remove: (id) => change(profiles.filter((one) => one.id !== id)),
  };
}

function readProfiles(json: unknown): { readonly value: readonly Profile[]; readonly complaint?: string } {
  const { connections, version: written } = (json ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof written === 'number' && written > version) throw new Error(t('files.newer'));
  if (!Array.isArray(connections)) throw new Error(t('files.noConnections'));
  const good: Profile[] = [];
  for (const one of connections.slice(0, mostProfiles)) {
    const parsed = Profile.safeParse(one);
    if (parsed.success && !good.some(({ id }) => id === parsed.data.id)) good.push(parsed.data);
  }
  const lost = connections.length - good.length;
  if (lost === 0) return { value: good };
  return {
    value: good,
    complaint: t('files.lostConnections', { lost, all: connections.length }),
  };
}
