import type { ClientPatch } from '../../../contract/clients/client.ts';
import { counted } from '../bulk.ts';

export interface ClientUse {
  readonly id: number;
  readonly name: string;
  readonly groupId: number;
  readonly activeTasks: number;
}

/** Why the client cannot go, or null. Its copies stay in any case. */
export function whyClientStays(client: ClientUse): string | null {
  if (client.activeTasks === 0) return null;
  return `the client ${client.name} has ${counted(client.activeTasks, 'active task')}; wait for their end or kill them first`;
}

/** Ids that the names of a patch stand for; undefined = not to be changed. */
export interface ResolvedNames {
  readonly groupId?: number | undefined;
  readonly poolId?: number | null | undefined;
}

export interface ClientChange {
  readonly client_group_id?: number;
  readonly ls_pool_id?: number | null;
  readonly lsf_flag?: 0 | 1;
  readonly lrl_flag?: 0 | 1;
  readonly client_side_backup?: 0 | 1;
  readonly client_side_restore?: 0 | 1;
  readonly storage_capacity?: number;
  readonly description?: string | null;
}

/** The columns to change; null puts a field back to its default. */
export function planClientChange(patch: ClientPatch, names: ResolvedNames): ClientChange {
  return {
    ...(names.groupId === undefined ? {} : { client_group_id: names.groupId }),
    ...(names.poolId === undefined ? {} : { ls_pool_id: names.poolId }),
    ...flag('lsf_flag', patch.lsf_flag),
    ...flag('lrl_flag', patch.lrl_flag),
    ...flag('client_side_backup', patch.client_side_backup),
    ...flag('client_side_restore', patch.client_side_restore),
    ...(patch.storage_capacity === undefined ? {} : { storage_capacity: patch.storage_capacity ?? 0 }),
    ...(patch.description === undefined ? {} : { description: patch.description }),
  };
}

function flag<const N extends string>(
  name: N,
  value: boolean | null | undefined,
): { readonly [K in N]?: 0 | 1 } {
  if (value === undefined) return {};
  return { [name]: value ? 1 : 0 } as { readonly [K in N]?: 0 | 1 };
}
