import type { ApiName } from '../../contract/api.ts';
import type { Session as LoginAnswer } from '../../contract/auth/auth.ts';
import type { ConnectionState } from '../../contract/desktop/connection.ts';
import type { Problem } from '../../contract/problem.ts';
import type { Pin } from '../api/certificate.ts';
import { startEventReader, type ToldEvent } from '../api/event-reader.ts';
import { describeServer, logIn } from '../api/login.ts';
import type { OwnTls } from '../api/own-tls.ts';
import { createServerClient, type ServerClient } from '../api/server-client.ts';
import { createSession, type Session, type Ticks, type Tokens } from '../api/session.ts';
import { createTransport, type Deadlines, type Transport, type WireExchange } from '../api/transport.ts';
import { messageOf, problemOf } from '../platform/problem-error.ts';
import { backOffMs, untilAborted, withinLimit } from '../platform/waiting.ts';
import { accountKey, type Profile } from '../profiles/profile.ts';
import type { SecretStore } from '../secrets/secret-store.ts';
import { t } from '../texts/index.ts';
import { loadFacts, loginFacts } from './link-facts.ts';
import { keychainProblem, type LocalAccess, logInLocally, notRunning, signInNeeded } from './link-sign-in.ts';
import { firstState, isOtherSkew, nextState, phaseAfter } from './link-state.ts';
import { fromStored, toStored } from './remembered-session.ts';

export interface LinkDeps {
  readonly profile: () => Profile;
  readonly saveProfile: (profile: Profile) => Promise<void>;
  readonly secrets: SecretStore;
  /** For the local connection: null while the backend does not run. */
  readonly local: () => LocalAccess | null;
  readonly onState: (state: ConnectionState) => void;
  readonly onEvent: (event: ToldEvent) => void;
  /** Each request as it went over the wire. */
  readonly onExchange?: (exchange: WireExchange) => void;
  readonly now: () => number;
  readonly ticks?: Ticks;
  /** Authorities and client certificate of this connection, read anew; a problem when they cannot be used. */
  readonly ownTls?: () => Promise<OwnTls | null>;
  readonly deadlines?: Partial<Deadlines>;
  readonly watchEveryMs?: number;
  readonly firstRetryMs?: number;
}

/** One server: its transport, session, event stream and state. */
export interface Link {
  readonly state: () => ConnectionState;
  /** The text without any secret that this connection holds now. */
  readonly scrub: (text: string) => string;
  /** Connects, or tries again now. Resolves when the outcome is in the state. */
  readonly connect: () => Promise<void>;
  readonly call: (name: ApiName, input: unknown, signal?: AbortSignal) => Promise<unknown>;
  readonly signIn: (password: string, signal?: AbortSignal) => Promise<void>;
  readonly signOut: () => Promise<void>;
  /** After another certificate was agreed on (null: the system's authorities vouch for it): everything kept open ends. */
  readonly trust: (pin: Pin | null) => Promise<void>;
  /** The local backend came or went. */
  readonly localChanged: (detail: string | null, problem: Problem | null) => void;
  /** The keychain works (again): what could not be read or kept before is tried now. */
  readonly keychainBack: () => void;
  /** Writes the session to the keychain, or removes it, as the profile now says. */
  readonly rememberChanged: () => Promise<void>;
  /** Ends all traffic; the session itself stays good. */
  readonly close: () => Promise<void>;
}

interface Way {
  readonly transport: Transport;
  readonly session: Session;
  readonly client: ServerClient;
}

const longestRetryMs = 60_000;
const logoutLimitMs = 3_000;

