import type { HandlersOf } from '../../http/handler.ts';
import { backupExtension } from '../backup-extension.ts';
import type { StrategyRuleService } from './strategy-rule-service.ts';

type Names =
  | 'strategyRules.list'
  | 'strategyRules.create'
  | 'strategyRules.deleteMany'
  | 'strategyRules.extension'
  | 'strategyRules.get'
  | 'strategyRules.runs'
  | 'strategyRules.update'
  | 'strategyRules.delete';

export function createStrategyRuleHandlers(rules: StrategyRuleService): HandlersOf<Names> {
  return {
    'strategyRules.list': ({ list, user }) => rules.list(list, user.clientGroupIds),
    'strategyRules.create': ({ body, user }) => rules.create(body, user.clientGroupIds),
    'strategyRules.deleteMany': ({ body, user }) => rules.remove(body.ids, user.clientGroupIds),
    'strategyRules.extension': async ({ query, user }) => {
      const { resource_type, rule_id: id } = query;
      const values = id === undefined ? null : await rules.parametersOf(id, user.clientGroupIds);
      return backupExtension(resource_type, values);
    },
    'strategyRules.get': ({ params, user }) => rules.get(params.id, user.clientGroupIds),
    'strategyRules.runs': async ({ params, list, user }) => {
      const { rows, total } = await rules.runs(params.id, list, user.clientGroupIds);
      return { rows: [...rows], total };
    },
    'strategyRules.update': ({ params, body, user }) => rules.update(params.id, body, user.clientGroupIds),
    'strategyRules.delete': ({ params, user }) => rules.remove([params.id], user.clientGroupIds),
  };
}
