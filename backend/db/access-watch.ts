import type { LogEvent } from 'kysely';

/** What decides who somebody is and what they may do; deleting a client group takes it from its administrators. */
const accessTables = /\b(users|user_roles|user_client_groups|sessions|directory_accounts|client_groups)\b/;

/**
 * Tells whether users, roles, groups or sessions may have changed, so that what was read of them can be kept meanwhile.
 * This process is the only one that writes into its database.
 */
export interface AccessWatch {
  /** Grows with every change. Read it before reading the tables, and trust what was read while it is the same. */
  version(): number;
  /** For every statement that ran. */
  noteStatement(event: LogEvent): void;
  /** For the end of every transaction: what was read while it was open may be from before it. */
  noteEnd(): void;
}

export function createAccessWatch(): AccessWatch {
  let version = 0;
  /** By text: there are few hundred different ones; the many lists of ids are judged each time. */
  const judged = new Map<string, boolean>();
  const changesAccess = (text: string): boolean => {
    const known = judged.get(text);
    if (known !== undefined) return known;
    const changes = isEnd(text) || (!/^\s*select\b/i.test(text) && accessTables.test(text));
    if (judged.size < 1000) judged.set(text, changes);
    return changes;
  };
  return {
    version: () => version,
    noteStatement: ({ query }) => {
      if (changesAccess(query.sql)) version += 1;
    },
    noteEnd: () => {
      version += 1;
    },
  };
}

const isEnd = (text: string): boolean => /^\s*(commit|rollback|release|end)\b/i.test(text);
