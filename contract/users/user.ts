import { z } from 'zod';
import { roles } from '../permissions.ts';
import { Id, open, Time } from '../records.ts';
import { ObjectName, utf8Length } from '../words.ts';

export const passwordMinCharacters = 8;
export const passwordMaxBytes = 1024;

/** Length counts after NFC normalising, which the backend does before it hashes. */
export const Password = z
  .string('must be a text')
  .refine(
    (text) => [...text.normalize('NFC')].length >= passwordMinCharacters,
    `must have ${passwordMinCharacters} characters at least`,
  )
  .refine(
    (text) => utf8Length(text.normalize('NFC')) <= passwordMaxBytes,
    `must have ${passwordMaxBytes} bytes at most`,
  )
  .meta({ format: 'password', description: 'written only, never answered' });

export const User = z.object({
  id: Id,
  user_name: z.string(),
  roles: z.array(open(roles)),
  client_groups: z.array(z.string()).meta({ description: 'names; empty = all groups' }),
  enabled: z.boolean(),
  last_success_login: Time.nullable(),
  last_fail_login: Time.nullable(),
  created: Time,
});
export type User = z.output<typeof User>;

const UserRoles = z
  .array(z.enum(roles, `must be one of ${roles.join(', ')}`), 'must be a list of roles')
  .min(1, 'must name one role at least')
  .max(roles.length, 'names a role twice');

const clientGroups = z
  .array(
    z.union([ObjectName, Id], 'must be names (or ids) of client groups'),
    'must be a list of client groups',
  )
  .max(1000, 'must name 1000 groups at most')
  .nullish()
  .meta({ description: 'names (or ids) of the groups that an administrator is limited to; empty = all' });

const enabled = z.boolean('must be true or false').nullish();

export const UserDraft = z.strictObject({
  user_name: ObjectName,
  password: Password,
  roles: UserRoles,
  client_groups: clientGroups,
  enabled,
});
export type UserDraft = z.output<typeof UserDraft>;

export const UserPatch = z.strictObject({
  user_name: ObjectName.optional(),
  password: Password.optional(),
  roles: UserRoles.optional(),
  client_groups: clientGroups,
  enabled,
});
export type UserPatch = z.output<typeof UserPatch>;
