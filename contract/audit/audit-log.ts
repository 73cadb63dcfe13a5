import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { ListQuery } from '../paging.ts';
import { Id, Time } from '../records.ts';

/** Who did what, when, from where, with which result. Refused attempts of known users are kept too. */
export const AuditRecord = z.object({
  id: Id,
  time: Time,
  user_name: z
    .string()
    .nullable()
    .meta({ description: 'as it was given at a login, also of users that do not exist' }),
  address: z.string().nullable().meta({ description: 'network address of the caller' }),
  action: z.string().meta({ description: 'name of the call', examples: ['pools.create', 'auth.login'] }),
  object_id: z.int().nullable().meta({
    description: 'as it stood in the path, also of objects that do not exist; of a creation the new id',
  }),
  status: z.int().meta({ description: 'HTTP status of the answer' }),
  details: z
    .string()
    .nullable()
    .meta({
      description: 'the kind of a login and why it failed, the ids that a call named',
      examples: ['database login: wrong password', 'ids: 3, 4'],
    }),
});
export type AuditRecord = z.output<typeof AuditRecord>;

export const auditEndpoints = {
  'auditLog.list': endpoint({
    method: 'GET',
    path: '/audit_log',
    tag: 'Extensions',
    summary: 'Who did what, when, from where, with which result; newest first unless sorted',
    permission: 'audit_log.read',
    query: ListQuery,
    result: z.array(AuditRecord),
    success: 200,
    refuses: [400],
    list: true,
    extension: 'audit_log',
  }),
} as const;
