import type { Copy } from '../../../contract/repository/copy.ts';
import type { Caller } from '../../bridge.ts';

/** What a copy of a chain is to the selected one. */
export type ChainPart = 'selected' | 'needed' | 'dependent' | 'beside';

export interface ChainLink {
  readonly copy: Copy;
  readonly part: ChainPart;
  /** The copy that it builds on, where that is not the one right before it in the list. */
  readonly buildsOn: number | null;
  /** What it builds on is not in the list. */
  readonly isBaseMissing: boolean;
}

export interface Chain {
  /** In the order in which they were made. */
  readonly links: readonly ChainLink[];
  /** How many copies of the chain are not in the list. */
  readonly more: number;
}

const listedMost = 500;

/** The chain that a copy belongs to. */
export async function loadChain(call: Caller, copy: Copy, signal: AbortSignal): Promise<Chain> {
  if (copy.chain_id === null) return { links: chainLinks([copy], copy.id), more: 0 };
  const query = { page: 1, limit: listedMost, sort: 'id', order: 'asc', chain_id: copy.chain_id } as const;
  const { items, total } = await call('repository.list', { query }, signal);
  // A server may not know such a filter; then only what says of itself that it belongs here does.
  const found = items.filter((one) => one.chain_id === copy.chain_id);
  const all = found.some((one) => one.id === copy.id) ? found : [...found, copy];
  return { links: chainLinks(all, copy.id), more: Math.max(0, total - items.length) };
}

/** Each copy of a chain with what it is to the selected one. */
export function chainLinks(copies: readonly Copy[], selected: number): readonly ChainLink[] {
  const ordered = [...copies].sort((left, right) => left.id - right.id);
  const byId = new Map(ordered.map((copy) => [copy.id, copy]));
  const needed = basesOf(byId, selected);
  return ordered.map((copy, index) => {
    const base = copy.reference_id;
    const partOf = (): ChainPart => {
      if (copy.id === selected) return 'selected';
      if (needed.has(copy.id)) return 'needed';
      return basesOf(byId, copy.id).has(selected) ? 'dependent' : 'beside';
    };
    return {
      copy,
      part: partOf(),
      buildsOn: base === null || base === ordered[index - 1]?.id ? null : base,
      isBaseMissing: base !== null && !byId.has(base),
    };
  });
}

/** All that a copy builds on; references that go in a circle end it. */
function basesOf(byId: ReadonlyMap<number, Copy>, id: number): ReadonlySet<number> {
  const found = new Set<number>();
  for (let at = byId.get(id)?.reference_id ?? null; at !== null && !found.has(at); ) {
    found.add(at);
    at = byId.get(at)?.reference_id ?? null;
  }
  return found;
}
