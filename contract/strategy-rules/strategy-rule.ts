import { z } from 'zod';
import { Id, open, Time } from '../records.ts';
import { BackupCommonExtensions, BackupModuleExtensions } from '../tasks/module-parameters.ts';
import { resourceTypes } from '../tasks/task.ts';
import { ClientText, ObjectName, OptionalAbsolutePath, Priority, ResourceText } from '../words.ts';

/** `wait`: makes no tasks. A rule without a client or a strategy always waits. */
export const ruleStatuses = ['run', 'wait'] as const;
export type RuleStatus = (typeof ruleStatuses)[number];

const Parameters = z.object({ parameters: z.record(z.string(), z.unknown()) });

export const StrategyRule = z.object({
  id: Id,
  client_id: z.string().nullable().meta({ description: '`<client_name> (<client_hwid>)`' }),
  client_hwid: z.string().nullable(),
  client_name: z.string().nullable(),
  strategy_id: z.string().nullable().meta({ description: 'name of the strategy' }),
  strategy_name: z.string().nullable(),
  resource_type: open(resourceTypes),
  resource: z.string(),
  priority: z.int(),
  status: open(ruleStatuses),
  normal_execution_script: z.string(),
  exception_execution_script: z.string(),
  restore_script: z.string(),
  module_extensions: Parameters,
  common_modules_extensions: Parameters,
  created: Time,
  changed: Time,
});
export type StrategyRule = z.output<typeof StrategyRule>;

const ResourceType = z
  .string('must be a text')
  .min(1, 'must not be empty')
  .meta({ examples: [...resourceTypes] });

const script = (when: string) =>
  OptionalAbsolutePath.nullish().meta({
    description: `absolute path of a program on the client that runs ${when}; empty for none`,
  });

const optional = {
  client_id: ClientText.nullish(),
  strategy_id: ObjectName.nullish().meta({ description: 'name of a strategy' }),
  normal_execution_script: script('after a backup of the rule is done'),
  exception_execution_script: script('after a backup of the rule has failed or was killed'),
  priority: Priority.nullish().meta({
    description: '100–1000, larger runs earlier; that of the strategy when it is not given',
  }),
  restore_script: script('as the last step of a restore of a copy of the rule'),
  status: z.enum(ruleStatuses, 'must be `run` or `wait`').nullish(),
};

const extensions = {
  module_extensions: BackupModuleExtensions.nullish(),
  common_modules_extensions: BackupCommonExtensions.nullish(),
};

export const StrategyRuleDraft = z.strictObject({
  strategy_rule: z.strictObject({ resource_type: ResourceType, resource: ResourceText, ...optional }),
  ...extensions,
});
export type StrategyRuleDraft = z.output<typeof StrategyRuleDraft>;

export const StrategyRulePatch = z.strictObject({
  strategy_rule: z
    .strictObject({ resource_type: ResourceType.optional(), resource: ResourceText.optional(), ...optional })
    .optional(),
  ...extensions,
});
export type StrategyRulePatch = z.output<typeof StrategyRulePatch>;