export function createLink(deps: LinkDeps): Link {
  const watchEveryMs = deps.watchEveryMs ?? 30_000;
  let state = firstState(deps.now());
  let way: Way | null = null;
  let ownTls: OwnTls | null = null;
  let reader: { readonly stop: () => void } | null = null;
  let connecting: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;
  let failures = 0;
  let closed = false;
  let keeping: Promise<void> = Promise.resolve();

  const set = (change: Partial<ConnectionState>): void => {
    if (closed) return;
    const before = state;
    state = nextState(state, change, deps.now());
    if (JSON.stringify(before) !== JSON.stringify(state)) deps.onState(state);
  };

  const isLocal = (): boolean => deps.profile().kind === 'local';

  /** As `open`, after the files of the connection were read: what changed on the disk counts from the next time on. */
  const ready = async (): Promise<Way> => {
    if (way) return way;
    const read = isLocal() ? null : ((await deps.ownTls?.()) ?? null);
    // Another caller may have been first.
    if (!way) ownTls = read;
    return open();
  };

  const open = (): Way => {
    if (way) return way;
    const profile = deps.profile();
    const local = isLocal() ? deps.local() : null;
    if (isLocal() && !local) throw notRunning();
    const transport = createTransport({
      address: local?.url ?? profile.address,
      pin: isLocal() ? null : profile.pin,
      own: isLocal() ? null : ownTls,
      onExchange: deps.onExchange,
      ...(deps.deadlines ? { deadlines: deps.deadlines } : {}),
    });
    const session = createSession(deps.ticks);
    const own: Way = {
      transport,
      session,
      client: createServerClient({
        transport,
        session,
        now: deps.now,
        onTokens: (tokens) => {
          if (way === own) keep(tokens);
        },
        onLogin: (login) => set(loginFacts(login)),
        onClockSkew: (clockSkewMs) => {
          if (isOtherSkew(state.clockSkewMs, clockSkewMs)) set({ clockSkewMs });
        },
        // The one-run secret of the bundled backend: no person has to be asked.
        ...(local ? { signInAgain: () => logInLocally(transport, local) } : {}),
      }),
    };
    way = own;
    return own;
  };

  const shut = async (): Promise<void> => {
    clearTimeout(timer);
    reader?.stop();
    reader = null;
    const old = way;
    way = null;
    await old?.transport.close();
  };

  /** In the order of the calls; the keychain may be slow, and nobody waits for it. */
  const keep = (tokens: Tokens | null): void => {
    const profile = deps.profile();
    if (isLocal() || (tokens && !profile.remember)) return;
    const account = accountKey(profile);
    keeping = keeping.then(async () => {
      if (tokens && tokens.refresh !== '') await deps.secrets.set(account, toStored(tokens));
      else await deps.secrets.remove(account);
    });
  };

  /** Tokens of an earlier run, or a problem that says why there are none. */
  const recall = async (session: Session): Promise<void> => {
    const profile = deps.profile();
    if (session.tokens()) return;
    if (!profile.remember) throw signInNeeded();
    const stored = await deps.secrets.get(accountKey(profile));
    if (stored.kind === 'failed') throw keychainProblem(stored.status.message, stored.status.state);
    const tokens = stored.kind === 'found' ? fromStored(stored.value) : null;
    if (!tokens) throw signInNeeded();
    session.set(tokens);
  };

  const connectNow = async (): Promise<void> => {
    clearTimeout(timer);
    try {
      const { client, session } = await ready();
      if (state.phase !== 'unreachable')
        set({ phase: 'connecting', detail: null, problem: null, retryAt: null });
      if (!isLocal() && !session.tokens()) {
        await recall(session);
        // One try with what was kept; a refusal asks the person.
        await client.renew();
      } else if (isLocal() && !session.tokens()) await client.renew();
      await becomeConnected();
    } catch (error) {
      settle(error);
    }
  };

  const becomeConnected = async (): Promise<void> => {
    const { client } = await ready();
    const facts = await loadFacts(client, state.roles);
    failures = 0;
    set({ ...facts, phase: 'connected', detail: null, problem: null, retryAt: null });
    startReader(client);
    watchLater();
  };

  const startReader = (client: ServerClient): void => {
    if (reader || closed) return;
    reader = startEventReader({
      client,
      onEvent: (event) => {
        deps.onEvent(event);
        // Service mode is part of the state; `reset` may hide such a change.
        if (event.kind === 'configuration' || event.kind === 'reset') check();
      },
      onLive: (live) => {
        set({ live });
        if (!live) check();
      },
      onProblem: (error) => observe(error),
    });
  };

  const watchLater = (): void => {
    clearTimeout(timer);
    if (!closed) timer = setTimeout(check, watchEveryMs);
  };

  /** A look at whether the server still answers and what the user may do there. One at a time. */
  const check = (): void => {
    if (closed || state.phase !== 'connected') return;
    void connect();
  };

  const connect = (): Promise<void> => {
    if (closed) return Promise.resolve();
    connecting ??= (state.phase === 'connected' ? lookAgain() : connectNow()).finally(() => {
      connecting = null;
    });
    return connecting;
  };

  const lookAgain = async (): Promise<void> => {
    try {
      await becomeConnected();
    } catch (error) {
      settle(error);
    }
  };

  /** A failure of connecting itself: it decides the state. */
  const settle = (error: unknown): void => {
    if (closed) return;
    clearTimeout(timer);
    const problem = problemOf(error) ?? { kind: 'bug', message: messageOf(error), code: 'bug' };
    if (problem.code === 'notRunning') {
      set({ phase: 'stopped', problem: null, retryAt: null, live: false });
      return;
    }
    // An answer that makes no sense is met again later, as is silence.
    const phase = phaseAfter(problem) ?? (state.phase === 'connected' ? 'connected' : 'unreachable');
    const willRetry = phase === 'unreachable' || phase === 'connected';
    if (willRetry) failures++;
    const waitMs = backOffMs(failures, deps.firstRetryMs ?? 2_000, longestRetryMs);
    if (phase !== 'connected') {
      reader?.stop();
      reader = null;
    }
    set({
      phase,
      detail: problem.message,
      problem,
      retryAt: willRetry ? deps.now() + waitMs : null,
      ...(phase === 'connected' ? {} : { live: false }),
    });
    if (willRetry) timer = setTimeout(() => void connect(), waitMs);
  };

  /** A failure of some call: it may say something about the connection. */
  const observe = (error: unknown): void => {
    const problem = problemOf(error);
    const phase = problem ? phaseAfter(problem) : null;
    if (!problem || !phase || state.phase !== 'connected') return;
    // One slow call is no lost server: a look of its own decides.
    if (phase === 'unreachable') check();
    else settle(error);
  };

  const takeOver = async (login: LoginAnswer): Promise<void> => {
    (await ready()).client.adopt(login);
    failures = 0;
    await becomeConnected();
  };

  return {
    state: () => state,
    scrub: (text) => {
      const tokens = way?.session.tokens();
      const held = [tokens?.access, tokens?.refresh, tokens?.csrf, deps.local()?.launchSecret];
      return held.reduce<string>(
        (clean, secret) => (secret ? clean.replaceAll(secret, '[secret]') : clean),
        text,
      );
    },
    connect,
    call: async (name, input, signal) => {
      try {
        return await (await ready()).client.callUnchecked(name, input, signal);
      } catch (error) {
        observe(error);
        throw error;
      }
    },
    signIn: async (password, signal) => {
      // A look at a mute server may be under way; cancelling does not wait for it.
      if (connecting) await untilAborted(connecting, signal);
      const profile = deps.profile();
      try {
        const { transport } = await ready();
        const known = profile.loginForm;
        const loginForm = known === 'unknown' ? (await describeServer(transport, signal)).loginForm : known;
        const login = await logIn(transport, profile, password, loginForm, signal);
        if (loginForm !== known) await deps.saveProfile({ ...deps.profile(), loginForm });
        await takeOver(login);
      } catch (error) {
        // A refused password changes nothing; a certificate or a silent server does.
        if (problemOf(error)?.kind !== 'refused' && problemOf(error)?.kind !== 'cancelled') settle(error);
        throw error;
      }
    },
    signOut: async () => {
      const client = way?.client;
      if (client && way?.session.tokens()) {
        const bye = client.callUnchecked('auth.logout', undefined).catch(() => undefined);
        // The session is forgotten here in any case; the server's ends by itself.
        await withinLimit(bye, logoutLimitMs, undefined);
      }
      await shut();
      keep(null);
      await keeping;
      set({
        phase: 'signIn',
        detail: t('signIn.signedOut'),
        problem: signInNeeded().problem,
        ...{ user: null, roles: [], permissions: [], live: false, retryAt: null },
      });
    },
    trust: async (pin) => {
      await shut();
      await deps.saveProfile({ ...deps.profile(), pin });
      failures = 0;
      set({ phase: 'connecting', detail: null, problem: null, retryAt: null });
      await connect();
    },
    localChanged: (detail, problem) => {
      void shut().then(async () => {
        // A look that was on its way when the backend went belongs to the old run.
        await connecting?.catch(() => undefined);
        if (deps.local()) await connect();
        else
          set({
            phase: problem || detail === null ? 'stopped' : 'connecting',
            detail,
            problem,
            live: false,
            retryAt: null,
          });
      });
    },
    keychainBack: () => {
      if (state.phase === 'signIn' && state.problem?.kind === 'keychain') void connect();
      const tokens = way?.session.tokens();
      if (state.phase === 'connected' && tokens) keep(tokens);
    },
    rememberChanged: async () => {
      const tokens = way?.session.tokens() ?? null;
      keep(deps.profile().remember ? tokens : null);
      await keeping;
    },
    close: async () => {
      closed = true;
      await shut();
      await keeping;
    },
  };
}
