import { sql } from 'kysely';

/** The client groups that a caller is limited to; null = all. What is of other clients does not exist for the caller. */
export type Groups = readonly number[] | null;

/** Ids of the clients in these groups, for `… in`; with none it is nobody. */
export function clientsIn(groups: readonly number[]) {
  return sql<number>`(select clients.id from clients
    where clients.client_group_id in (${sql.join([...groups, -1])}))`;
}
