import type { StrategyRule } from '../../../contract/strategy-rules/strategy-rule.ts';
import type { ExtensionParameter } from '../../../contract/tasks/module-parameters.ts';
import { call } from '../../bridge.ts';
import { clientChoices, orNone, resourceTypeChoices, strategyChoices } from '../../shell/choices.ts';
import { inSection } from '../../shell/form-section.ts';
import { type FormValues, flagOf, numberOrNull, textOf, textOrNull } from '../../shell/form-values.ts';
import type { FormField } from '../../shell/open-dialog.ts';
import {
  askExtension,
  extensionsOf,
  parameterFields,
  parameterInitial,
} from '../../shell/parameter-fields.ts';
import { knownResourceTypes, resourceLabel, resourceWords } from '../../shell/resource-words.ts';
import { tellNotTaken } from '../../shell/saved.ts';
import { openDialog } from '../../shell/shell-store.ts';
import { t, textsOf } from '../../texts/index.ts';
import type { ListStore } from '../../ui/index.ts';
import { RunsAhead } from './runs-ahead.tsx';

const rules = textsOf('strategyRules');
const { form: words } = rules;
const parameterWords = textsOf('moduleParameters');

/** Those of the module for PostgreSQL: fields of their own, which are always sent. */
const postgresParameters = ['password_file', 'checkpoint'] as const;
const ownFields: readonly string[] = ['password', ...postgresParameters];
const isType = (type: string) => (values: FormValues) => values.resource_type === type;

/** One field for the resource, under the name that fits the chosen type. */
const placeFields: readonly FormField[] = [
  ...knownResourceTypes.map((type): FormField => {
    const { note, help = words.placeHelp } = resourceWords(type);
    return {
      name: 'resource',
      label: resourceLabel,
      labelNote: note,
      type: 'text',
      help,
      when: isType(type),
    };
  }),
  {
    name: 'resource',
    label: resourceLabel,
    labelNote: resourceWords('').note,
    type: 'text',
    help: words.placeHelp,
    when: (values) => !knownResourceTypes.includes(textOf(values, 'resource_type')),
  },
  {
    name: 'password',
    label: words.password,
    type: 'password',
    help: words.passwordHelp,
    when: isType('PostgreSQL universal'),
  },
  {
    name: 'password_file',
    label: words.passwordFile,
    type: 'text',
    help: words.passwordFileHelp,
    when: isType('PostgreSQL universal'),
  },
  {
    name: 'checkpoint',
    label: words.checkpoint,
    type: 'select',
    choices: [
      { value: 'fast', label: words.checkpoints.fast },
      { value: 'spread', label: words.checkpoints.spread },
    ],
    when: isType('PostgreSQL universal'),
  },
];

const runFields = [
  { name: 'priority', label: rules.priority, type: 'number', help: words.priorityHelp },
  { name: 'runs', label: words.runs, type: 'checkbox' },
] as const;

const scriptFields = [
  { name: 'normal_execution_script', label: words.afterBackup, type: 'text', help: words.scriptHelp },
  { name: 'exception_execution_script', label: words.afterFailure, type: 'text', help: words.scriptHelp },
  { name: 'restore_script', label: rules.details.restoreScript, type: 'text', help: words.scriptHelp },
] as const;

function ruleOf(values: FormValues) {
  return {
    client_id: textOrNull(values, 'client_id'),
    strategy_id: textOrNull(values, 'strategy_id'),
    resource_type: textOf(values, 'resource_type'),
    resource: textOf(values, 'resource'),
    priority: numberOrNull(values, 'priority'),
    status: flagOf(values, 'runs') ? ('run' as const) : ('wait' as const),
    normal_execution_script: textOf(values, 'normal_execution_script'),
    exception_execution_script: textOf(values, 'exception_execution_script'),
    restore_script: textOf(values, 'restore_script'),
  };
}

/** What a module needs beyond a password file that takes the place of a password. */
function ofPostgres(values: FormValues) {
  if (!isType('PostgreSQL universal')(values)) return {};
  const plain = Object.fromEntries(postgresParameters.map((name) => [name, textOf(values, name)]));
  const password = String(values.password ?? '');
  // A password file takes the place of a password that the rule may still have.
  const isReplaced = password === '' && plain.password_file !== '';
  return {
    ...plain,
    ...(password === '' ? {} : { password }),
    ...(isReplaced ? { password: null } : {}),
  };
}

/** What the module of each type lets a person tune, and what all do; with the values of a rule for its own type. */
interface Tuning {
  readonly types: readonly { readonly type: string; readonly module: readonly ExtensionParameter[] }[];
  readonly common: readonly ExtensionParameter[];
}

