import type { ConnectionState } from '../../contract/desktop/connection.ts';
import type { ServerHealth } from '../../contract/desktop/fleet.ts';
import type { Connections } from '../connections/connections.ts';
import { messageOf, problemOf } from '../platform/problem-error.ts';
import { createSignal } from '../platform/signals.ts';
import { createTurns, type Turns } from '../platform/turns.ts';
import { backOffMs } from '../platform/waiting.ts';
import { t } from '../texts/index.ts';
import { type CallServer, lookAtServer } from './server-look.ts';

export interface FleetDeps {
  readonly connections: Pick<Connections, 'list' | 'call' | 'onList' | 'onState' | 'onServerEvent'>;
  readonly now?: () => number;
  /** Between two looks at a server that answers and tells nothing by itself. */
  readonly everyMs?: number;
  /** The longest that one look may take. */
  readonly deadlineMs?: number;
  /** How long events are gathered before the next look. */
  readonly settleMs?: number;
  readonly firstRetryMs?: number;
}

/**
 * What is known of all servers. Each is looked at for itself: in parallel, one look at a time, each with its deadline; many
 * that are due at once begin one after the other.
 */
export interface Fleet {
  readonly list: () => readonly ServerHealth[];
  readonly onChange: (listener: (health: ServerHealth) => void) => () => void;
  /** Looks at every connected server now, whatever its back-off says. */
  readonly lookNow: () => void;
  readonly close: () => void;
}

const longestRetryMs = 120_000;
const interesting: readonly string[] = ['task', 'pool', 'configuration', 'client', 'reset'];

export function createFleet(deps: FleetDeps): Fleet {
  const changed = createSignal<ServerHealth>();
  const watches = new Map<string, Watch>();
  const turns = createTurns();

  const follow = (): void => {
    const states = new Map(deps.connections.list().map(({ id, state }) => [id, state]));
    for (const [id, watch] of watches) {
      if (states.has(id)) continue;
      watch.close();
      watches.delete(id);
    }
    for (const [id, state] of states) {
      const watch = watches.get(id) ?? createWatch(id, { ...deps, turns }, changed.tell);
      watches.set(id, watch);
      watch.stateIs(state);
    }
  };
  const offs = [
    deps.connections.onList(follow),
    deps.connections.onState(({ connectionId, state }) => watches.get(connectionId)?.stateIs(state)),
    deps.connections.onServerEvent(({ connectionId, kind }) => {
      if (interesting.includes(kind)) watches.get(connectionId)?.somethingHappened();
    }),
  ];
  follow();
  return {
    list: () => [...watches.values()].map((watch) => watch.health()),
    onChange: changed.listen,
    lookNow: () => {
      for (const watch of watches.values()) watch.lookNow();
    },
    close: () => {
      for (const off of offs) off();
      turns.close();
      for (const watch of watches.values()) watch.close();
      watches.clear();
    },
  };
}

interface Watch {
  readonly health: () => ServerHealth;
  readonly stateIs: (state: ConnectionState) => void;
  readonly somethingHappened: () => void;
  readonly lookNow: () => void;
  readonly close: () => void;
}

function createWatch(
  connectionId: string,
  deps: FleetDeps & { readonly turns: Turns },
  tell: (health: ServerHealth) => void,
): Watch {
  const {
    connections,
    turns,
    now = Date.now,
    everyMs = 60_000,
    deadlineMs = 12_000,
    settleMs = 2_000,
    firstRetryMs = 5_000,
  } = deps;
  let health: ServerHealth = { connectionId, facts: null, answeredAt: null, problem: null };
  let state: ConnectionState | null = null;
  let wasConnected = false;
  let isDue = false;
  let looking: AbortController | null = null;
  let timer: NodeJS.Timeout | undefined;
  let settling: NodeJS.Timeout | undefined;
  let failures = 0;
  let isWanted = false;

  const set = (change: Partial<ServerHealth>): void => {
    health = { ...health, ...change };
    tell(health);
  };

  const lookSoon = (): void => {
    if (isDue) return;
    isDue = true;
    turns.take(() => {
      if (isDue) void look();
    });
  };

  const look = async (): Promise<void> => {
    isDue = false;
    if (state?.phase !== 'connected') return;
    if (looking) {
      isWanted = true;
      return;
    }
    clearTimeout(timer);
    isWanted = false;
    const own = new AbortController();
    looking = own;
    let isLate = false;
    // Mute servers are often asked, and given up, at the same moment.
    const giveUp = (): void => {
      isLate = true;
      own.abort();
    };
    const limit = setTimeout(() => turns.take(giveUp), deadlineMs);
    // Read by the endpoint's declaration; `connections.call` itself cannot say its type.
    const call = ((name, input) => connections.call(connectionId, name, input, own.signal)) as CallServer;
    try {
      const facts = await lookAtServer(call, state, now());
      failures = 0;
      if (looking === own) set({ facts, answeredAt: now(), problem: null });
      timer = setTimeout(lookSoon, everyMs);
    } catch (error) {
      // One part failed; the others have nobody left who waits for them.
      own.abort();
      if (looking === own) {
        failures++;
        // What was gathered before waits for the back-off too.
        clearTimeout(settling);
        settling = undefined;
        const waitMs = backOffMs(failures, firstRetryMs, longestRetryMs);
        const message = isLate
          ? t('network.late', { seconds: Math.round(deadlineMs / 1000) })
          : (problemOf(error)?.message ?? messageOf(error));
        set({ problem: { message, since: health.problem?.since ?? now(), retryAt: now() + waitMs } });
        timer = setTimeout(lookSoon, waitMs);
      }
    } finally {
      clearTimeout(limit);
      if (looking === own) looking = null;
    }
    if (isWanted && failures === 0) somethingHappened();
  };

  /** Gathered; while the server is troubled its back-off holds, whatever it tells. */
  const somethingHappened = (): void => {
    if (failures > 0 || settling !== undefined) return;
    settling = setTimeout(() => {
      settling = undefined;
      lookSoon();
    }, settleMs);
  };

  const rest = (): void => {
    looking?.abort();
    looking = null;
    clearTimeout(timer);
    clearTimeout(settling);
    settling = undefined;
    failures = 0;
    isWanted = false;
    isDue = false;
  };

  return {
    health: () => health,
    somethingHappened,
    stateIs: (next) => {
      state = next;
      const isConnected = next.phase === 'connected';
      if (isConnected === wasConnected) return;
      wasConnected = isConnected;
      rest();
      // From here on the connection's own state says what is wrong.
      if (!isConnected && health.problem) set({ problem: null });
      if (isConnected) lookSoon();
    },
    lookNow: () => {
      failures = 0;
      lookSoon();
    },
    close: rest,
  };
}
