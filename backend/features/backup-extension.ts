import {
  backupCommonParameters,
  completeParameters,
  describeParameters,
  moduleParametersOf,
  type ParameterTable,
  type ParameterValues,
} from '../../contract/tasks/module-parameters.ts';
import { resourceTypes, type TaskExtension } from '../../contract/tasks/task.ts';
import { invalidField } from '../platform/errors.ts';
import type { SecretBox } from '../platform/secret-box.ts';
import { sealSecrets } from './module-secrets.ts';
import { workingCrypto } from './working-crypto.ts';

/** Values of a rule, by parameter name. */
export interface RuleParameters {
  readonly module: Readonly<Record<string, unknown>>;
  readonly common: Readonly<Record<string, unknown>>;
}

export function requireResourceType(resourceType: string): void {
  if ((resourceTypes as readonly string[]).includes(resourceType)) return;
  throw invalidField('resource_type', `must be one of: ${resourceTypes.join(', ')}`);
}

type Values = Readonly<Record<string, unknown>> | null | undefined;

/**
 * The module's parameters of a resource type, with what was given over the defaults, secrets sealed. Refuses what the type
 * does not have; `kept` are values of before, of which only those that fit count.
 */
export function moduleValuesOf(
  resourceType: string,
  given: Values,
  secrets: Pick<SecretBox, 'seal'>,
  kept: Values = null,
): Record<string, unknown> {
  const table = moduleParametersOf(resourceType);
  const foreign = Object.entries(given ?? {}).find(
    ([name, value]) => !Object.hasOwn(table, name) && value !== null && value !== undefined,
  );
  if (foreign !== undefined) {
    throw invalidField(foreign[0], `is no parameter of the resource type ${resourceType}; leave it out`);
  }
  const values = { ...kept, ...sealSecrets(resourceType, given ?? {}, secrets) };
  return completeParameters(table, values as ParameterValues<ParameterTable>);
}

/** What the three `extension` calls answer: every parameter of a resource type, with a rule's values if there is one. */
export function backupExtension(resourceType: string, rule: RuleParameters | null): TaskExtension {
  requireResourceType(resourceType);
  return {
    resource_type: resourceType,
    module_extensions: [...describeParameters(moduleParametersOf(resourceType), rule?.module)],
    common_modules_extensions: [...describeParameters(backupCommonParameters, rule?.common)],
    crypto: { values: [...workingCrypto] },
  };
}