async function askTuning(
  connectionId: string,
  types: readonly string[],
  rule: StrategyRule | null,
): Promise<Tuning> {
  const answers = await Promise.all(
    types.map(async (type) => {
      const ofRule = rule?.resource_type === type ? { rule_id: rule.id } : {};
      const query = { resource_type: type, ...ofRule };
      return {
        type,
        answer: await askExtension(() => call(connectionId, 'strategyRules.extension', { query })),
      };
    }),
  );
  const own = answers.find(({ type }) => type === rule?.resource_type) ?? answers[0];
  return {
    types: answers.map(({ type, answer }) => ({
      type,
      module: (answer?.module_extensions ?? []).filter(({ name }) => !ownFields.includes(name)),
    })),
    common: own?.answer?.common_modules_extensions ?? [],
  };
}

function tuningFields({ types, common }: Tuning): readonly FormField[] {
  return [
    ...types.flatMap(({ type, module }) =>
      parameterFields(module, { group: parameterWords.group, when: isType(type) }),
    ),
    ...parameterFields(common, { group: parameterWords.common }),
  ];
}

function tuningOf(values: FormValues, { types, common }: Tuning) {
  const module = types.find(({ type }) => type === values.resource_type)?.module ?? [];
  const asked = extensionsOf(module, common, values);
  const parameters = { ...asked.module_extensions?.parameters, ...ofPostgres(values) };
  return { ...asked, ...(Object.keys(parameters).length === 0 ? {} : { module_extensions: { parameters } }) };
}

export async function openRuleForm(
  connectionId: string,
  list: ListStore<StrategyRule>,
  rule: StrategyRule | null,
): Promise<void> {
  const ownType = rule?.resource_type ?? 'File system';
  const [clients, strategies, types] = await Promise.all([
    clientChoices(connectionId),
    strategyChoices(connectionId),
    resourceTypeChoices(connectionId, [ownType]),
  ]);
  const tuning = await askTuning(
    connectionId,
    types.map(({ value }) => value),
    rule,
  );
  const ofModule = (name: string) => rule?.module_extensions.parameters[name];
  const fields = [
    { name: 'client_id', label: t('common.client'), type: 'select', ...orNone(clients, words.noneYet) },
    {
      name: 'strategy_id',
      label: rules.strategy,
      type: 'select',
      ...orNone(strategies, words.noneYet),
    },
    {
      name: 'resource_type',
      label: rules.resourceType,
      type: 'select',
      choices: types,
    },
    ...placeFields,
    ...inSection<FormField>(words.sections.run, runFields),
    ...inSection<FormField>(words.sections.scripts, scriptFields),
    ...tuningFields(tuning),
  ] as const;
  openDialog({
    kind: 'form',
    form: {
      title: rule === null ? rules.create : words.editTitle,
      submitLabel: rule === null ? words.create : t('common.save'),
      fields,
      aside: (values) => <RunsAhead connectionId={connectionId} values={values} />,
      initial: {
        client_id: rule === null ? (clients.choices[0]?.value ?? '') : (rule.client_id ?? ''),
        strategy_id: rule === null ? (strategies.choices[0]?.value ?? '') : (rule.strategy_id ?? ''),
        resource_type: ownType,
        resource: rule?.resource ?? '',
        ...parameterInitial([...tuning.types.flatMap(({ module }) => module), ...tuning.common]),
        password: '',
        password_file: String(ofModule('password_file') ?? ''),
        checkpoint: String(ofModule('checkpoint') ?? 'fast'),
        priority: String(rule?.priority ?? ''),
        runs: rule === null ? true : rule.status === 'run',
        normal_execution_script: rule?.normal_execution_script ?? '',
        exception_execution_script: rule?.exception_execution_script ?? '',
        restore_script: rule?.restore_script ?? '',
      },
      submit: async (values) => {
        const asked = ruleOf(values);
        const { priority, ...others } = asked;
        // Left empty it is that of the strategy: a new rule sends none, and no number is looked for in an answer.
        const told = priority === null ? others : asked;
        if (rule === null) {
          await call(connectionId, 'strategyRules.create', {
            body: { strategy_rule: told, ...tuningOf(values, tuning) },
          });
          await list.refresh();
          return;
        }
        const params = { id: rule.id };
        await call(connectionId, 'strategyRules.update', {
          params,
          body: { strategy_rule: asked, ...tuningOf(values, tuning) },
        });
        const now = await call(connectionId, 'strategyRules.get', { params });
        await list.refresh();
        tellNotTaken(words.saved, [...fields, { name: 'status', label: rules.state }], told, now);
      },
    },
  });
}
