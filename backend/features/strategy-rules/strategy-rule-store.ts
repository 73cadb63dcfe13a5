import type { Selectable } from 'kysely';
import {
  type Db,
  type Dialect,
  type ListColumns,
  type ListRequest,
  listPage,
  type Page,
  removeRows,
  type StrategyRulesTable,
  type Tx,
} from '../../db/index.ts';
import { clientByText, clientText } from '../client-text-store.ts';
import type { Groups } from '../own-clients-store.ts';

export type StoredRule = Selectable<StrategyRulesTable> & {
  readonly hostname: string | null;
  readonly hwid: string | null;
  readonly client_group_id: number | null;
  readonly strategy_name: string | null;
};
export type RuleValues = Omit<Selectable<StrategyRulesTable>, 'id'>;

const columns: ListColumns = {
  id: { column: 'strategy_rules.id', kind: 'integer' },
  client_id: { column: clientText, kind: 'text', search: true },
  client_hwid: { column: 'clients.hwid', kind: 'text' },
  client_name: { column: 'clients.hostname', kind: 'text' },
  strategy_id: { column: 'strategies.name', kind: 'text', search: true },
  strategy_name: { column: 'strategies.name', kind: 'text' },
  resource_type: { column: 'strategy_rules.resource_type', kind: 'text', search: true },
  resource: { column: 'strategy_rules.resource', kind: 'text', search: true },
  priority: { column: 'strategy_rules.priority', kind: 'integer' },
  status: { column: 'strategy_rules.status', kind: 'text', search: true },
  normal_execution_script: { column: 'strategy_rules.normal_execution_script', kind: 'text' },
  exception_execution_script: { column: 'strategy_rules.exception_execution_script', kind: 'text' },
  restore_script: { column: 'strategy_rules.restore_script', kind: 'text' },
  created: { column: 'strategy_rules.created_ms', kind: 'time' },
  changed: { column: 'strategy_rules.changed_ms', kind: 'time' },
};

export type StrategyRuleStore = ReturnType<typeof createStrategyRuleStore>;

export function createStrategyRuleStore(db: Db | Tx) {
  const selection = (groups: Groups) =>
    db
      .selectFrom('strategy_rules')
      .leftJoin('clients', 'clients.id', 'strategy_rules.client_id')
      .leftJoin('strategies', 'strategies.id', 'strategy_rules.strategy_id')
      .selectAll('strategy_rules')
      .select([
        'clients.hostname',
        'clients.hwid',
        'clients.client_group_id',
        'strategies.name as strategy_name',
      ])
      .$if(groups !== null, (query) => query.where('clients.client_group_id', 'in', [...(groups ?? []), -1]));

  return {
    list: (list: ListRequest, groups: Groups, dialect: Dialect): Promise<Page<StoredRule>> =>
      listPage(selection(groups), { list, columns, dialect, tieBreaker: 'strategy_rules.id' }),

    get: async (id: number, groups: Groups): Promise<StoredRule | null> =>
      (await selection(groups).where('strategy_rules.id', '=', id).executeTakeFirst()) ?? null,

    getMany: async (ids: readonly number[], groups: Groups): Promise<readonly StoredRule[]> =>
      selection(groups)
        .where('strategy_rules.id', 'in', [...ids])
        .execute(),

    clientByText: (text: string, groups: Groups) => clientByText(db, text, groups),

    strategyIdByName: async (name: string): Promise<number | null> =>
      (await db.selectFrom('strategies').select('id').where('name', '=', name).executeTakeFirst())?.id ??
      null,

    priorityOfStrategy: async (id: number): Promise<number | null> =>
      (await db.selectFrom('strategies').select('priority').where('id', '=', id).executeTakeFirst())
        ?.priority ?? null,

    insert: async (values: RuleValues): Promise<number> =>
      (await db.insertInto('strategy_rules').values(values).returning('id').executeTakeFirstOrThrow()).id,

    update: async (id: number, values: Partial<RuleValues>): Promise<void> => {
      await db.updateTable('strategy_rules').set(values).where('id', '=', id).execute();
    },

    remove: (ids: readonly number[]) => removeRows(db, 'strategy_rules', ids),
  };
}
