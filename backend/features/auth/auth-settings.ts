import { configurationFields } from '../../../contract/configuration/configuration-fields.ts';
import type { Db } from '../../db/index.ts';
import type { LoginLimits } from './attempts-rules.ts';

export interface AuthSettings {
  readonly limits: LoginLimits;
  readonly showPreviousLogins: boolean;
  readonly serviceMode: boolean;
}

const names = [
  'wrong_auth_attempts_count',
  'wrong_auth_block_period',
  'show_previous_login_attempts_after_logging_in',
  'service_mode',
] as const;

/** What the global configuration says about logging in; read each time, since a change counts at once. */
export async function readAuthSettings(db: Db): Promise<AuthSettings> {
  const rows = await db
    .selectFrom('configuration')
    .select(['name', 'value'])
    .where('name', 'in', [...names])
    .execute();
  const stored = new Map(rows.map((row) => [row.name, JSON.parse(row.value) as unknown]));
  const number = (name: 'wrong_auth_attempts_count' | 'wrong_auth_block_period'): number => {
    const value = stored.get(name) ?? configurationFields[name].default;
    return typeof value === 'number' ? value : 0;
  };
  const show =
    stored.get('show_previous_login_attempts_after_logging_in') ??
    configurationFields.show_previous_login_attempts_after_logging_in.default;
  return {
    limits: {
      attempts: number('wrong_auth_attempts_count'),
      blockMs: number('wrong_auth_block_period') * 60_000,
    },
    showPreviousLogins: show === 'yes',
    serviceMode: stored.get('service_mode') === true,
  };
}
