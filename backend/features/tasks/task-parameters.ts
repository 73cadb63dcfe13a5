import {
  backupCommonParameters,
  backupModuleParameters,
  type CompleteParameters,
  completeParameters,
} from '../../../contract/tasks/module-parameters.ts';
import type { TaskCreation } from '../../../contract/tasks/task.ts';

export type ModuleParameterValues = CompleteParameters<typeof backupModuleParameters>;
export type CommonParameterValues = CompleteParameters<typeof backupCommonParameters>;

/** What was asked for, over the defaults. */
export function parametersOf(body: TaskCreation): {
  readonly module: ModuleParameterValues;
  readonly common: CommonParameterValues;
} {
  return {
    module: completeParameters(backupModuleParameters, body.module_extensions?.parameters),
    common: completeParameters(backupCommonParameters, body.common_modules_extensions?.parameters),
  };
}
