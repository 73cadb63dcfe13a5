/** A change that the database itself has refused, because somebody else was quicker. */
export type Conflict =
  /** Another row has the value already. */
  | { readonly kind: 'taken'; readonly table: string }
  /** The row is referred to, or refers to one that is not there any more. */
  | { readonly kind: 'reference' };

const sqliteConstraint = { unique: 2067, primaryKey: 1555, foreignKey: 787, trigger: 1811 } as const;

/** What kind of conflict an error of SQLite or PostgreSQL tells of; null for every other error. */
export function conflictOf(error: unknown): Conflict | null {
  if (!(error instanceof Error)) return null;
  const { code, errcode, table } = error as Error & {
    readonly code?: unknown;
    readonly errcode?: unknown;
    readonly table?: unknown;
  };
  if (code === '23505') return { kind: 'taken', table: typeof table === 'string' ? table : '' };
  if (code === '23503') return { kind: 'reference' };
  if (errcode === sqliteConstraint.unique || errcode === sqliteConstraint.primaryKey) {
    // `UNIQUE constraint failed: pools.name_key`
    return { kind: 'taken', table: /failed: (\w+)\./.exec(error.message)?.[1] ?? '' };
  }
  if (errcode === sqliteConstraint.foreignKey || errcode === sqliteConstraint.trigger) {
    return { kind: 'reference' };
  }
  return null;
}
