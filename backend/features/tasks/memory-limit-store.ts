import type { Db } from '../../db/index.ts';
import type { MemoryLimit } from '../../engine/index.ts';
import { backupLimit, type MemoryParameters, parametersKept } from './memory-limits.ts';

/** Limits of work on existing copies, which can be asked for with no such task itself. */
export interface CopyMemoryLimits {
  /** That of the rule which made the copy; of one without a rule, that of the task which made it, as long as that is there. */
  readonly ofCopy: (copyId: number) => Promise<MemoryLimit | null>;
}

export function createCopyMemoryLimits(db: Db): CopyMemoryLimits {
  return {
    ofCopy: async (copyId) => {
      const row = await db
        .selectFrom('copies')
        .leftJoin('strategy_rules', 'strategy_rules.id', 'copies.strategy_rule_id')
        .leftJoin('tasks', 'tasks.id', 'copies.task_id')
        .select([
          'strategy_rules.common_modules_extensions as ofRule',
          'tasks.common_modules_extensions as ofTask',
        ])
        .where('copies.id', '=', copyId)
        .executeTakeFirst();
      if (row === undefined) return null;
      if (row.ofRule !== null) return backupLimit(JSON.parse(row.ofRule) as MemoryParameters);
      return backupLimit(parametersKept<MemoryParameters>(row.ofTask));
    },
  };
}
