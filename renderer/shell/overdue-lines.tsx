import type { OverdueRule } from '../../contract/statistics/statistics.ts';
import { t } from '../texts/index.ts';
import { Rich } from '../texts/rich.tsx';
import { Button, cutMiddle, formatServerTime, StatusBadge, showHidden } from '../ui/index.ts';
import { kindWord } from './copy-words.ts';
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
                <StatusBadge meaning="warning" word={t('status.overdue')} />
                <span title={showHidden(formatServerTime(rule.due))}>{overdueSince(rule, nowMs)}</span>
              </span>
              {!isOfRule && (
                <span>
                  <Rich
                    text="shell.overdue.what"
                    parts={{
                      resource: (
                        <span className="mono" title={resource}>
                          {cutMiddle(resource, 70)}
                        </span>
                      ),
                      client: showHidden(rule.client),
                      kind: showHidden(kindWord(rule.backup_type)),
                      strategy: showHidden(rule.strategy),
                    }}
                  />
                </span>
              )}
              <span className="selectable">{showHidden(rule.reason)}</span>
              <span className="muted">{overdueRemedy(rule)}</span>
            </div>
            <div className="overdue-ways">
              {!isOfRule && (
                <Button
                  label={t('shell.overdue.showRuleOf', { resource })}
                  onClick={() => showIn(connectionId, 'Strategy rules', rule.rule_id)}
                >
                  {t('shell.overdue.showRule')}
                </Button>
              )}
              {taskId !== null && (
                <Button
                  label={t('shell.showTaskOf', { id: taskId })}
                  onClick={() => showIn(connectionId, 'Tasks', taskId)}
                >
                  {t('shell.showTask')}
                </Button>
              )}
            </div>
          </li>
        );
      })}
      {rules.length > shownMost && (
        <li className="muted">{t('shell.list.andMore', { rest: rules.length - shownMost })}</li>
      )}
    </ul>
  );
}
