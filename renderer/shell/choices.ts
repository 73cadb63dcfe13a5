import { resourceTypes } from '../../contract/tasks/task.ts';
import { call, problemOf } from '../bridge.ts';
import { t } from '../texts/index.ts';
import { type Choice, type ChoiceSearch, nameInText, showHidden } from '../ui/index.ts';
import { resourceTypeWord } from './resource-words.ts';
import { hasExtension } from './rights.ts';

/** The most objects that a field lists at once. */
const mostListed = 500;

/** What a field offers; where that is not all, the others are searched for on the server. */
export interface Offer {
  readonly choices: readonly Choice[];
  readonly search?: ChoiceSearch;
}

type Asked = { readonly page: number; readonly limit: number; readonly search?: string };

type AskList<R> = (
  query: Asked,
  signal?: AbortSignal,
) => Promise<{ readonly items: readonly R[]; readonly total: number }>;

const choice = (value: string): Choice => ({ value, label: nameInText(value) });
const firstPage = { page: 1, limit: mostListed } as const;

/** A list of the server as choices. Those that do not fit are left out by `choicesOf`. */
export async function offerOf<R>(
  ask: AskList<R>,
  choicesOf: (items: readonly R[]) => readonly Choice[],
): Promise<Offer> {
  const listed = async (query: Asked, signal?: AbortSignal) => {
    const { items, total } = await ask(query, signal);
    const choices = choicesOf(items);
    return { choices, total: choices.length + Math.max(0, total - items.length) };
  };
  const { choices, total } = await listed(firstPage);
  if (total <= choices.length) return { choices };
  const find: ChoiceSearch['find'] = async (search, signal) => {
    try {
      return await listed({ ...firstPage, search }, signal);
    } catch (error) {
      return { problem: problemOf(error).message };
    }
  };
  return { choices, search: { total, find } };
}

/** Of one type, where it is named. */
export function poolChoices(connectionId: string, type?: string): Promise<Offer> {
  return offerOf(
    (query, signal) =>
      call(
        connectionId,
        'pools.list',
        { query: type === undefined ? query : { ...query, pool_type: type } },
        signal,
      ),
    (pools) =>
      pools
        .filter((pool) => type === undefined || pool.pool_type === type)
        .map((pool) => choice(pool.pool_name)),
  );
}

/** The type of a pool; undefined where this server does not tell this user. */
export async function poolTypeOf(connectionId: string, id: number): Promise<string | undefined> {
  try {
    return (await call(connectionId, 'pools.get', { params: { id } })).pool_type;
  } catch {
    // It only narrows what is offered; a pool of another type the server refuses with its own words.
    return undefined;
  }
}

/** The server has media sets that a person names. */
export const mediaSetExtension = 'media_sets';

/** Names of the media sets that cartridges or pools have; none where the server knows of no such sets. */
export async function mediaSetNames(connectionId: string): Promise<readonly string[]> {
  if (!hasExtension(connectionId, mediaSetExtension)) return [];
  const query = firstPage;
  const [cartridges, pools] = await Promise.all([
    call(connectionId, 'cartridges.list', { query }),
    call(connectionId, 'pools.list', { query: { ...query, pool_type: 'Tape library' } }),
  ]);
  const names = [...cartridges.items, ...pools.items].flatMap(({ media_set_name: name }) => name ?? []);
  return [...new Set(names)].sort((a, b) => a.localeCompare(b));
}

export function clientChoices(connectionId: string): Promise<Offer> {
  return offerOf(
    (query, signal) => call(connectionId, 'clients.list', { query }, signal),
    (clients) => clients.map((client) => choice(client.client_name)),
  );
}

/** What the clients of this server can back up; `always` is offered too. */
export async function resourceTypeChoices(
  connectionId: string,
  always: readonly string[],
): Promise<readonly Choice[]> {
  const { items, total } = await call(connectionId, 'clients.list', { query: firstPage });
  const modules = items.flatMap((client) => client.modules ?? []);
  // Clients that were not listed may have any of them.
  const others = total > items.length ? resourceTypes : [];
  return [...new Set([...always, ...modules, ...others])].map((value) => ({
    value,
    label: showHidden(resourceTypeWord(value)),
  }));
}

export function mediaServerChoices(connectionId: string): Promise<Offer> {
  return offerOf(
    (query, signal) => call(connectionId, 'mediaServers.list', { query }, signal),
    (servers) => servers.map((server) => choice(server.name)),
  );
}

/** Null where the server lists no groups of clients, or not for this user. */
export async function clientGroupChoices(connectionId: string): Promise<Offer | null> {
  if (!hasExtension(connectionId, 'client_groups')) return null;
  return offerOf(
    (query, signal) => call(connectionId, 'clientGroups.list', { query }, signal),
    (groups) => groups.map((group) => choice(group.name)),
  );
}

export function strategyChoices(connectionId: string): Promise<Offer> {
  return offerOf(
    (query, signal) => call(connectionId, 'strategies.list', { query }, signal),
    (strategies) => strategies.map((strategy) => choice(strategy.name)),
  );
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

/** With a choice for no object at all, whatever is searched for. */
export function orNone({ choices, search }: Offer, label: string): Offer {
  const none = { value: '', label };
  if (search === undefined) return { choices: [none, ...choices] };
  const { total, find } = search;
  return {
    choices: [none, ...choices],
    search: {
      total,
      find: async (text, signal) => {
        const found = await find(text, signal);
        return 'problem' in found ? found : { ...found, choices: [none, ...found.choices] };
      },
    },
  };
}

/** What is set now is offered even where the server lists it no longer, or not among the first. */
export function withOwn(offer: Offer, own: string | null): Offer {
  if (own === null || own === '' || offer.choices.some(({ value }) => value === own)) return offer;
  return { ...offer, choices: [choice(own), ...offer.choices] };
}
