import { describe, expect, it } from 'vitest';
import type { Connection, ConnectionState } from '../../../contract/desktop/connection.ts';
import type { ServerFacts, ServerHealth } from '../../../contract/desktop/fleet.ts';
import { defaultSettings } from '../../../contract/desktop/settings.ts';
import { tellDesktop } from '../../../main/desktop/desktop-notices.ts';
import { createFleetNews, type News } from '../../../main/fleet/fleet-news.ts';
import { createSignal } from '../../../main/platform/signals.ts';
import { trayPixels } from '../../../main/window/tray-icon.ts';
import { trayStateOf } from '../../../main/window/tray-state.ts';
import { connection } from '../../renderer/support/fake-bridge.ts';

const quiet: ServerFacts = {
  running: 0,
  failed: { count: 0, isMore: false, tasks: [] },
  overdue: { count: 0, runs: [] },
  nearlyFull: [],
};
const failed = (...ids: readonly number[]): ServerFacts => ({
  ...quiet,
  failed: {
    count: ids.length,
    isMore: false,
    tasks: ids.map((id) => ({
      id,
      taskType: 'backup_urgent',
      resource: `/srv/${id}`,
      status: 'error',
      finished: null,
      reason: 'The disk is full.\u202E\nsecond line',
      isForOthers: false,
    })),
  },
});
const overdue = (due: string): ServerFacts => ({
  ...quiet,
  overdue: {
    count: 1,
    runs: [
      {
        ruleId: 4,
        taskId: null,
        client: 'web',
        resource: '/home',
        strategy: 'nightly',
        due,
        reason: 'no client',
        isForOthers: false,
      },
    ],
  },
});
const full: ServerFacts = { ...quiet, nearlyFull: [{ id: 3, name: 'Main', freeBytes: 5, totalBytes: 100 }] };

/** The same with each item marked. */
function forOthers<K extends string, P extends { readonly [N in K]: readonly object[] } | null>(
  key: K,
  part: P,
): P {
  return part && { ...part, [key]: part[key].map((item) => ({ ...item, isForOthers: true })) };
}
const prague = connection();
const inPhase = (phase: ConnectionState['phase'], more: Partial<ConnectionState> = {}): Connection =>
  connection({}, { phase, ...more });

const told = (news: readonly News[]) => news.map(({ words, ...rest }) => ({ ...rest, ...words() }));

describe('news of a server', () => {
  it('are what is new; what was wrong at the first answer is no news', () => {
    const news = createFleetNews();
    expect(news.ofHealth(prague, { facts: null })).toEqual([]);
    expect(news.ofHealth(prague, { facts: failed(1) })).toEqual([]);
    expect(news.ofHealth(prague, { facts: failed(1) })).toEqual([]);
    expect(told(news.ofHealth(prague, { facts: failed(2, 1) }))).toEqual([
      {
        kind: 'taskFailed',
        title: 'Task failed on Prague',
        body: 'Backup of /srv/2: The disk is full.\uFFFD second line',
        place: { connectionId: 'prague', section: 'Tasks', id: 2, status: 'error' },
      },
    ]);
  });

  it('are not what a strategy wants users of other roles told of', () => {
    const news = createFleetNews();
    news.ofHealth(prague, { facts: quiet });
    const facts: ServerFacts = {
      ...quiet,
      failed: forOthers('tasks', failed(2).failed),
      overdue: forOthers('runs', overdue('2030-01-15T02:00:00').overdue),
    };
    expect(news.ofHealth(prague, { facts })).toEqual([]);
  });

  it('tell again when a task was restarted and failed once more, or a run of the same rule falls due anew', () => {
    const news = createFleetNews();
    news.ofHealth(prague, { facts: failed(1) });
    news.ofHealth(prague, { facts: quiet });
    expect(news.ofHealth(prague, { facts: failed(1) })).toHaveLength(1);
    news.ofHealth(prague, { facts: overdue('2030-01-15T02:00:00') });
    expect(news.ofHealth(prague, { facts: overdue('2030-01-15T02:00:00') })).toEqual([]);
    expect(told(news.ofHealth(prague, { facts: overdue('2030-01-16T02:00:00') }))).toMatchObject([
      {
        kind: 'runOverdue',
        body: '/home of web by nightly: no client',
        place: { section: 'Strategy rules', id: 4 },
      },
    ]);
  });

  it('a pool that fills up is told once, not at every answer', () => {
    const news = createFleetNews();
    news.ofHealth(prague, { facts: quiet });
    expect(told(news.ofHealth(prague, { facts: full }))).toMatchObject([
      { kind: 'poolNearlyFull', body: 'Main has 5 % of its space left.', place: { section: 'Pools', id: 3 } },
    ]);
    expect(news.ofHealth(prague, { facts: full })).toEqual([]);
  });

  it('many of a kind at once are one', () => {
    const news = createFleetNews();
    news.ofHealth(prague, { facts: quiet });
    expect(told(news.ofHealth(prague, { facts: failed(9, 8, 7, 6, 5) }))).toMatchObject([
      { title: '5 tasks failed on Prague', place: { section: 'Tasks', id: null, status: 'error' } },
    ]);
  });

  it('a lost server is told once in ten minutes, one that a person stopped or signed out of never', () => {
    let nowMs = 0;
    const news = createFleetNews(() => nowMs);
    const comesAndGoes = () => {
      news.ofState(inPhase('connected'));
      return news.ofState(inPhase('unreachable', { detail: 'No answer.' }));
    };
    expect(told(comesAndGoes())).toMatchObject([
      {
        kind: 'serverUnreachable',
        title: 'Prague is lost',
        body: 'No answer.',
        place: { section: 'Overview' },
      },
    ]);
    nowMs = 9 * 60_000;
    expect(comesAndGoes()).toEqual([]);
    nowMs = 11 * 60_000;
    expect(comesAndGoes()).toHaveLength(1);
    nowMs = 60 * 60_000;
    news.ofState(inPhase('connected'));
    expect(news.ofState(inPhase('stopped'))).toEqual([]);
    news.ofState(inPhase('connected'));
    expect(news.ofState(inPhase('signIn'))).toEqual([]);
    // Never reached since the start: nothing was lost.
    expect(createFleetNews().ofState(inPhase('unreachable'))).toEqual([]);
  });
});

