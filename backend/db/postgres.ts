import { PostgresDialect } from 'kysely';
import pg from 'pg';

/** 64-bit integers, counts and sums arrive as numbers: every one of ours is below 2^53. */
const types = new pg.TypeOverrides();
for (const oid of [20, 1700]) types.setTypeParser(oid, (text: string) => Number(text));

/** PostgreSQL for kysely. A lost connection is replaced by the pool; `onIdleError` hears of it. */
export function postgresKyselyDialect(url: string, onIdleError: (error: Error) => void): PostgresDialect {
  const pool = new pg.Pool({
    connectionString: url,
    max: 10,
    connectionTimeoutMillis: 10_000,
    types,
    application_name: 'strongroom',
  });
  pool.on('error', onIdleError);
  return new PostgresDialect({ pool });
}
