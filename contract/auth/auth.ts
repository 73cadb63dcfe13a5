import { z } from 'zod';
import { roles } from '../permissions.ts';
import { open, Time } from '../records.ts';

export const authTypes = ['database', 'domain'] as const;

const text = z.string('must be a text');

/** Two forms: three fields (older clients), or with `auth_type` and, for `domain`, the domain's name. */
export const Login = z
  .strictObject({
    backup_database: text.min(1, 'must not be empty').max(255, 'is too long'),
    backup_user: text.min(1, 'must not be empty').max(255, 'is too long'),
    password: text.meta({ format: 'password' }),
    auth_type: z.enum(authTypes, 'must be `database` or `domain`').nullish(),
    domain: text.max(255, 'is too long').nullish(),
  })
  .refine((login) => login.auth_type !== 'domain' || Boolean(login.domain), {
    path: ['domain'],
    message: 'is required when auth_type is `domain`',
  });
export type Login = z.output<typeof Login>;

export const Session = z.object({
  access_token: z.string(),
  refresh_token: z.string(),
  csrf_token: z.string(),
  last_fail_login: Time.nullable(),
  last_success_login: Time.nullable(),
  package_version: z.string(),
  role: z.array(open(roles)),
  backup_server_address: z.string(),
  user_name: z.string(),
});
export type Session = z.output<typeof Session>;

export const Permissions = z.object({
  role: z.array(open(roles)),
  permissions: z.array(z.string()),
  service_mode: z.boolean(),
});
export type Permissions = z.output<typeof Permissions>;
