import { z } from 'zod';

export const roles = ['superuser', 'supervisor', 'maintainer', 'administrator', 'auditor'] as const;
export const Role = z.enum(roles);
export type Role = z.infer<typeof Role>;

const areas = {
  strategy_rules: ['read', 'write', 'delete'],
  strategies: ['read', 'write', 'delete'],
  clients: ['read', 'write', 'delete'],
  client_groups: ['read', 'write', 'delete'],
  task_queue: ['read', 'write', 'delete'],
  tasks: ['run'],
  pools: ['read', 'write', 'delete'],
  storages: ['read', 'write', 'delete'],
  block_devices: ['read', 'write', 'delete'],
  media_servers: ['read', 'write', 'delete'],
  repository: ['read', 'write', 'delete', 'copy', 'move', 'verify', 'restore'],
  client_bandwidth: ['read', 'write', 'delete'],
  dynamic_pool_groups: ['read', 'write', 'delete'],
  tape_libraries: ['read', 'write', 'delete', 'run'],
  auditors: ['read', 'write', 'delete'],
  users: ['read', 'write', 'delete'],
  global_configuration: ['read', 'write'],
  service_mode: ['read', 'write'],
  ldap: ['read', 'write', 'delete'],
  audit_log: ['read'],
  statistics: ['read'],
} as const;

type Areas = typeof areas;
export type Area = keyof Areas;
/** `<area>.<action>`, as `GET /auth/permissions` lists them. */
export type Permission = { [A in Area]: `${A}.${Areas[A][number]}` }[Area];

export const allPermissions: readonly Permission[] = Object.entries(areas).flatMap(([area, actions]) =>
  actions.map((action) => `${area}.${action}` as Permission),
);

const rwd = ['read', 'write', 'delete'] as const;
const r = ['read'] as const;

/** Rights by role and area (an administrator's are further limited to own client groups by the features). */
const grants: { readonly [R in Role]: { readonly [A in Area]?: readonly string[] } } = {
  superuser: areas,
  supervisor: {
    ...areas,
    auditors: r,
    users: r,
    ldap: r,
  },
  maintainer: {
    strategy_rules: r,
    strategies: r,
    clients: r,
    client_groups: r,
    task_queue: rwd,
    tasks: ['run'],
    pools: rwd,
    storages: rwd,
    block_devices: rwd,
    media_servers: rwd,
    repository: ['read', 'copy', 'move', 'verify'],
    client_bandwidth: r,
    dynamic_pool_groups: rwd,
    tape_libraries: ['read', 'write', 'delete', 'run'],
    global_configuration: r,
    service_mode: r,
    statistics: r,
  },
  administrator: {
    strategy_rules: rwd,
    strategies: r,
    clients: ['read', 'write'],
    client_groups: r,
    task_queue: rwd,
    tasks: ['run'],
    pools: r,
    storages: r,
    block_devices: r,
    media_servers: r,
    repository: ['read', 'write', 'delete', 'copy', 'move', 'verify', 'restore'],
    client_bandwidth: rwd,
    dynamic_pool_groups: r,
    tape_libraries: r,
    statistics: r,
  },
  auditor: {
    strategy_rules: r,
    strategies: r,
    clients: r,
    client_groups: r,
    task_queue: r,
    pools: r,
    storages: r,
    block_devices: r,
    media_servers: r,
    repository: r,
    client_bandwidth: r,
    dynamic_pool_groups: r,
    tape_libraries: r,
    auditors: r,
    users: r,
    global_configuration: r,
    service_mode: r,
    ldap: r,
    audit_log: r,
    statistics: r,
  },
};

/** Rights add up over all roles that a user holds. */
export function permissionsOf(held: readonly Role[]): readonly Permission[] {
  return allPermissions.filter((permission) =>
    held.some((role) => {
      const [area, action] = permission.split('.') as [Area, string];
      return grants[role][area]?.includes(action) ?? false;
    }),
  );
}
