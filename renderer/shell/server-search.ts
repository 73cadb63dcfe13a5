import type { Connection } from '../../contract/desktop/connection.ts';
import { type Caller, callerOf, problemOf } from '../bridge.ts';
import { t } from '../texts/index.ts';
import { copyName } from './copy-words.ts';
import { statusWord, taskTypeWord } from './task-words.ts';

/** Shorter texts match too much to be worth a server's time. */
export const shortestSearch = 3;
const shownMost = 5;
export const deadlineMs = 6_000;
export const typingMs = 220;

export type HitKind = 'client' | 'task' | 'copy';

export interface Hit {
  readonly kind: HitKind;
  readonly id: number;
  /** Not escaped: texts of the server. */
  readonly label: string;
  readonly detail: string;
  /** What its list is narrowed by to find it, where that is not what was searched for. */
  readonly foundBy?: string;
}

/** What one server found. Kinds that the account may not see are not asked for. */
export interface ServerFinds {
  readonly connectionId: string;
  readonly hits: readonly Hit[];
  /** How many of a kind there are, when these are more than the hits. */
  readonly more: Readonly<Partial<Record<HitKind, number>>>;
  readonly isSearching: boolean;
  /** Why something could not be asked; null when all was answered. */
  readonly problem: string | null;
}

interface Found {
  readonly hits: readonly Hit[];
  readonly total: number;
}

interface Search {
  readonly kind: HitKind;
  readonly needs: string;
  readonly run: (call: Caller, text: string, signal: AbortSignal) => Promise<Found>;
}

const newest = { page: 1, limit: shownMost, sort: 'id', order: 'desc' } as const;

const searches: readonly Search[] = [
  {
    kind: 'client',
    needs: 'clients.read',
    run: async (call, search, signal) => {
      const { items, total } = await call(
        'clients.list',
        { query: { page: 1, limit: shownMost, search } },
        signal,
      );
      const hits = items.map((client) => ({
        kind: 'client' as const,
        id: client.id,
        label: client.client_name,
        foundBy: client.hostname,
        detail: t('palette.hits.client'),
      }));
      return { hits, total };
    },
  },
  {
    kind: 'task',
    needs: 'task_queue.read',
    run: async (call, search, signal) => {
      const { items, total } = await call('taskQueue.list', { query: { ...newest, search } }, signal);
      const hits = items.map((task) => ({
        kind: 'task' as const,
        id: task.id,
        label: t('status.taskOf', { type: taskTypeWord(task.task_type), resource: task.resource ?? '' }),
        detail: t('palette.hits.task', { id: task.id, status: statusWord(task.status) }),
      }));
      return { hits, total };
    },
  },
  {
    kind: 'copy',
    needs: 'repository.read',
    run: async (call, search, signal) => {
      const { items, total } = await call('repository.list', { query: { ...newest, search } }, signal);
      const hits = items.map((copy) => ({
        kind: 'copy' as const,
        id: copy.id,
        label: copyName(copy),
        detail: t('palette.hits.copy', { id: copy.id, resource: copy.resource }),
      }));
      return { hits, total };
    },
  },
];

/**
 * Asks every connected server by its own search, each for itself and at the same time. What comes is told as it comes; after
 * the deadline what has not come is given up. Answers how to stop.
 */
export function searchServers(
  connections: readonly Connection[],
  text: string,
  onFinds: (finds: ServerFinds) => void,
): () => void {
  const stop = new AbortController();
  for (const { id, kind, state } of connections) {
    // A recording cannot search.
    if (state.phase !== 'connected' || kind === 'recorded') continue;
    const asked = searches.filter(({ needs }) => state.permissions.includes(needs));
    if (asked.length > 0) searchOne(id, asked, text, stop.signal, onFinds);
  }
  return () => stop.abort();
}

function searchOne(
  connectionId: string,
  asked: readonly Search[],
  text: string,
  stopped: AbortSignal,
  onFinds: (finds: ServerFinds) => void,
): void {
  const call = callerOf(connectionId);
  const own = new AbortController();
  const giveUp = () => own.abort();
  stopped.addEventListener('abort', giveUp, { once: true });
  const found = new Map<HitKind, Found>();
  let left = asked.length;
  let problem: string | null = null;
  const tell = () => {
    if (stopped.aborted) return;
    const kinds = asked.flatMap(({ kind }) => {
      const one = found.get(kind);
      return one === undefined ? [] : [[kind, one] as const];
    });
    onFinds({
      connectionId,
      hits: kinds.flatMap(([, { hits }]) => hits),
      more: Object.fromEntries(
        kinds.filter(([, { hits, total }]) => total > hits.length).map(([kind, { total }]) => [kind, total]),
      ),
      isSearching: left > 0,
      problem,
    });
  };
  const end = () => {
    clearTimeout(limit);
    stopped.removeEventListener('abort', giveUp);
  };
  const limit = setTimeout(() => {
    problem = t('palette.noAnswer', { seconds: deadlineMs / 1000 });
    left = 0;
    end();
    tell();
    giveUp();
  }, deadlineMs);
  tell();
  for (const { kind, run } of asked) {
    run(call, text, own.signal)
      .then(
        (one) => found.set(kind, one),
        (error: unknown) => {
          problem ??= problemOf(error).message;
        },
      )
      .finally(() => {
        // Given up: what comes now answers nobody.
        if (own.signal.aborted || left === 0) return;
        left -= 1;
        if (left === 0) end();
        tell();
      });
  }
}
