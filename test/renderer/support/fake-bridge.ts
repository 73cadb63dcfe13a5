import type { CommandName, CommandResult, EventName, EventPayload } from '../../../contract/bridge.ts';
import type { Connection, ConnectionState } from '../../../contract/desktop/connection.ts';
import type { LocalBackendState } from '../../../contract/desktop/local-backend.ts';
import { defaultSettings, type Settings } from '../../../contract/desktop/settings.ts';
import type { Outcome, Problem } from '../../../contract/problem.ts';

type Answer = (input: unknown) => unknown;

/** Thrown by an answer: main's way to say what went wrong. */
export class Refused extends Error {
  readonly problem: Problem;
  constructor(problem: Partial<Problem> & { readonly message: string }) {
    super(problem.message);
    this.problem = { kind: 'refused', ...problem };
  }
}

export const appInfo = {
  version: '1.0.0',
  platform: 'linux',
  electron: '1',
  chrome: '1',
  node: '1',
  home: '/home/me',
  keychain: 'ok',
  dark: false,
  tray: true,
};

/**
 * Main's end of the bridge. Commands that a test does not answer itself answer as a window right after the start would
 * see it; `api.call` goes to the answer with the endpoint's name.
 */
export function installBridge(answers: Readonly<Partial<Record<string, Answer>>> = {}) {
  const calls: { readonly name: string; readonly input: unknown }[] = [];
  const listeners = new Map<string, Set<(payload: unknown) => void>>();
  let settings: Settings = defaultSettings;
  const given: Readonly<Partial<Record<string, Answer>>> = {
    'settings.get': () => settings,
    'settings.set': (patch) => {
      const { tables, views, ...rest } = patch as Partial<Settings>;
      settings = {
        ...settings,
        ...rest,
        tables: { ...settings.tables, ...tables },
        views: { ...settings.views, ...views },
      };
      return settings;
    },
    'app.info': () => appInfo,
    'connections.list': () => [],
    'fleet.list': () => [],
    'connections.probe': () => ({
      address: '',
      trust: 'system',
      reason: null,
      certificate: null,
      version: '1.0',
    }),
    'localBackend.state': () => backendState(),
    'localBackend.logTail': () => [],
    'localBackend.log': () => [],
    'notices.list': () => [],
    'news.list': () => [],
    'strategyRules.extension': () => ({}),
    'repository.extension': () => ({}),
    ...answers,
  };
  const invoke = async (name: CommandName, input?: unknown): Promise<Outcome<CommandResult<CommandName>>> => {
    const isApi = name === 'api.call';
    const asked = isApi ? (input as { name: string; input: unknown }) : { name, input };
    calls.push({ name: asked.name, input: asked.input });
    try {
      const value = await given[asked.name]?.(asked.input);
      return { ok: true, value: (value ?? null) as CommandResult<CommandName> };
    } catch (error) {
      if (error instanceof Refused) return { ok: false, problem: error.problem };
      throw error;
    }
  };
  const on = (name: EventName, listener: (payload: never) => void) => {
    const all = listeners.get(name) ?? new Set();
    listeners.set(name, all.add(listener as (payload: unknown) => void));
    return () => all.delete(listener as (payload: unknown) => void);
  };
  Object.defineProperty(window, 'bridge', { configurable: true, value: { invoke, on } });
  return {
    calls,
    callsOf: (name: string) => calls.filter((call) => call.name === name).map((call) => call.input),
    settings: () => settings,
    tell: <N extends EventName>(name: N, payload: EventPayload<N>) => {
      for (const listener of listeners.get(name) ?? []) listener(payload);
    },
  };
}

export function connection(
  change: Partial<Connection> = {},
  state: Partial<ConnectionState> = {},
): Connection {
  return {
    id: 'prague',
    name: 'Prague',
    kind: 'remote',
    address: 'https://prague.example.org:5656',
    database: 'strongroom',
    userName: 'admin',
    authType: 'database',
    domain: '',
    remember: true,
    group: '',
    colour: 'none',
    zone: '',
    pinnedFingerprint: null,
    ...change,
    state: {
      phase: 'connected',
      since: 0,
      detail: null,
      problem: null,
      retryAt: null,
      user: 'admin',
      roles: ['superuser'],
      permissions: ['task_queue.read', 'task_queue.write', 'repository.read', 'pools.read'],
      serviceMode: false,
      extensions: ['users', 'strategies', 'audit_log'],
      serverVersion: '1.0.0',
      clockSkewMs: 0,
      live: true,
      lastSuccessLogin: null,
      lastFailLogin: null,
      ...state,
    },
  };
}

export function backendState(change: Partial<LocalBackendState> = {}): LocalBackendState {
  return {
    phase: 'unused',
    since: 0,
    reason: null,
    code: null,
    exitCode: null,
    retryAt: null,
    url: null,
    pid: null,
    version: null,
    dataDir: '/home/me/backend',
    logDir: '/home/me/backend/log',
    failedStarts: 0,
    ...change,
  };
}
