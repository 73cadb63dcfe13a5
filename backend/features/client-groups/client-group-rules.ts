import { defaultClientGroupName } from '../../../contract/clients/client.ts';
import { counted } from '../bulk.ts';

export interface ClientGroupUse {
  readonly id: number;
  readonly name: string;
  /** Waiting clients count too. */
  readonly clients: number;
  /** Users who are limited to it (and maybe to others). */
  readonly users: number;
}

export function isDefaultGroup(group: { readonly name: string }): boolean {
  return group.name === defaultClientGroupName;
}

/** Why the group cannot go, or null. */
export function whyGroupStays(group: ClientGroupUse): string | null {
  if (isDefaultGroup(group)) return `the group \`${group.name}\` always exists`;
  if (group.clients > 0) {
    return `the group \`${group.name}\` has ${counted(group.clients, 'client')}; move them to another group first`;
  }
  if (group.users === 0) return null;
  // A user without groups sees all clients, so the last limit must not vanish silently.
  return `the group \`${group.name}\` limits the rights of ${counted(group.users, 'user')}; change that first`;
}
