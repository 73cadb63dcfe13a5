import { type Permission, permissionsOf } from '../../contract/permissions.ts';
import type { SessionUser } from './handler.ts';

/**
 * The caller as one endpoint may see them. The limit to own client groups belongs to the role of administrator: another
 * role lifts it only for the rights that this role has itself. An administrator who is an auditor too reads everything, but
 * still changes own groups only.
 */
export function withinRight(user: SessionUser, right: Permission): SessionUser {
  if (user.clientGroupIds === null) return user;
  const others = user.roles.filter((role) => role !== 'administrator');
  return permissionsOf(others).includes(right) ? { ...user, clientGroupIds: null } : user;
}

/** For what asks for no right of its own and only tells (events). */
export const readingRight: Permission = 'clients.read';
