import { type SqlBool, sql } from 'kysely';

/**
 * Copies that are there for everybody: not those whose deletion has begun. The number stands in the statement itself,
 * since only then the indexes of listed copies, and that of the few others, are used.
 */
export const isListed = sql<SqlBool>`copies.deleting = 0`;
export const isBeingDeleted = sql<SqlBool>`copies.deleting = 1`;
