import type { OverdueRule } from '../../contract/statistics/statistics.ts';
import { Button, cutMiddle, formatServerTime, StatusBadge, showHidden } from '../ui/index.ts';
import { showIn } from './tell.ts';
import { overdueRemedy, overdueSince } from './use-overdue.ts';

const shownMost = 20;

/** Each overdue rule with since when, why, and the ways to put it right. */
export function OverdueLines(props: {
  readonly connectionId: string;
  readonly rules: readonly OverdueRule[];
  /** The rule itself is on the screen already. */
  readonly isOfRule?: boolean;
}) {
  const { connectionId, rules, isOfRule = false } = props;
  const nowMs = Date.now();
  return (
    <ul className="lines overdue-lines">
      {rules.slice(0, shownMost).map((rule) => {
        const taskId = rule.task_id;
        const resource = showHidden(rule.resource);
        return (
          <li key={rule.rule_id}>
            <div className="overdue-text">
              <span className="overdue-head">
                <StatusBadge meaning="warning" word="overdue" />
                <span title={showHidden(formatServerTime(rule.due))}>{overdueSince(rule, nowMs)}</span>
              </span>
              {!isOfRule && (
                <span>
                  <span className="mono" title={resource}>
                    {cutMiddle(resource, 70)}
                  </span>{' '}
                  of {showHidden(rule.client)}, {showHidden(rule.backup_type)} by {showHidden(rule.strategy)}
                </span>
              )}
              <span className="selectable">{showHidden(rule.reason)}</span>
              <span className="muted">{overdueRemedy(rule)}</span>
            </div>
            <div className="overdue-ways">
              {!isOfRule && (
                <Button
                  label={`Show rule of ${resource}`}
                  onClick={() => showIn(connectionId, 'Strategy rules', rule.rule_id)}
                >
                  Show rule
                </Button>
              )}
              {taskId !== null && (
                <Button label={`Show task ${taskId}`} onClick={() => showIn(connectionId, 'Tasks', taskId)}>
                  Show task
                </Button>
              )}
            </div>
          </li>
        );
      })}
      {rules.length > shownMost && <li className="muted">and {rules.length - shownMost} more</li>}
    </ul>
  );
}
