import { connectionWord } from '../../shell/connection-words.ts';
import { goTo } from '../../shell/shell-store.ts';
import { taskTypeWord } from '../../shell/task-words.ts';
import { showIn, showList } from '../../shell/tell.ts';
import { t } from '../../texts/index.ts';
import { Button, type Meaning, MeaningIcon, showHidden } from '../../ui/index.ts';
import type { FleetRow } from './fleet-rows.ts';
import { failedText, fullText, overdueText, words } from './fleet-words.ts';
import { showFailed } from './show-failed.ts';

const shownMost = 3;

/** One thing that needs a person, and the way to the screen that explains it. */
export interface Trouble {
  readonly key: string;
  readonly meaning: Meaning;
  readonly text: string;
  /** What the button shows, for its name. */
  readonly what: string;
  readonly open: () => void;
}

/** All troubles of a server, the worst kind first; of each kind the first few, and how many more there are. */
export function troublesOf(row: FleetRow): readonly Trouble[] {
  const { connection, health } = row;
  const { id } = connection;
  const facts = health?.facts ?? null;
  return [
    ...awayTrouble(row),
    ...named(facts?.overdue?.runs ?? [], facts?.overdue?.count ?? 0, {
      what: 'overdue',
      all: () => goTo({ connectionId: id, section: 'Overview' }),
      line: (run) => ({
        key: `overdue-${run.ruleId}`,
        meaning: 'warning',
        text: overdueText(run),
        what: t('fleet.what.rule', { resource: showHidden(run.resource) }),
        open: () => showIn(id, 'Strategy rules', run.ruleId),
      }),
    }),
    ...named(facts?.failed?.tasks ?? [], facts?.failed?.count ?? 0, {
      what: 'failed',
      all: () => showFailed(row),
      line: (task) => ({
        key: `task-${task.id}`,
        meaning: 'error',
        text: failedText({ ...task, type: taskTypeWord(task.taskType) }),
        what: t('fleet.what.task', { id: task.id }),
        open: () => showList(id, 'Tasks', { id: task.id, filters: { status: task.status } }),
      }),
    }),
    ...named(facts?.nearlyFull ?? [], facts?.nearlyFull?.length ?? 0, {
      what: 'full',
      all: () => goTo({ connectionId: id, section: 'Pools' }),
      line: (pool) => ({
        key: `pool-${pool.id}`,
        meaning: 'warning',
        text: fullText(pool),
        what: t('fleet.what.pool', { name: showHidden(pool.name) }),
        open: () => showIn(id, 'Pools', pool.id),
      }),
    }),
  ];
}

function awayTrouble({ connection, health }: FleetRow): readonly Trouble[] {
  const { phase, detail, problem } = connection.state;
  const open = () => goTo({ connectionId: connection.id, section: 'Overview' });
  const failing = health?.problem ?? null;
  if (phase === 'connected' && failing !== null)
    return [
      { key: 'look', meaning: 'error', text: showHidden(failing.message), what: words.what.overview, open },
    ];
  if (phase !== 'unreachable' && phase !== 'certificate' && phase !== 'signIn') return [];
  const { word, meaning } = connectionWord(connection);
  const why = detail ?? problem?.message ?? '';
  const text = why === '' ? t('fleet.itIs', { state: word }) : showHidden(why);
  return [{ key: 'away', meaning, text, what: words.what.connection, open }];
}

function named<T>(
  items: readonly T[],
  count: number,
  {
    what,
    all,
    line,
  }: {
    readonly what: 'overdue' | 'failed' | 'full';
    readonly all: () => void;
    readonly line: (item: T) => Trouble;
  },
): readonly Trouble[] {
  const shown = items.slice(0, shownMost).map(line);
  const rest = count - shown.length;
  if (rest <= 0) return shown;
  const meaning = shown[0]?.meaning ?? 'warning';
  const more = {
    key: `more-${what}`,
    meaning,
    text: t(`fleet.rest.${what}`, { count: rest }),
    what: words.all[what],
    open: all,
  };
  return [...shown, more];
}

export function TroubleLines(props: { readonly rows: readonly FleetRow[] }) {
  const troubled = props.rows.map((row) => ({ row, troubles: troublesOf(row) }));
  const some = troubled.filter(({ troubles }) => troubles.length > 0);
  if (some.length === 0) return null;
  return (
    <section className="page-section" aria-label={words.needsLook}>
      <h2>{words.needsLook}</h2>
      <ul className="lines fleet-troubles">
        {some.flatMap(({ row, troubles }) => {
          const name = showHidden(row.connection.name);
          return troubles.map((trouble) => (
            <li key={`${row.connection.id}/${trouble.key}`}>
              <MeaningIcon meaning={trouble.meaning} />
              <span className="fleet-who" title={name}>
                {name}
              </span>
              <span className="fleet-what selectable" title={trouble.text}>
                {trouble.text}
              </span>
              <Button
                label={t('fleet.showWhat', { what: trouble.what, server: name })}
                onClick={trouble.open}
              >
                {words.show}
              </Button>
            </li>
          ));
        })}
      </ul>
    </section>
  );
}
