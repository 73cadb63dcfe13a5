import type { Generated } from 'kysely';
import type { Flag, Json } from './column-types.ts';

// Who may come in, and what was done.

export interface UsersTable {
  readonly id: Generated<number>;
  readonly user_name: string;
  /** NFC, lower case: names are unique whatever their case. */
  readonly user_name_key: string;
  readonly password_hash: string;
  readonly enabled: Flag;
  readonly last_success_login_ms: number | null;
  readonly last_fail_login_ms: number | null;
  readonly created_ms: number;
}

export interface UserRolesTable {
  readonly user_id: number;
  readonly role: string;
}

/** The groups that an administrator is limited to; no row = all groups. */
export interface UserClientGroupsTable {
  readonly user_id: number;
  readonly client_group_id: number;
}

export interface SessionsTable {
  /** The claim `sid`. */
  readonly id: string;
  /** Either a user of this server or an account of the domain. */
  readonly user_id: number | null;
  readonly directory_account_id: number | null;
  /** SHA-256 of the refresh token that counts. */
  readonly refresh_hash: string;
  /** The account's last logins before this one, as the login answer shows them. */
  readonly previous_success_ms: number | null;
  readonly previous_fail_ms: number | null;
  readonly created_ms: number;
  readonly expires_ms: number;
}

/** Consecutive failures by account, also of accounts that do not exist. */
export interface LoginAttemptsTable {
  readonly account_key: string;
  readonly failures: number;
  readonly last_ms: number;
  readonly blocked_until_ms: number | null;
}

export interface DirectoryConnectionTable {
  readonly id: number;
  readonly settings: Json;
  /** Sealed with the key in the data directory. */
  readonly secrets: string;
  readonly changed_ms: number;
}

export interface DirectoryMappingsTable {
  readonly id: Generated<number>;
  readonly group_name: string;
  readonly group_key: string;
  /** Null until the group has been found in the directory. */
  readonly group_sid: string | null;
  readonly role: string;
  readonly created_ms: number;
}

/** Users of the domain who have been here. */
export interface DirectoryAccountsTable {
  readonly id: Generated<number>;
  /** Domain and SID. */
  readonly account_key: string;
  readonly domain: string;
  readonly user_name: string;
  readonly distinguished_name: string;
  readonly roles: Json;
  readonly last_success_login_ms: number | null;
  readonly last_fail_login_ms: number | null;
  readonly created_ms: number;
}

/** When and by whom the role of auditor was given. */
export interface AuditorsTable {
  readonly id: Generated<number>;
  readonly user_id: number;
  readonly assigned_by: string | null;
  readonly created_ms: number;
}

export interface JoinTokensTable {
  readonly id: Generated<number>;
  /** SHA-256 of the token. */
  readonly token_hash: string;
  readonly created_by: string;
  readonly created_ms: number;
  readonly expires_ms: number;
}

export interface AuditTable {
  readonly id: Generated<number>;
  readonly time_ms: number;
  readonly user_id: number | null;
  readonly user_name: string | null;
  readonly address: string | null;
  /** Name of the endpoint, e.g. `pools.create`. */
  readonly action: string;
  readonly object_id: number | null;
  /** HTTP status of the answer. */
  readonly status: number;
  readonly details: Json | null;
}
