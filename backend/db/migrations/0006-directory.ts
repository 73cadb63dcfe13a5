import { type Column, createIndex, createTable, type Migration } from './migration.ts';

const identity: Column = { type: 'identity' };
const text: Column = { type: 'text' };
const integer: Column = { type: 'integer' };
const textOrNull: Column = { type: 'text', null: true };
const integerOrNull: Column = { type: 'integer', null: true };

/** The domain controller, who comes from there, and sessions that belong to such an account. */
export const directory: Migration = {
  version: 6,
  name: 'directory',
  async up(tools) {
    await createTable(
      tools,
      'directory_connection',
      { id: integer, settings: text, secrets: text, changed_ms: integer },
      { key: ['id'] },
    );
    await createTable(
      tools,
      'directory_mappings',
      {
        id: identity,
        group_name: text,
        group_key: text,
        group_sid: textOrNull,
        role: text,
        created_ms: integer,
      },
      { unique: [['group_key', 'role']] },
    );
    await createTable(tools, 'directory_accounts', {
      id: identity,
      /** Domain and SID: a name may be given to somebody else later. */
      account_key: { type: 'text', unique: true },
      domain: text,
      user_name: text,
      distinguished_name: text,
      roles: text,
      last_success_login_ms: integerOrNull,
      last_fail_login_ms: integerOrNull,
      created_ms: integer,
    });
    // Sessions end with every start of the server, so none is lost here.
    await tools.db.schema.dropTable('sessions').execute();
    await createTable(
      tools,
      'sessions',
      {
        id: text,
        user_id: { type: 'integer', null: true, references: 'users.id', onDelete: 'cascade' },
        directory_account_id: {
          type: 'integer',
          null: true,
          references: 'directory_accounts.id',
          onDelete: 'cascade',
        },
        refresh_hash: text,
        previous_success_ms: integerOrNull,
        previous_fail_ms: integerOrNull,
        created_ms: integer,
        expires_ms: integer,
      },
      { key: ['id'] },
    );
    await createIndex(tools, 'sessions', ['user_id']);
    await createIndex(tools, 'sessions', ['directory_account_id']);
  },
};
