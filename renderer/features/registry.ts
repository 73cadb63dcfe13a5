import { type ComponentType, type LazyExoticComponent, lazy } from 'react';

/** A section of a connection. `needs`: the permission without which its list cannot be read. */
export interface Section {
  readonly id: string;
  readonly needs?: string;
  readonly localOnly?: boolean;
  readonly Screen: LazyExoticComponent<ComponentType<{ readonly connectionId: string }>> | null;
}

const screen = (load: () => Promise<ComponentType<{ readonly connectionId: string }>>) =>
  lazy(async () => ({ default: await load() }));

/** In the order of the navigation. A section without a screen is not part of this version and says so. */
export const sections: readonly Section[] = [
  {
    id: 'Overview',
    Screen: screen(async () => (await import('./overview/overview-screen.tsx')).OverviewScreen),
  },
  {
    id: 'Clients',
    needs: 'clients.read',
    Screen: screen(async () => (await import('./clients/clients-screen.tsx')).ClientsScreen),
  },
  {
    id: 'Tasks',
    needs: 'task_queue.read',
    Screen: screen(async () => (await import('./tasks/tasks-screen.tsx')).TasksScreen),
  },
  {
    id: 'Copies',
    needs: 'repository.read',
    Screen: screen(async () => (await import('./copies/copies-screen.tsx')).CopiesScreen),
  },
  { id: 'Strategies', Screen: null },
  { id: 'Strategy rules', Screen: null },
  {
    id: 'Pools',
    needs: 'pools.read',
    Screen: screen(async () => (await import('./pools/pools-screen.tsx')).PoolsScreen),
  },
  {
    id: 'Storages',
    needs: 'storages.read',
    Screen: screen(async () => (await import('./storages/storages-screen.tsx')).StoragesScreen),
  },
  { id: 'Tape libraries', Screen: null },
  {
    id: 'Media servers',
    needs: 'media_servers.read',
    Screen: screen(async () => (await import('./media-servers/media-servers-screen.tsx')).MediaServersScreen),
  },
  { id: 'Bandwidth', Screen: null },
  { id: 'Dynamic groups', Screen: null },
  {
    id: 'Users',
    needs: 'users.read',
    Screen: screen(async () => (await import('./users/users-screen.tsx')).UsersScreen),
  },
  {
    id: 'Configuration',
    needs: 'global_configuration.read',
    Screen: screen(
      async () => (await import('./configuration/configuration-screen.tsx')).ConfigurationScreen,
    ),
  },
  { id: 'Directory', Screen: null },
  { id: 'Audit log', Screen: null },
  {
    id: 'Local backend',
    localOnly: true,
    Screen: screen(async () => (await import('./local-backend/local-backend-screen.tsx')).LocalBackendScreen),
  },
];
