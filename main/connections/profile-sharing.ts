import { randomUUID } from 'node:crypto';
import { accountKey, type Profile } from '../profiles/profile.ts';
import type { ProfileStore } from '../profiles/profile-store.ts';

type AccountOf = Parameters<typeof accountKey>[0];
/** What a file can say about a connection. */
export type SharedProfile = Omit<Profile, 'id' | 'kind' | 'loginForm'>;

/** Saved connections as files tell of them, out of this app and into it. */
export function createProfileSharing(deps: {
  readonly profiles: ProfileStore;
  readonly save: (profile: Profile) => Promise<void>;
  /** Of a connection that is open: ends it, and begins again with this certificate. */
  readonly trust: (id: string, pin: Profile['pin']) => Promise<unknown>;
  readonly open: (id: string) => void;
  readonly tellList: () => void;
}) {
  const { profiles, save, tellList } = deps;
  const knownOf = (account: AccountOf): Profile | undefined =>
    profiles.all().find((one) => one.kind === 'remote' && accountKey(one) === accountKey(account));

  return {
    /** What the saved servers are, for a file: the local backend belongs to this computer and stays here. */
    profilesToShare: (): readonly Profile[] => profiles.all().filter(({ kind }) => kind === 'remote'),

    /** The saved connection of the same account on the same server, if there is one. */
    sameAccount: (account: AccountOf): Pick<Profile, 'id' | 'name'> | null => knownOf(account) ?? null,

    /**
     * Takes over a connection that a file describes; a person signs in later. One that is there already is changed only when
     * `replace` says so: its name, group, colour, zone and trusted certificate and paths of TLS files, never its session.
     */
    takeOver: async (shared: SharedProfile, replace: boolean): Promise<'added' | 'replaced' | 'kept'> => {
      const known = knownOf(shared);
      if (known && !replace) return 'kept';
      if (known) {
        const { name, group, colour, zone, pin, tls } = shared;
        await save({ ...known, name, group, colour, zone, ...(tls ? { tls } : {}) });
        const isOtherPin = pin !== null && pin.fingerprint !== known.pin?.fingerprint;
        const isOtherTls = tls !== undefined && JSON.stringify(tls) !== JSON.stringify(known.tls);
        // Trusting anew ends what is open, so only another certificate or other files do it.
        if (isOtherPin || isOtherTls) await deps.trust(known.id, isOtherPin ? pin : known.pin);
        tellList();
        return 'replaced';
      }
      const id = randomUUID();
      await save({ ...shared, id, kind: 'remote', loginForm: 'unknown' });
      deps.open(id);
      tellList();
      return 'added';
    },
  };
}
