import { z } from 'zod';
import { Bytes, Count, Id, open, Time } from '../records.ts';
import { resourceTypes } from '../tasks/task.ts';
import { Description, ObjectName } from '../words.ts';

export const osTypes = ['linux', 'windows'] as const;

/** The group of clients that nobody has put elsewhere. */
export const defaultClientGroupName = 'No group';

export const Client = z.object({
  id: Id,
  hostname: z.string(),
  hwid: z.string(),
  client_name: z.string().meta({ description: '`<client_name> (<client_hwid>)`' }),
  ipv4: z.string().nullable(),
  ipv6: z.string().nullable(),
  mac: z.string().nullable(),
  os_type: open(osTypes),
  os_distribution: z.string().nullable(),
  version: z.string().nullable(),
  group_id: z.string().meta({ description: 'name of the client group' }),
  client_group_id: Id,
  group_shared: z.boolean(),
  online: z.boolean(),
  last_activity: Time.nullable(),
  modules: z.array(open(resourceTypes)),
  lsf_flag: z.boolean(),
  ls_pool: z.string().nullable(),
  lrl_flag: z.boolean(),
  storage_capacity: z.int().min(0).meta({ description: 'GB, 0 = no limit' }),
  storage_used: Bytes,
  description: z.string().nullable(),
  client_side_backup: z.boolean(),
  client_side_restore: z.boolean(),
  created: Time,
});
export type Client = z.output<typeof Client>;

const flag = z.boolean('must be true or false').nullish();

/** Null puts a field back to its default. */
export const ClientPatch = z.strictObject({
  group_id: ObjectName.nullish().meta({ description: 'name of a client group' }),
  lsf_flag: flag.meta({ description: 'local schedule allowed on this client' }),
  ls_pool: ObjectName.nullish().meta({ description: 'pool for copies made by the local schedule' }),
  lrl_flag: flag.meta({ description: 'the local restriction list of the client is honoured' }),
  storage_capacity: z
    .int('must be a whole number of GB, 0 for no limit')
    .min(0, 'must be 0 (no limit) or more')
    .max(8_388_607, 'must be 8388607 GB at most')
    .nullish()
    .meta({ description: 'limit of all copies of the client in GB, 0 = no limit' }),
  description: Description.nullish(),
  client_side_backup: flag.meta({ description: 'the client user may start a backup' }),
  client_side_restore: flag.meta({ description: 'the client user may start a restore' }),
});
export type ClientPatch = z.output<typeof ClientPatch>;

const Page = z
  .int('must be a whole number, 1 or more')
  .min(1, 'must be a whole number, 1 or more')
  .max(2_147_483_647, 'is too large');
const Limit = z
  .int('must be a whole number from 1 to 500')
  .min(1, 'must be a whole number from 1 to 500')
  .max(500, 'must be 500 at most; ask for further pages instead');

export const ClientTreeRequest = z.strictObject({
  clients: z
    .array(z.strictObject({ client_group_id: Id, clients_page: Page, clients_limit: Limit.nullish() }))
    .max(1000, 'must name 1000 groups at most')
    .nullish()
    .meta({ description: 'the groups whose clients are listed' }),
  client_groups_page: Page.nullish(),
  client_groups_limit: Limit.nullish(),
  filter_clients_hostname: z
    .string('must be a text')
    .max(255, 'must have 255 characters at most')
    .nullish()
    .meta({ description: 'part of the host name, in any case' }),
});
export type ClientTreeRequest = z.output<typeof ClientTreeRequest>;

export const ClientTree = z.object({
  client_groups: z.array(
    z.object({
      id: Id,
      name: z.string(),
      shared: z.boolean(),
      clients_total: Count,
      clients: z.array(Client),
    }),
  ),
  total: Count,
  page: z.int(),
  limit: z.int(),
});
export type ClientTree = z.output<typeof ClientTree>;

/** Shown once; an agent joins with it within the hour. */
export const JoinToken = z.object({
  token: z.string().meta({ description: 'good for one agent', examples: ['b7qkz…'] }),
  expires: Time,
});
export type JoinToken = z.output<typeof JoinToken>;
