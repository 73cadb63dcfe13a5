import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type OpenDatabase, openDatabase } from '../../../backend/db/index.ts';
import { createClientGroupStore } from '../../../backend/features/client-groups/client-group-store.ts';
import { createClientStore } from '../../../backend/features/clients/client-store.ts';
import { watchPlans } from '../../support/query-plans.ts';

let database: OpenDatabase;
beforeAll(async () => {
  database = await openDatabase({ kind: 'sqlite', path: ':memory:' });
});
afterAll(() => database.close());

const inTheIndexAlone =
  /SEARCH clients USING COVERING INDEX clients_of_group \(client_group_id=\? AND authorized=\?/;

/** How SQLite goes about what the call asks of the clients: one plan a statement. */
async function plansOf(call: () => Promise<unknown>, table = 'clients'): Promise<readonly string[]> {
  const plans = watchPlans(database);
  const from = plans.count();
  await call();
  const found = await plans.since(from, table);
  vi.restoreAllMocks();
  return found;
}

it('the clients of each group are counted in an index alone', async () => {
  const groups = createClientGroupStore(database.db);
  const plans = await plansOf(() => groups.get(1, null), 'client_groups');
  expect(plans.join('\n')).toMatch(inTheIndexAlone);
});

it.each([null, 'web'])(
  'the clients of a node of the tree are counted in an index alone, host names with %s',
  async (hostname) => {
    const clients = createClientStore(database.db, Date.now);
    const filter = { hostname, dialect: database.dialect };
    const plans = await plansOf(() => clients.membersOf(1, null, filter));
    expect(plans.join('\n')).toMatch(inTheIndexAlone);
  },
);

it('a page of them comes in the order of host names without sorting', async () => {
  const clients = createClientStore(database.db, Date.now);
  const filter = { hostname: null, dialect: database.dialect };
  const plans = await plansOf(() => clients.membersOf(1, { offset: 0, limit: 50 }, filter));
  expect(plans.join('\n')).not.toContain('TEMP B-TREE');
});