describe('notices of the desktop', () => {
  it.each(['taskFailed', 'runOverdue', 'poolNearlyFull', 'serverUnreachable'] as const)(
    '%s can be turned off for itself',
    (off) => {
      const shown: News[] = [];
      const kept: News[] = [];
      const onChange = createSignal<ServerHealth>();
      const onState = createSignal<{ readonly connectionId: string; readonly state: ConnectionState }>();
      const onList = createSignal<readonly Connection[]>();
      let now = prague;
      tellDesktop({
        connections: { list: () => [now], onList: onList.listen, onState: onState.listen },
        fleet: { onChange: onChange.listen },
        settings: () => ({ desktopNotices: { ...defaultSettings.desktopNotices, [off]: false } }),
        keep: (news) => kept.push(news),
        show: (news) => shown.push(news),
      });
      const answer = (facts: ServerFacts) =>
        onChange.tell({ connectionId: 'prague', facts, answeredAt: 0, problem: null });
      onState.tell({ connectionId: 'prague', state: now.state });
      answer(quiet);
      answer({ ...full, failed: failed(1).failed, overdue: overdue('2030-01-15T02:00:00').overdue });
      now = inPhase('unreachable');
      onState.tell({ connectionId: 'prague', state: now.state });
      const all = ['taskFailed', 'runOverdue', 'poolNearlyFull', 'serverUnreachable'];
      expect(shown.map(({ kind }) => kind).sort()).toEqual(all.filter((kind) => kind !== off).sort());
      // The window keeps what the desktop is silent about.
      expect(kept.map(({ kind }) => kind).sort()).toEqual([...all].sort());
    },
  );
});

describe('the tray', () => {
  const health = (connectionId: string, facts: ServerFacts | null): ServerHealth => ({
    connectionId,
    facts,
    answeredAt: 0,
    problem: null,
  });
  const brno = connection({ id: 'brno', name: 'Br\u202Eno' });

  it('says the worst of all servers, and each in a line', () => {
    const well = [health('prague', { ...quiet, running: 2 }), health('brno', quiet)];
    expect(trayStateOf([prague, brno], well)).toEqual({
      standing: 'well',
      summary: 'all is well, 2 running',
      servers: [
        { connectionId: 'prague', line: 'Prague: well, 2 running' },
        { connectionId: 'brno', line: 'Br\uFFFDno: well' },
      ],
    });
    expect(
      trayStateOf([prague, brno], [health('prague', failed(1, 2)), health('brno', quiet)]),
    ).toMatchObject({
      standing: 'look',
      summary: 'something needs a look',
      servers: [{ line: 'Prague: 2 to look at' }, {}],
    });
    expect(trayStateOf([inPhase('unreachable'), brno], well)).toMatchObject({
      standing: 'lost',
      summary: 'a server is lost',
      servers: [{ line: 'Prague: not reachable' }, {}],
    });
    expect(trayStateOf([prague, brno], [])).toMatchObject({ standing: 'unknown' });
    expect(trayStateOf([], [])).toMatchObject({ standing: 'unknown', summary: 'no connection yet' });
  });

  it('its icons differ in shape, not in colour alone', () => {
    const shapeOf = (standing: Parameters<typeof trayPixels>[1]) => {
      const pixels = trayPixels(22, standing);
      return Array.from({ length: 22 * 22 }, (_, at) => (pixels[at * 4 + 3] === 0 ? ' ' : '#')).join('');
    };
    const shapes = (['well', 'look', 'lost', 'unknown'] as const).map(shapeOf);
    expect(new Set(shapes).size).toBe(4);
  });
});
