import {
  backupCommonParameters,
  backupModuleParameters,
  describeParameters,
} from '../../contract/tasks/module-parameters.ts';
import { resourceTypes, type TaskExtension } from '../../contract/tasks/task.ts';
import { invalidField } from '../platform/errors.ts';
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

/** What the three `extension` calls answer: every parameter of a resource type, with a rule's values if there is one. */
export function backupExtension(resourceType: string, rule: RuleParameters | null): TaskExtension {
  requireResourceType(resourceType);
  // The parameters of the module speak of files and snapshots; types without a module here have the common ones.
  const hasModule = resourceType === 'File system';
  return {
    resource_type: resourceType,
    module_extensions: hasModule ? [...describeParameters(backupModuleParameters, rule?.module)] : [],
    common_modules_extensions: [...describeParameters(backupCommonParameters, rule?.common)],
    crypto: { values: [...workingCrypto] },
  };
}
