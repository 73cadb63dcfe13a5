import { call } from '../bridge.ts';
import { t } from '../texts/index.ts';
import { type Choice, showHidden } from '../ui/index.ts';
import { resourceTypeWord } from './resource-words.ts';
import { hasExtension } from './rights.ts';

/** The most objects that a field offers; beyond that a person has to know the name. */
const mostOffered = 500;

const choice = (value: string): Choice => ({ value, label: showHidden(value) });
const firstPage = { query: { page: 1, limit: mostOffered } } as const;

export async function poolChoices(
  connectionId: string,
  isFitting: (type: string) => boolean = () => true,
): Promise<readonly Choice[]> {
  const pools = await call(connectionId, 'pools.list', firstPage);
  return pools.items.filter((pool) => isFitting(pool.pool_type)).map((pool) => choice(pool.pool_name));
}

export async function clientChoices(connectionId: string): Promise<readonly Choice[]> {
  const clients = await call(connectionId, 'clients.list', firstPage);
  return clients.items.map((client) => choice(client.client_name));
}

/** What the clients of this server can back up; `always` is offered too. */
export async function resourceTypeChoices(
  connectionId: string,
  always: readonly string[],
): Promise<readonly Choice[]> {
  const clients = await call(connectionId, 'clients.list', firstPage);
  const modules = clients.items.flatMap((client) => client.modules ?? []);
  return [...new Set([...always, ...modules])].map((value) => ({
    value,
    label: showHidden(resourceTypeWord(value)),
  }));
}

export async function mediaServerChoices(connectionId: string): Promise<readonly Choice[]> {
  const servers = await call(connectionId, 'mediaServers.list', firstPage);
  return servers.items.map((server) => choice(server.name));
}

/** Null where the server lists no groups of clients, or not for this user. */
export async function clientGroupChoices(connectionId: string): Promise<readonly Choice[] | null> {
  if (!hasExtension(connectionId, 'client_groups')) return null;
  const groups = await call(connectionId, 'clientGroups.list', firstPage);
  return groups.items.map((group) => choice(group.name));
}

export async function strategyChoices(connectionId: string): Promise<readonly Choice[]> {
  const strategies = await call(connectionId, 'strategies.list', firstPage);
  return strategies.items.map((strategy) => choice(strategy.name));
}

/** What this server can encrypt with. */
export async function cryptoChoices(connectionId: string): Promise<readonly Choice[]> {
  const query = { resource_type: 'File system' };
  const extension = await call(connectionId, 'taskQueue.extension', { query });
  const values = extension.crypto?.values ?? [];
  return (values.length === 0 ? ['nocrypt'] : values).map((value) =>
    value === 'nocrypt' ? { value, label: t('tasks.backup.notEncrypted') } : choice(value),
  );
}

export const orNone = (choices: readonly Choice[], label: string): readonly Choice[] => [
  { value: '', label },
  ...choices,
];
