import type { Connection } from '../../contract/desktop/connection.ts';
import type { FailedTask, NearlyFullPool, OverdueRun, ServerHealth } from '../../contract/desktop/fleet.ts';
import type { NewsItem, NewsPlace } from '../../contract/desktop/news.ts';
import type { DesktopNoticeKind } from '../../contract/desktop/settings.ts';
import { nameOfTask } from '../desktop/running-tasks.ts';
import { plainText } from '../platform/plain-text.ts';
import { t } from '../texts/index.ts';

/** Something new that a person should hear of, and where the window explains it. */
export interface News {
  readonly kind: DesktopNoticeKind;
  /** In the language of the moment: it is kept, and shown again after another one was chosen. */
  readonly words: () => NewsWords;
  readonly place: NewsPlace;
}

export type NewsWords = Pick<NewsItem, 'title' | 'body'>;

/** More of a kind at once are told in one. */
const toldSingly = 3;
/** A server that comes and goes is told of once in this span. */
const quietMs = 10 * 60_000;

type Named = Pick<Connection, 'id' | 'name'>;

/**
 * Tells what is new from what was known. The first answer of a server after the start is only taken note of: what has been
 * wrong before is on the screen, and nobody wants to hear it again at each start.
 */
export function createFleetNews(now: () => number = Date.now) {
  const known = new Map<string, ReadonlySet<string>>();
  const lostAt = new Map<string, number>();
  const phases = new Map<string, string>();

  return {
    ofHealth: (connection: Named, { facts }: Pick<ServerHealth, 'facts'>): readonly News[] => {
      if (facts === null) return [];
      const items = [
        ...(facts.failed?.tasks ?? [])
          .filter(isForThis)
          .map((task) => [`task ${task.id}`, failedNews(connection, task)] as const),
        ...(facts.overdue?.runs ?? [])
          .filter(isForThis)
          .map((run) => [`overdue ${run.ruleId} ${run.due}`, overdueNews(connection, run)] as const),
        ...(facts.nearlyFull ?? []).map((pool) => [`pool ${pool.id}`, fullNews(connection, pool)] as const),
      ];
      const before = known.get(connection.id);
      known.set(connection.id, new Set(items.map(([key]) => key)));
      if (before === undefined) return [];
      return summed(
        connection,
        items.filter(([key]) => !before.has(key)).map(([, news]) => news),
      );
    },

    /** A server that answered is lost, or the bundled one ended by itself. */
    ofState: ({ id, name, state }: Connection): readonly News[] => {
      const before = phases.get(id);
      phases.set(id, state.phase);
      const isGone = state.phase === 'unreachable' || (state.phase === 'stopped' && state.problem !== null);
      if (before !== 'connected' || !isGone) return [];
      if (now() - (lostAt.get(id) ?? Number.NEGATIVE_INFINITY) < quietMs) return [];
      lostAt.set(id, now());
      const place = { connectionId: id, section: 'Overview', id: null, status: null };
      const words = () => ({
        title: t('news.lost', { server: plainText(name, 80) }),
        body: plainText(state.detail ?? state.problem?.message ?? t('news.noAnswer')),
      });
      return [{ kind: 'serverUnreachable', words, place }];
    },

    forget: (ids: readonly string[]): void => {
      for (const map of [known, lostAt, phases])
        for (const id of map.keys()) if (!ids.includes(id)) map.delete(id);
    },
  };
}

const isForThis = ({ isForOthers }: { readonly isForOthers: boolean }): boolean => !isForOthers;

function failedNews(connection: Named, task: FailedTask): News {
  const { reason } = task;
  return {
    kind: 'taskFailed',
    words: () => {
      const what = nameOfTask({ task_type: task.taskType, resource: task.resource });
      return {
        title: t('news.failed', { server: plainText(connection.name, 80) }),
        body: plainText(reason === '' ? what : t('news.failedReason', { task: what, reason })),
      };
    },
    place: { connectionId: connection.id, section: 'Tasks', id: task.id, status: task.status },
  };
}

function overdueNews(connection: Named, run: OverdueRun): News {
  return {
    kind: 'runOverdue',
    words: () => ({
      title: t('news.overdue', { server: plainText(connection.name, 80) }),
      body: plainText(
        t('news.overdueBody', {
          resource: run.resource,
          client: run.client,
          strategy: run.strategy,
          reason: run.reason,
        }),
      ),
    }),
    place: { connectionId: connection.id, section: 'Strategy rules', id: run.ruleId, status: null },
  };
}

function fullNews(connection: Named, pool: NearlyFullPool): News {
  const percent = Math.round((pool.freeBytes / pool.totalBytes) * 100);
  return {
    kind: 'poolNearlyFull',
    words: () => ({
      title: t('news.full', { server: plainText(connection.name, 80) }),
      body: plainText(t('news.fullBody', { pool: pool.name, percent })),
    }),
    place: { connectionId: connection.id, section: 'Pools', id: pool.id, status: null },
  };
}

/** The section that explains several of a kind. */
const sectionOf: Readonly<Record<DesktopNoticeKind, string>> = {
  taskFailed: 'Tasks',
  runOverdue: 'Overview',
  poolNearlyFull: 'Pools',
  serverUnreachable: 'Overview',
};

function summed(connection: Named, news: readonly News[]): readonly News[] {
  const kinds = [...new Set(news.map(({ kind }) => kind))];
  return kinds.flatMap((kind) => {
    const same = news.filter((one) => one.kind === kind);
    const [first] = same;
    if (first === undefined || same.length <= toldSingly) return same;
    return [
      {
        kind,
        words: () => ({
          title: t(`news.many.${kind}`, { count: same.length, server: plainText(connection.name, 80) }),
          body: first.words().body,
        }),
        place: {
          connectionId: connection.id,
          section: sectionOf[kind],
          id: null,
          status: first.place.status,
        },
      },
    ];
  });
}
