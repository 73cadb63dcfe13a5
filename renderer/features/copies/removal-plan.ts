import type { Copy } from '../../../contract/repository/copy.ts';
import { type Caller, problemOf } from '../../bridge.ts';
import { t } from '../../texts/index.ts';

/** What stays of a resource of a client when the copies have gone. */
export interface Remainder {
  readonly client: string;
  readonly resource: string;
  /** The newest copy that stays and can be restored; of broken ones only the newest of these; null: none stays. */
  readonly newest: Copy | null;
  /** Something can be restored from what stays. */
  readonly isUsable: boolean;
  /** Why it is not known what stays; null: it is known. */
  readonly unknownBecause: string | null;
}

export interface RemovalPlan {
  /** Goes too, in the order in which they were made; without those that were asked for. */
  readonly also: readonly Copy[];
  /** Ids of copies that go too but cannot be looked at. */
  readonly unknown: readonly number[];
  /** Of all that goes and is known. */
  readonly freedBytes: number;
  readonly remainders: readonly Remainder[];
}

const pageRows = 500;
/** The most pages of one resource that are looked through for a copy that stays. */
const pagesMost = 20;

/** What deleting these copies takes away, and what stays of their resources. */
export async function planRemoval(
  call: Caller,
  asked: readonly Copy[],
  signal: AbortSignal,
): Promise<RemovalPlan> {
  const ids = asked.map((copy) => copy.id);
  const chains = await call('repository.dependencies', { body: { ids } }, signal);
  const own = new Set(ids);
  const alsoIds = [...new Set(chains.flatMap((chain) => chain.dependencies ?? []))].filter(
    (id) => !own.has(id),
  );
  const { found, unknown } = await lookAt(call, asked, alsoIds, signal);
  const also = found.sort((left, right) => left.id - right.id);
  const going = [...asked, ...also];
  const goingIds = new Set([...ids, ...alsoIds]);
  const remainders = await Promise.all(
    resourcesOf(going).map((copy) =>
      remainderOf(call, copy, goingIds, signal).catch((error: unknown) => {
        const { client, resource } = copy;
        return { client, resource, newest: null, isUsable: false, unknownBecause: problemOf(error).message };
      }),
    ),
  );
  const freedBytes = going.reduce((sum, copy) => sum + (copy.real_size ?? 0), 0);
  return { also, unknown, freedBytes, remainders };
}

/** The copies with these ids: chain by chain, and what is in none of the chains one by one. */
async function lookAt(call: Caller, asked: readonly Copy[], ids: readonly number[], signal: AbortSignal) {
  const wanted = new Set(ids);
  const found = new Map<number, Copy>();
  const keep = (copies: readonly Copy[]) => {
    for (const copy of copies) if (wanted.has(copy.id)) found.set(copy.id, copy);
  };
  const chainIds = wanted.size === 0 ? [] : [...new Set(asked.flatMap((copy) => copy.chain_id ?? []))];
  await Promise.all(
    chainIds.map(async (chain_id) => {
      const query = { page: 1, limit: pageRows, sort: 'id', order: 'asc', chain_id } as const;
      try {
        keep((await call('repository.list', { query }, signal)).items);
      } catch (error) {
        // Not every server knows this filter; then each copy is looked at by itself.
        if (problemOf(error).status !== 400) throw error;
      }
    }),
  );
  const unknown: number[] = [];
  await Promise.all(
    ids
      .filter((id) => !found.has(id))
      .map(async (id) => {
        try {
          keep([await call('repository.get', { params: { id } }, signal)]);
        } catch (error) {
          // It went meanwhile, or belongs to clients of others: it is counted, and nothing else is known of it.
          if (![403, 404].includes(problemOf(error).status ?? 0)) throw error;
          unknown.push(id);
        }
      }),
  );
  return { found: [...found.values()], unknown };
}

function resourcesOf(copies: readonly Copy[]): readonly Copy[] {
  const byResource = new Map<string, Copy>();
  for (const copy of copies) {
    const key = JSON.stringify([copy.client_hwid, copy.resource_type, copy.resource]);
    if (!byResource.has(key)) byResource.set(key, copy);
  }
  return [...byResource.values()];
}

async function remainderOf(
  call: Caller,
  of: Copy,
  going: ReadonlySet<number>,
  signal: AbortSignal,
): Promise<Remainder> {
  const { client, client_hwid, resource_type, resource } = of;
  const filter = { client_hwid, resource_type, resource };
  let broken: Copy | null = null;
  for (let page = 1; page <= pagesMost; page += 1) {
    const query = { page, limit: pageRows, sort: 'created', order: 'desc', ...filter } as const;
    const { items, total } = await call('repository.list', { query }, signal);
    const same = items.filter((copy) => copy.client_hwid === client_hwid && copy.resource === resource);
    const stays = same.filter((copy) => copy.resource_type === resource_type && !going.has(copy.id));
    const good = stays.find((copy) => copy.status !== 'Broken');
    if (good !== undefined) return { client, resource, newest: good, isUsable: true, unknownBecause: null };
    broken ??= stays[0] ?? null;
    if (items.length === 0 || page * pageRows >= total) {
      return { client, resource, newest: broken, isUsable: false, unknownBecause: null };
    }
  }
  const unknownBecause = t('copies.removal.notFound', { copies: pagesMost * pageRows });
  return { client, resource, newest: broken, isUsable: false, unknownBecause };
}
