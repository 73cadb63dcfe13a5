import type { StrategyRule } from '../../../contract/strategy-rules/strategy-rule.ts';
import { resourceTypes } from '../../../contract/tasks/task.ts';
import { call } from '../../bridge.ts';
import { clientChoices, orNone, strategyChoices } from '../../shell/choices.ts';
import { type FormValues, flagOf, numberOrNull, textOf, textOrNull } from '../../shell/form-values.ts';
import { tellNotTaken } from '../../shell/saved.ts';
import { openDialog } from '../../shell/shell-store.ts';
import type { ListStore } from '../../ui/index.ts';

const scriptHelp = 'Absolute path of a program on the client; empty for none.';

const otherFields = [
  { name: 'resource', label: 'Resource', type: 'text', help: 'Absolute path on the client.' },
  { name: 'priority', label: 'Priority', type: 'number', help: '100 to 1000; larger runs earlier.' },
  { name: 'runs', label: 'Makes copies (otherwise it waits)', type: 'checkbox' },
  { name: 'normal_execution_script', label: 'Script after a backup', type: 'text', help: scriptHelp },
  { name: 'exception_execution_script', label: 'Script after a failure', type: 'text', help: scriptHelp },
  { name: 'restore_script', label: 'Restore script', type: 'text', help: scriptHelp },
] as const;

function ruleOf(values: FormValues) {
  return {
    client_id: textOrNull(values, 'client_id'),
    strategy_id: textOrNull(values, 'strategy_id'),
    resource_type: textOf(values, 'resource_type'),
    resource: textOf(values, 'resource'),
    priority: numberOrNull(values, 'priority') ?? 100,
    status: flagOf(values, 'runs') ? ('run' as const) : ('wait' as const),
    normal_execution_script: textOf(values, 'normal_execution_script'),
    exception_execution_script: textOf(values, 'exception_execution_script'),
    restore_script: textOf(values, 'restore_script'),
  };
}

export async function openRuleForm(
  connectionId: string,
  list: ListStore<StrategyRule>,
  rule: StrategyRule | null,
): Promise<void> {
  const [clients, strategies] = await Promise.all([
    clientChoices(connectionId),
    strategyChoices(connectionId),
  ]);
  const fields = [
    { name: 'client_id', label: 'Client', type: 'select', choices: orNone(clients, 'None yet') },
    { name: 'strategy_id', label: 'Strategy', type: 'select', choices: orNone(strategies, 'None yet') },
    {
      name: 'resource_type',
      label: 'Resource type',
      type: 'select',
      choices: resourceTypes.map((value) => ({ value, label: value })),
    },
    ...otherFields,
  ] as const;
  openDialog({
    kind: 'form',
    form: {
      title: rule === null ? 'New rule' : 'Edit rule',
      submitLabel: rule === null ? 'Create rule' : 'Save',
      fields,
      initial: {
        client_id: rule === null ? (clients[0]?.value ?? '') : (rule.client_id ?? ''),
        strategy_id: rule === null ? (strategies[0]?.value ?? '') : (rule.strategy_id ?? ''),
        resource_type: rule?.resource_type ?? 'File system',
        resource: rule?.resource ?? '',
        priority: String(rule?.priority ?? 100),
        runs: rule === null ? true : rule.status === 'run',
        normal_execution_script: rule?.normal_execution_script ?? '',
        exception_execution_script: rule?.exception_execution_script ?? '',
        restore_script: rule?.restore_script ?? '',
      },
      submit: async (values) => {
        const asked = ruleOf(values);
        if (rule === null) {
          await call(connectionId, 'strategyRules.create', { body: { strategy_rule: asked } });
          await list.refresh();
          return;
        }
        const params = { id: rule.id };
        await call(connectionId, 'strategyRules.update', { params, body: { strategy_rule: asked } });
        const now = await call(connectionId, 'strategyRules.get', { params });
        await list.refresh();
        tellNotTaken('Rule', [...fields, { name: 'status', label: 'State' }], asked, now);
      },
    },
  });
}
