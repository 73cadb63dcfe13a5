import type { Db } from '../../db/index.ts';
import type { RuleScripts } from './script-rules.ts';

/** Which scripts belong to a task. */
export function createScriptStore(db: Db) {
  return {
    /** Null: the rule is gone. */
    ofRule: async (ruleId: number): Promise<RuleScripts | null> => {
      const row = await db
        .selectFrom('strategy_rules')
        .select(['normal_execution_script', 'exception_execution_script', 'restore_script'])
        .where('id', '=', ruleId)
        .executeTakeFirst();
      if (row === undefined) return null;
      return {
        normal: row.normal_execution_script,
        exception: row.exception_execution_script,
        restore: row.restore_script,
      };
    },

    /** The strategy rule that a copy was made for. */
    ruleOfCopy: async (copyId: number): Promise<number | null> => {
      const row = await db
        .selectFrom('copies')
        .select('strategy_rule_id')
        .where('id', '=', copyId)
        .executeTakeFirst();
      return row?.strategy_rule_id ?? null;
    },
  };
}
