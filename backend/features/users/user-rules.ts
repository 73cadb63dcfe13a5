import type { Role } from '../../../contract/permissions.ts';

export interface UserStanding {
  readonly id: number;
  readonly enabled: boolean;
  readonly roles: readonly Role[];
}

const rules = (user: Pick<UserStanding, 'enabled' | 'roles'>) =>
  user.enabled && user.roles.includes('superuser');

/** Whether an enabled superuser is left when `gone` are removed or become as `changed` says. */
export function keepsSuperuser(
  users: readonly UserStanding[],
  change: { readonly gone?: readonly number[]; readonly changed?: UserStanding },
): boolean {
  return users
    .filter((user) => !change.gone?.includes(user.id))
    .map((user) => (user.id === change.changed?.id ? change.changed : user))
    .some(rules);
}

/** Why these roles do not go together, or null. */
export function whyRolesAreRefused(roles: readonly Role[]): string | null {
  if (new Set(roles).size !== roles.length) return 'names a role twice; name each once';
  if (roles.includes('superuser') && roles.includes('auditor')) {
    return 'a superuser cannot be an auditor; choose one of the two';
  }
  return null;
}
