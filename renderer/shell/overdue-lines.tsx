import type { OverdueRule } from '../../contract/statistics/statistics.ts';
import { t } from '../texts/index.ts';
import { Rich } from '../texts/rich.tsx';
import { formatServerTime, showHidden } from '../ui/index.ts';
import { kindWord } from './copy-words.ts';
import { showIn } from './tell.ts';
import { ResourcePath, type Trouble, TroubleLines, wayToTask } from './trouble-lines.tsx';
import { overdueRemedy, overdueSince } from './use-overdue.ts';

/** Each overdue rule with since when, why, and the ways to put it right. */
export function OverdueLines(props: {
  readonly connectionId: string;
  readonly rules: readonly OverdueRule[];
  /** The rule itself is on the screen already. */
  readonly isOfRule?: boolean;
}) {
  const { connectionId, rules, isOfRule = false } = props;
  return <TroubleLines troubles={rules.map((rule) => troubleOf(connectionId, rule, isOfRule))} />;
}

function troubleOf(connectionId: string, rule: OverdueRule, isOfRule: boolean): Trouble {
  const wayToRule = {
    text: t('shell.overdue.showRule'),
    label: t('shell.overdue.showRuleOf', { resource: showHidden(rule.resource) }),
    open: () => showIn(connectionId, 'Strategy rules', rule.rule_id),
  };
  return {
    key: rule.rule_id,
    meaning: 'warning',
    word: t('status.overdue'),
    when: <span title={showHidden(formatServerTime(rule.due))}>{overdueSince(rule, Date.now())}</span>,
    what: isOfRule ? undefined : <WhatIsOverdue rule={rule} />,
    reason: showHidden(rule.reason),
    remedy: overdueRemedy(rule),
    ways: [...(isOfRule ? [] : [wayToRule]), ...wayToTask(connectionId, rule.task_id)],
  };
}

function WhatIsOverdue({ rule }: { readonly rule: OverdueRule }) {
  return (
    <Rich
      text="shell.overdue.what"
      parts={{
        resource: <ResourcePath resource={rule.resource} />,
        client: showHidden(rule.client),
        kind: showHidden(kindWord(rule.backup_type)),
        strategy: showHidden(rule.strategy),
      }}
    />
  );
}
