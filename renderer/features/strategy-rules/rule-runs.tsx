import { useMemo, useState } from 'react';
import type { RuleRun } from '../../../contract/strategy-rules/rule-run.ts';
import { call } from '../../bridge.ts';
import { KindMark } from '../../shell/kind-mark.tsx';
import { useExtension } from '../../shell/rights.ts';
import { taskMeaning, taskStatusText } from '../../shell/task-words.ts';
import { showIn } from '../../shell/tell.ts';
import { useAnswer } from '../../shell/use-answer.ts';
import { t, textsOf, wordFor } from '../../texts/index.ts';
import {
  Button,
  formatCount,
  formatServerTime,
  type Meaning,
  StatusBadge,
  showHidden,
} from '../../ui/index.ts';
import './strategy-rules.css';

const words = textsOf('strategyRules').runs;
const step = 20;
const most = 500;
const watch = { kinds: ['task', 'configuration'], pollMs: 60_000, settleMs: 1000 } as const;

/** The runs of a rule that fell due, the last one first, and what became of each. */
export function RuleRuns(props: { readonly connectionId: string; readonly ruleId: number }) {
  const { connectionId, ruleId } = props;
  const isThere = useExtension(connectionId, 'strategy_rules_runs');
  const [limit, setLimit] = useState(step);
  const load = useMemo(
    () =>
      isThere
        ? (signal: AbortSignal) => {
            const query = { page: 1, limit, sort: 'id', order: 'desc' } as const;
            return call(connectionId, 'strategyRules.runs', { params: { id: ruleId }, query }, signal);
          }
        : null,
    [connectionId, isThere, limit, ruleId],
  );
  const { value, problem } = useAnswer(connectionId, load, watch);
  // More of the same runs are on their way: those of before stay meanwhile.
  const [before, setBefore] = useState(value);
  if (value !== null && value !== before) setBefore(value);
  const shown = value ?? before;
  if (!isThere) return null;
  return (
    <>
      <h3>{words.title}</h3>
      {problem !== null && (
        <p role="alert" className="meaning-error selectable">
          {showHidden(problem.reason)}
        </p>
      )}
      {shown !== null && shown.items.length === 0 && <p className="muted">{words.none}</p>}
      {shown !== null && shown.items.length > 0 && (
        <ul className="lines run-lines" aria-label={words.title}>
          {shown.items.map((run, index) => (
            <Line key={run.id} connectionId={connectionId} run={run} above={shown.items[index - 1]} />
          ))}
        </ul>
      )}
      {shown !== null && shown.total > shown.items.length && (
        <div className="runs-more">
          <span className="caption">
            {t('strategyRules.runs.shownOf', {
              shown: formatCount(shown.items.length),
              total: formatCount(shown.total),
            })}
          </span>
          {limit < most && (
            <Button kind="quiet" onClick={() => setLimit(Math.min(most, limit + step * 4))}>
              {words.more}
            </Button>
          )}
        </div>
      )}
    </>
  );
}

function Line(props: {
  readonly connectionId: string;
  readonly run: RuleRun;
  readonly above: RuleRun | undefined;
}) {
  const { connectionId, run, above } = props;
  // A night of missed runs has one reason; it stands at the first of them.
  const isToldAbove = above !== undefined && above.reason === run.reason && above.outcome === run.outcome;
  const { word, meaning } = outcomeOf(run);
  const taskId = run.task_id;
  return (
    <li title={showHidden(run.reason ?? '')}>
      <span className="run-what">
        <StatusBadge meaning={meaning} word={word} />
        <KindMark kind={run.backup_type} isShort />
        <span title={showHidden(run.utc ?? '')}>{dueText(run.due)}</span>
      </span>
      {taskId !== null && (
        <Button kind="quiet" onClick={() => showIn(connectionId, 'Tasks', taskId)}>
          {t('strategyRules.runs.task', { id: taskId })}
        </Button>
      )}
      {run.reason !== null && !isToldAbove && (
        <span className="muted selectable run-reason">{showHidden(run.reason)}</span>
      )}
    </li>
  );
}

/** Runs fall due on whole minutes. */
function dueText(due: string | null): string {
  return showHidden(formatServerTime(due).replace(/(\d\d?:\d\d):00( [AP]M)?$/, '$1$2'));
}

/** Of a planned run what became of its task says more; what a server calls otherwise is shown as it is. */
export function outcomeOf(run: Pick<RuleRun, 'outcome' | 'task_status' | 'skipped_items'>): {
  readonly word: string;
  readonly meaning: Meaning;
} {
  if (run.outcome === 'missed' || run.outcome === 'skipped')
    return { word: words.outcomes[run.outcome], meaning: 'warning' };
  const status = run.outcome === 'planned' ? run.task_status : null;
  if (status === null || status === undefined)
    return { word: showHidden(wordFor(words.outcomes, run.outcome ?? '')), meaning: 'idle' };
  // The same words and the same meaning as in the list of tasks.
  const task = { status, skipped_items: run.skipped_items ?? null, suspend_reason: null };
  return { word: taskStatusText(task), meaning: taskMeaning(task) };
}
