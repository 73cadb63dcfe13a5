import { randomUUID } from 'node:crypto';
import type { ApiName } from '../../contract/api.ts';
import type {
  Connection,
  ConnectionDraft,
  ConnectionPatch,
  ConnectionState,
  ProbeResult,
  TlsFiles,
} from '../../contract/desktop/connection.ts';
import { parseAddress } from '../api/address.ts';
import type { ToldEvent } from '../api/event-reader.ts';
import type { Deadlines, WireExchange } from '../api/transport.ts';
import type { Supervisor } from '../local-backend/supervisor.ts';
import { messageOf, ProblemError } from '../platform/problem-error.ts';
import { createSignal } from '../platform/signals.ts';
import { withinLimit } from '../platform/waiting.ts';
import { localProfileId, type Profile } from '../profiles/profile.ts';
import type { ProfileStore } from '../profiles/profile-store.ts';
import type { SecretStore } from '../secrets/secret-store.ts';
import { t } from '../texts/index.ts';
import { createLink, type Link } from './link.ts';
import { createOwnTlsFiles, readOwnTls } from './own-tls-files.ts';
import { agreedPin, probeServer } from './probe-server.ts';
import { createProfileSharing } from './profile-sharing.ts';
import { localProfile, nameInThisLanguage, zoneOfThisComputer } from './this-computer.ts';

export interface ConnectionsDeps {
  readonly profiles: ProfileStore;
  readonly secrets: SecretStore;
  readonly supervisor: Supervisor;
  readonly now?: () => number;
  readonly deadlines?: Partial<Deadlines>;
  readonly watchEveryMs?: number;
  readonly firstRetryMs?: number;
}

const settleLimitMs = 60_000;

export type Connections = ReturnType<typeof createConnections>;

