import type { ComponentType } from 'react';
import type { Connection } from '../../contract/desktop/connection.ts';
import { type Later, later } from '../ui/index.ts';

/**
 * A section of a connection. `needs`: the permission without which its list cannot be read; `extension`: what a server
 * must have beyond the specification for it.
 */
export interface Section {
  readonly id: string;
  readonly needs?: string;
  readonly extension?: string;
  readonly localOnly?: boolean;
  readonly screen: Later<{ readonly connectionId: string }>;
}

const parts: Pick<Later<object>, 'bring'>[] = [];

function screen<P extends object = { readonly connectionId: string }>(
  load: () => Promise<ComponentType<P>>,
): Later<P> {
  const part = later(load);
  parts.push(part);
  return part;
}

/** Loads the code of the screens one after the other while nothing else is done, so that the first look at one need not wait. */
export async function loadScreensWhenIdle(): Promise<void> {
  for (const part of parts) {
    await new Promise((resolve) => requestIdleCallback(resolve));
    await part.bring();
  }
}

/** What a connected server has not got is not offered; of one that is away nothing is known, so all stays. */
export function isOffered(section: Section, connection: Connection): boolean {
  if (section.localOnly && connection.kind !== 'local') return false;
  const { phase, extensions } = connection.state;
  const isMissing = section.extension !== undefined && !extensions.includes(section.extension);
  return !(phase === 'connected' && isMissing);
}

/** All servers in one look. */
export const fleetScreen = screen<object>(async () => (await import('./fleet/fleet-screen.tsx')).FleetScreen);

/** In the order of the navigation. */
export const sections: readonly Section[] = [
  {
    id: 'Overview',
    screen: screen(async () => (await import('./overview/overview-screen.tsx')).OverviewScreen),
  },
  {
    id: 'Clients',
    needs: 'clients.read',
    screen: screen(async () => (await import('./clients/clients-screen.tsx')).ClientsScreen),
  },
  {
    id: 'Tasks',
    needs: 'task_queue.read',
    screen: screen(async () => (await import('./tasks/tasks-screen.tsx')).TasksScreen),
  },
  {
    id: 'Copies',
    needs: 'repository.read',
    screen: screen(async () => (await import('./copies/copies-screen.tsx')).CopiesScreen),
  },
  {
    id: 'Strategies',
    needs: 'strategies.read',
    extension: 'strategies',
    screen: screen(async () => (await import('./strategies/strategies-screen.tsx')).StrategiesScreen),
  },
  {
    id: 'Strategy rules',
    needs: 'strategy_rules.read',
    screen: screen(
      async () => (await import('./strategy-rules/strategy-rules-screen.tsx')).StrategyRulesScreen,
    ),
  },
  {
    id: 'Pools',
    needs: 'pools.read',
    screen: screen(async () => (await import('./pools/pools-screen.tsx')).PoolsScreen),
  },
  {
    id: 'Storages',
    needs: 'storages.read',
    screen: screen(async () => (await import('./storages/storages-screen.tsx')).StoragesScreen),
  },
  {
    id: 'Tape libraries',
    needs: 'tape_libraries.read',
    screen: screen(
      async () => (await import('./tape-libraries/tape-libraries-screen.tsx')).TapeLibrariesScreen,
    ),
  },
  {
    id: 'Media servers',
    needs: 'media_servers.read',
    screen: screen(async () => (await import('./media-servers/media-servers-screen.tsx')).MediaServersScreen),
  },
  {
    id: 'Bandwidth',
    needs: 'client_bandwidth.read',
    screen: screen(async () => (await import('./bandwidth/bandwidth-screen.tsx')).BandwidthScreen),
  },
  {
    id: 'Dynamic groups',
    needs: 'dynamic_pool_groups.read',
    screen: screen(
      async () => (await import('./dynamic-groups/dynamic-groups-screen.tsx')).DynamicGroupsScreen,
    ),
  },
  {
    // Auditors are there on every server; whoever may see them may see users too.
    id: 'Users',
    needs: 'auditors.read',
    screen: screen(async () => (await import('./users/users-screen.tsx')).UsersScreen),
  },
  {
    id: 'Configuration',
    needs: 'global_configuration.read',
    screen: screen(
      async () => (await import('./configuration/configuration-screen.tsx')).ConfigurationScreen,
    ),
  },
  {
    id: 'Directory',
    needs: 'ldap.read',
    screen: screen(async () => (await import('./directory/directory-screen.tsx')).DirectoryScreen),
  },
  {
    id: 'Audit log',
    needs: 'audit_log.read',
    extension: 'audit_log',
    screen: screen(async () => (await import('./audit-log/audit-log-screen.tsx')).AuditLogScreen),
  },
  {
    id: 'Local backend',
    localOnly: true,
    screen: screen(async () => (await import('./local-backend/local-backend-screen.tsx')).LocalBackendScreen),
  },
];
