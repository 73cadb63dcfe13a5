import { defaultClientGroupName } from '../../../contract/clients/client.ts';
import { counted } from '../bulk.ts';

export interface ClientGroupUse {
  readonly id: number;
  readonly name: string;
  /** Waiting clients count too. */
  readonly clients: number;
}

export function isDefaultGroup(group: { readonly name: string }): boolean {
  return group.name === defaultClientGroupName;
}

/** Why the group cannot go, or null. */
export function whyGroupStays(group: ClientGroupUse): string | null {
  if (isDefaultGroup(group)) return `the group \`${group.name}\` always exists`;
  if (group.clients === 0) return null;
  return `the group \`${group.name}\` has ${counted(group.clients, 'client')}; move them to another group first`;
}
