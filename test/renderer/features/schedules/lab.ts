import { screen } from '@testing-library/react';
import { afterAll, beforeAll, vi } from 'vitest';
import type { OverdueRule } from '../../../../contract/statistics/statistics.ts';
import type { RuleRun } from '../../../../contract/strategy-rules/rule-run.ts';
import { giveElementsASize } from '../../support/drawn.tsx';
import { connection } from '../../support/fake-bridge.ts';
import { openWindow, windowTests } from '../../support/window.tsx';
import { page, run } from '../rows.ts';

/** Tests of what runs when, in the window of a computer in Tokyo. */
export function scheduleTests(): void {
  giveElementsASize();
  windowTests();
  beforeAll(() => {
    vi.stubEnv('TZ', 'Asia/Tokyo');
  });
  afterAll(() => {
    vi.unstubAllEnvs();
  });
}

const permissions = ['strategies', 'strategy_rules', 'task_queue', 'statistics', 'pools'].flatMap((area) =>
  ['read', 'write', 'delete'].map((right) => `${area}.${right}`),
);
export const extensions = ['strategies', 'statistics', 'strategy_rules_runs'];
let made = 0;

export async function openSection(
  section: string,
  answers: Parameters<typeof openWindow>[0],
  has = extensions,
) {
  made += 1;
  const one = connection({ id: `calendar-${made}` }, { permissions, extensions: has });
  const view = await openWindow({
    'connections.list': () => [one],
    'taskQueue.list': page(),
    'pools.list': page(),
    'strategies.list': page(),
    'statistics.get': () => ({ overdue: [] }),
    'strategyRules.list': page(),
    'strategyRules.runs': page(),
    'taskQueue.extension': () => ({ crypto: { values: ['nocrypt'] } }),
    ...answers,
  });
  await view.user.click(screen.getByRole('link', { name: section }));
  return view;
}

/** The first one waits for its section to be loaded too, which takes its time on a busy machine. */
export const row = (text: string) =>
  screen.findByRole('row', { name: new RegExp(text) }, { timeout: 10_000 });
export const nightOfChange = ['2030-10-26T00:30:00Z', '2030-10-27T00:30:00Z', '2030-10-28T01:30:00Z'].map(
  (utc) => run(utc),
);

export function overdue(change: Partial<OverdueRule> = {}): OverdueRule {
  return {
    rule_id: 1,
    client: 'here (abc)',
    resource: '/srv/rule-1',
    strategy: 'strategy-1',
    backup_type: 'full',
    due: '2026-01-05T02:30:00',
    utc: '2026-01-05T01:30:00Z',
    reason: 'The client is offline.',
    task_id: null,
    task_status: null,
    ...change,
  };
}

export function ruleRun(id: number, change: Partial<RuleRun> = {}): RuleRun {
  return {
    id,
    due: `2026-01-0${id}T02:30:00`,
    utc: `2026-01-0${id}T01:30:00Z`,
    backup_type: 'full',
    outcome: 'planned',
    reason: null,
    task_id: null,
    task_status: null,
    noted: `2026-01-0${id}T02:30:01`,
    ...change,
  };
}