/** All servers that this app knows: saved ones and the local backend. Each lives and fails for itself. */
export function createConnections(deps: ConnectionsDeps) {
  const { profiles, secrets, supervisor } = deps;
  const now = deps.now ?? Date.now;
  const links = new Map<string, Link>();
  /** Being added: nothing of them is shown or saved before their sign-in has worked. */
  const drafts = new Map<string, Profile>();
  const tlsFiles = createOwnTlsFiles(secrets);
  const listChanged = createSignal<readonly Connection[]>();
  const stateChanged = createSignal<{ readonly connectionId: string; readonly state: ConnectionState }>();
  const wire = createSignal<{ readonly connectionId: string; readonly exchange: WireExchange }>();
  const serverEvent = createSignal<{ readonly connectionId: string } & ToldEvent>();
  // The bundled backend has the clocks of this computer. Asking for their zone is dear, and lists are told often.
  let localZone: string | null = null;
  const zoneHere = (): string => {
    localZone ??= zoneOfThisComputer();
    return localZone;
  };

  const profileOf = (id: string): Profile => {
    const profile = drafts.get(id) ?? profiles.all().find((one) => one.id === id);
    if (!profile) throw unknownConnection();
    return profile;
  };
  const linkOf = (id: string): Link => {
    const link = links.get(id);
    if (!link) throw unknownConnection();
    return link;
  };
  const shown = (profile: Profile): Connection => {
    const { pin, loginForm: _form, ...rest } = profile;
    const zone = profile.kind === 'local' ? zoneHere() : profile.zone;
    const name = nameInThisLanguage(profile);
    return {
      ...rest,
      name,
      zone,
      pinnedFingerprint: pin?.fingerprint ?? null,
      state: linkOf(profile.id).state(),
    };
  };
  const list = (): readonly Connection[] => profiles.all().map(shown);
  const tellList = (): void => listChanged.tell(list());

  const save = async (profile: Profile): Promise<void> => {
    await profiles.put(profile).catch((error: unknown) => {
      throw new ProblemError(
        {
          kind: 'local',
          code: 'settings',
          message: t('connections.notSaved', { reason: messageOf(error) }),
        },
        { cause: error },
      );
    });
  };

  const openLink = (id: string): Link => {
    const link = createLink({
      profile: () => profileOf(id),
      saveProfile: async (profile) => {
        if (drafts.has(id)) drafts.set(id, profile);
        else await save(profile);
        tellList();
      },
      secrets,
      local: () => supervisor.running(),
      ownTls: () => tlsFiles.read(profileOf(id)),
      onState: (state) => {
        if (!drafts.has(id)) stateChanged.tell({ connectionId: id, state });
      },
      onEvent: (event) => serverEvent.tell({ connectionId: id, ...event }),
      onExchange: (exchange) => wire.tell({ connectionId: id, exchange }),
      now,
      ...(deps.deadlines ? { deadlines: deps.deadlines } : {}),
      ...(deps.watchEveryMs ? { watchEveryMs: deps.watchEveryMs } : {}),
      ...(deps.firstRetryMs ? { firstRetryMs: deps.firstRetryMs } : {}),
    });
    links.set(id, link);
    return link;
  };

  const tellLocalLink = (): void => {
    const { phase, reason, code } = supervisor.state();
    const failure = phase === 'failed' || phase === 'waiting' ? reason : null;
    const detail = phase === 'starting' ? t('backend.starting') : failure;
    const problem =
      failure === null ? null : { kind: 'local' as const, code: code ?? 'exit', message: failure };
    links.get(localProfileId)?.localChanged(detail, problem);
  };
  const stopListening = [
    supervisor.onState(tellLocalLink),
    secrets.onStatus((status) => {
      if (status.state !== 'ok') return;
      for (const link of links.values()) link.keychainBack();
    }),
  ];

  const sharing = createProfileSharing({
    profiles,
    save,
    trust: (id, pin) => linkOf(id).trust(pin),
    open: (id) => void openLink(id).connect(),
    tellList,
  });

  const refuseDouble = (profile: Profile): void => {
    const known = sharing.sameAccount(profile);
    if (!known) return;
    throw new ProblemError({
      kind: 'refused',
      code: 'double',
      message: t('connections.double', { name: known.name }),
      errors: { address: t('connections.doubleField', { name: known.name }) },
    });
  };

  return {
    list,
    onList: listChanged.listen,
    onState: stateChanged.listen,
    onServerEvent: serverEvent.listen,
    onExchange: wire.listen,

    /** Opens all saved connections, each for itself. To be called once, after the profiles were loaded. */
    start: (): void => {
      for (const { id } of profiles.all()) {
        const link = openLink(id);
        if (id !== localProfileId) void link.connect();
      }
      if (links.has(localProfileId)) void supervisor.start().catch(() => undefined);
    },

    add: async (draft: Omit<ConnectionDraft, 'callId'>, signal?: AbortSignal): Promise<Connection> => {
      const address = parseAddress(draft.address);
      const profile: Profile = {
        id: randomUUID(),
        name: draft.name === '' ? new URL(address).host : draft.name,
        kind: 'remote',
        address,
        database: draft.database,
        userName: draft.userName,
        authType: draft.authType,
        domain: draft.authType === 'domain' ? draft.domain : '',
        remember: draft.remember,
        group: '',
        colour: 'none',
        zone: '',
        ...(draft.tls ? { tls: draft.tls } : {}),
        loginForm: 'unknown',
        pin: null,
      };
      refuseDouble(profile);
      const own = await tlsFiles.check(profile, draft.keyPassphrase ?? '');
      const pin = await agreedPin(address, draft.trustFingerprint, own, signal);
      await tlsFiles.keep(profile, draft.keyPassphrase ?? '');
      drafts.set(profile.id, { ...profile, pin });
      const link = openLink(profile.id);
      try {
        await link.signIn(draft.password, signal);
        await save(profileOf(profile.id));
      } catch (error) {
        // What fails leaves nothing behind, in the keychain neither.
        await link.signOut();
        await link.close();
        await tlsFiles.forget(profile);
        links.delete(profile.id);
        throw error;
      } finally {
        drafts.delete(profile.id);
      }
      tellList();
      return shown(profileOf(profile.id));
    },

    update: async (id: string, patch: ConnectionPatch): Promise<Connection> => {
      const profile = profileOf(id);
      const tls = patch.tls ?? profile.tls;
      const isOtherTls =
        profile.kind === 'remote' &&
        (patch.keyPassphrase !== undefined || JSON.stringify(tls) !== JSON.stringify(profile.tls));
      if (isOtherTls) {
        const passphrase = patch.keyPassphrase ?? (await tlsFiles.passphraseOf(profile));
        await tlsFiles.check({ ...profile, tls }, passphrase);
        await tlsFiles.forget(profile);
        await tlsFiles.keep({ ...profile, tls }, passphrase);
      }
      await save({
        ...profile,
        ...(tls && profile.kind === 'remote' ? { tls } : {}),
        name: patch.name ?? profile.name,
        remember: patch.remember ?? profile.remember,
        group: patch.group ?? profile.group,
        colour: patch.colour ?? profile.colour,
        zone: patch.zone ?? profile.zone,
      });
      if (patch.remember !== undefined && patch.remember !== profile.remember)
        await linkOf(id).rememberChanged();
      // What is open was agreed on with the files of before.
      if (isOtherTls) await linkOf(id).trust(profile.pin);
      tellList();
      return shown(profileOf(id));
    },

    remove: async (id: string): Promise<void> => {
      const link = linkOf(id);
      profileOf(id);
      if (id === localProfileId) await supervisor.stop();
      else await link.signOut();
      if (id !== localProfileId) await tlsFiles.forget(profileOf(id));
      await link.close();
      links.delete(id);
      await profiles.remove(id);
      tellList();
    },

    signIn: async (
      id: string,
      password: string,
      { remember, signal }: { readonly remember?: boolean | undefined; readonly signal?: AbortSignal } = {},
    ): Promise<Connection> => {
      const profile = profileOf(id);
      if (remember !== undefined && remember !== profile.remember) await save({ ...profile, remember });
      await linkOf(id).signIn(password, signal);
      if (remember === false) await linkOf(id).rememberChanged();
      tellList();
      return shown(profileOf(id));
    },
    signOut: async (id: string): Promise<void> => linkOf(id).signOut(),

    /** Whether these files can be used; a problem names the field and the remedy. */
    checkTls: async (tls: TlsFiles, passphrase: string): Promise<void> => {
      await readOwnTls(tls, passphrase);
    },

    ...sharing,

    probe: (text: string, signal?: AbortSignal): Promise<ProbeResult> =>
      probeServer(text, deps.deadlines, signal),

    trustCertificate: async (id: string, fingerprint: string): Promise<Connection> => {
      const profile = profileOf(id);
      const pin = await agreedPin(profile.address, fingerprint, await tlsFiles.read(profile));
      await linkOf(id).trust(pin);
      return shown(profileOf(id));
    },

    retry: async (id: string): Promise<void> => {
      if (id === localProfileId && !supervisor.running()) {
        await supervisor.start();
        return;
      }
      await linkOf(id).connect();
    },

    /** Makes the local connection if there is none, starts the backend and waits until calls work. */
    useLocal: async (): Promise<Connection> => {
      if (!links.has(localProfileId)) {
        await save(localProfile(''));
        openLink(localProfileId);
        tellList();
      }
      const running = await supervisor.start();
      const profile = profileOf(localProfileId);
      if (profile.userName !== running.superuser) await save({ ...profile, userName: running.superuser });
      await whenSettled(linkOf(localProfileId), stateChanged.listen);
      const { phase, problem } = linkOf(localProfileId).state();
      if (phase !== 'connected') throw new ProblemError(problem ?? notConnected());
      tellList();
      return shown(profileOf(localProfileId));
    },

    /** Forgets the sign-in of this run and starts the backend with new secrets. Data and connections stay. */
    resetLocalIdentity: async (): Promise<void> => {
      await supervisor.stop();
      if (links.has(localProfileId)) {
        const { userName, name, group, colour } = profileOf(localProfileId);
        await save({ ...localProfile(userName), name, group, colour });
      }
      await supervisor.start();
    },

    /** The text without any secret that a connection holds now. */
    scrub: (id: string, text: string): string => linkOf(id).scrub(text),

    call: async (id: string, name: ApiName, input: unknown, signal?: AbortSignal): Promise<unknown> =>
      linkOf(id).call(name, input, signal),

    /** After a sleep of the computer nobody knows what is still true: each connection looks now. */
    wake: (): void => {
      // It may have been carried into another zone.
      localZone = zoneOfThisComputer();
      for (const link of links.values()) if (link.state().phase !== 'signIn') void link.connect();
    },

    close: async (): Promise<void> => {
      for (const stop of stopListening) stop();
      await Promise.all([...links.values()].map((link) => link.close()));
    },
  };
}

/** Until the connection is no longer on its way. */
async function whenSettled(link: Link, listen: (listener: () => void) => () => void): Promise<void> {
  const isUnderWay = (): boolean => {
    const { phase, problem } = link.state();
    return phase === 'connecting' || (phase === 'stopped' && problem === null);
  };
  if (!isUnderWay()) return;
  let off = (): void => undefined;
  const settled = new Promise<void>((resolve) => {
    off = listen(() => {
      if (!isUnderWay()) resolve();
    });
  });
  await withinLimit(settled, settleLimitMs, undefined);
  off();
}

function unknownConnection(): ProblemError {
  return new ProblemError({
    kind: 'local',
    code: 'unknownConnection',
    message: t('connections.gone'),
  });
}

function notConnected() {
  return {
    kind: 'local' as const,
    code: 'notConnected',
    message: t('backend.notReached'),
  };
}
