import {
  backupCommonParameters,
  type backupModuleParameters,
  type CompleteParameters,
  completeParameters,
  type postgresModuleParameters,
} from '../../../contract/tasks/module-parameters.ts';
import type { TaskCreation } from '../../../contract/tasks/task.ts';
import type { SecretBox } from '../../platform/secret-box.ts';
import { moduleValuesOf } from '../backup-extension.ts';

/** Those of all types; a task has the ones of its own. A password is sealed, or empty. */
export type ModuleParameterValues = Omit<
  CompleteParameters<typeof backupModuleParameters & typeof postgresModuleParameters>,
  'password'
> & { readonly password: unknown };
export type CommonParameterValues = CompleteParameters<typeof backupCommonParameters>;

/** What was asked for, over the defaults. Refuses parameters that the resource type does not have. */
export function parametersOf(
  body: TaskCreation,
  secrets: Pick<SecretBox, 'seal'>,
): {
  readonly module: Partial<ModuleParameterValues>;
  readonly common: CommonParameterValues;
} {
  return {
    module: moduleValuesOf(
      body.task.resource_type,
      body.module_extensions?.parameters,
      secrets,
    ) as Partial<ModuleParameterValues>,
    common: completeParameters(backupCommonParameters, body.common_modules_extensions?.parameters),
  };
}
