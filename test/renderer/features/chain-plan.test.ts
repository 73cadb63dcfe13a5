import { describe, expect, test } from 'vitest';
import type { Copy } from '../../../contract/repository/copy.ts';
import { type Caller, ProblemError } from '../../../renderer/bridge.ts';
import { chainLinks, loadChain } from '../../../renderer/features/copies/chain-plan.ts';
import { planRemoval } from '../../../renderer/features/copies/removal-plan.ts';
import { copy } from './rows.ts';

const signal = new AbortController().signal;
const link = (id: number, reference_id: number | null, change: Partial<Copy> = {}) =>
  copy(id, {
    resource: '/srv',
    chain_id: 1,
    reference_id,
    backup_type: reference_id === null ? 'full' : 'incremental',
    ...change,
  });
/** full 1 ← 2 ← 3; 1 ← 4 (differential) ← 5 */
const chain = [
  link(1, null),
  link(2, 1),
  link(3, 2),
  link(4, 1, { backup_type: 'differential' }),
  link(5, 4),
];

/** A server with these copies that knows the filters of the lists that are asked for. */
function serverWith(copies: readonly Copy[], more: Readonly<Record<string, (input: never) => unknown>> = {}) {
  const asked: { readonly name: string; readonly input: unknown }[] = [];
  const answers: Readonly<Record<string, (input: never) => unknown>> = {
    'repository.list': ({ query }: { query: Record<string, unknown> }) => {
      const { page, limit, sort, order, ...filters } = query;
      const found = copies.filter((one) =>
        Object.entries(filters).every(([field, value]) => one[field as keyof Copy] === value),
      );
      const field = sort as 'id' | 'created';
      const sorted = found.sort((a, b) => (a[field] < b[field] ? -1 : 1) * (order === 'desc' ? -1 : 1));
      const from = (Number(page) - 1) * Number(limit);
      return { items: sorted.slice(from, from + Number(limit)), total: found.length };
    },
    'repository.get': ({ params }: { params: { id: number } }) => {
      const found = copies.find(({ id }) => id === params.id);
      if (found === undefined) throw new ProblemError({ kind: 'refused', message: 'none', status: 404 });
      return found;
    },
    'repository.dependencies': () => [],
    ...more,
  };
  const call = async (name: string, input: unknown) => {
    asked.push({ name, input });
    return answers[name]?.(input as never);
  };
  return { call: call as unknown as Caller, asked };
}

describe('a chain', () => {
  test('says what each copy is to the selected one', () => {
    const partsFor = (id: number) => chainLinks(chain, id).map(({ part }) => part);
    expect(partsFor(1)).toEqual(['selected', 'dependent', 'dependent', 'dependent', 'dependent']);
    expect(partsFor(3)).toEqual(['needed', 'needed', 'selected', 'beside', 'beside']);
    expect(partsFor(4)).toEqual(['needed', 'beside', 'beside', 'selected', 'dependent']);
  });

  test('names what a copy builds on where that is not the one before it, and what is missing', () => {
    const links = chainLinks(chain, 1);
    expect(links.map(({ buildsOn }) => buildsOn)).toEqual([null, null, null, 1, null]);
    const [torn] = chainLinks([link(3, 2)], 3);
    expect(torn).toMatchObject({ isBaseMissing: true, buildsOn: 2 });
  });

  test('ends where the references of a server go in a circle', () => {
    expect(chainLinks([link(1, 2), link(2, 1)], 1).map(({ part }) => part)).toEqual(['selected', 'needed']);
    expect(chainLinks([link(1, 1)], 1).map(({ part }) => part)).toEqual(['selected']);
  });

  test('has only copies that say they belong to it, and always the selected one', async () => {
    const other = copy(9, { chain_id: 7 });
    const { call } = serverWith([], {
      'repository.list': () => ({ items: [...chain.slice(0, 2), other], total: 600 }),
    });
    const found = await loadChain(call, link(5, 4), signal);
    expect(found.links.map(({ copy: { id } }) => id)).toEqual([1, 2, 5]);
    expect(found.more).toBe(597);
    const alone = await loadChain(serverWith([]).call, copy(8, { chain_id: null }), signal);
    expect(alone.links.map(({ part }) => part)).toEqual(['selected']);
  });
});

describe('a removal', () => {
  const dependencies = (...found: readonly { id: number; dependencies: number[] }[]) => ({
    'repository.dependencies': () => found,
  });

  test('takes what builds on the copies, tells the bytes and the newest copy that stays', async () => {
    const older = link(6, null, { chain_id: 6, created: '2025-06-01T10:00:00', status: 'Trusted' });
    const oldest = link(7, null, { chain_id: 7, created: '2025-01-01T10:00:00' });
    const { call } = serverWith(
      [...chain, oldest, older],
      dependencies({ id: 2, dependencies: [3] }, { id: 4, dependencies: [5] }),
    );
    const plan = await planRemoval(call, [chain[1], chain[3]] as Copy[], signal);
    expect(plan.also.map(({ id }) => id)).toEqual([3, 5]);
    expect(plan.freedBytes).toBe(4 * 1024);
    expect(plan.remainders).toMatchObject([{ resource: '/srv', newest: { id: 1 }, isUsable: true }]);
    const all = await planRemoval(
      serverWith([...chain, oldest, older], dependencies({ id: 1, dependencies: [2, 3, 4, 5] })).call,
      chain.slice(0, 1),
      signal,
    );
    expect(all.remainders).toMatchObject([{ newest: { id: 6, status: 'Trusted' }, isUsable: true }]);
  });

  test('knows the same path of another client and of another kind as another resource', async () => {
    const others = [
      link(6, null, { client_hwid: 'other', chain_id: 6 }),
      link(7, null, { resource_type: 'Block device', chain_id: 7 }),
    ];
    const { call } = serverWith([chain[0] as Copy, ...others]);
    const plan = await planRemoval(call, chain.slice(0, 1), signal);
    expect(plan.remainders).toEqual([
      { client: 'here (abc)', resource: '/srv', newest: null, isUsable: false, unknownBecause: null },
    ]);
  });

  test('of which only broken copies stay leaves nothing to restore', async () => {
    const broken = link(6, null, { status: 'Broken', chain_id: 6 });
    const plan = await planRemoval(serverWith([chain[0] as Copy, broken]).call, chain.slice(0, 1), signal);
    expect(plan.remainders).toMatchObject([{ newest: { id: 6 }, isUsable: false }]);
  });

  test('looks past a full page of copies that go', async () => {
    const many = Array.from({ length: 501 }, (_, index) => {
      const second = String(index % 60).padStart(2, '0');
      const minute = String(Math.floor(index / 60)).padStart(2, '0');
      return link(100 + index, null, { created: `2026-02-01T10:${minute}:${second}`, chain_id: 100 + index });
    });
    const { call, asked } = serverWith([...many, link(1, null)]);
    const plan = await planRemoval(call, many, signal);
    expect(plan.remainders).toMatchObject([{ newest: { id: 1 }, isUsable: true }]);
    expect(asked.filter(({ name }) => name === 'repository.list')).toHaveLength(2);
  });

  test('does not say that nothing stays where a server does not tell', async () => {
    const refuse = () => {
      throw new ProblemError({ kind: 'refused', message: 'No such filter.', status: 400 });
    };
    const server = serverWith(chain, {
      ...dependencies({ id: 1, dependencies: [2] }),
      'repository.list': refuse,
    });
    const plan = await planRemoval(server.call, chain.slice(0, 1), signal);
    expect(plan.also.map(({ id }) => id)).toEqual([2]);
    expect(plan.remainders).toMatchObject([
      { newest: null, isUsable: false, unknownBecause: 'No such filter.' },
    ]);
    // One that answers whatever it likes is not asked for ever.
    const endless = serverWith([], { 'repository.list': () => ({ items: [copy(1000)], total: 1e9 }) });
    const other = await planRemoval(endless.call, chain.slice(0, 1), signal);
    expect(other.remainders[0]?.unknownBecause).toContain('newest 10000 copies');
    expect(endless.asked).toHaveLength(21);
  });

  test('counts what goes and cannot be looked at; another failure is one', async () => {
    const plan = await planRemoval(
      serverWith([chain[0] as Copy], dependencies({ id: 1, dependencies: [99] })).call,
      chain.slice(0, 1),
      signal,
    );
    expect(plan.unknown).toEqual([99]);
    const failing = serverWith([chain[0] as Copy], {
      ...dependencies({ id: 1, dependencies: [99] }),
      'repository.get': () => {
        throw new ProblemError({ kind: 'unreachable', message: 'gone' });
      },
    });
    await expect(planRemoval(failing.call, chain.slice(0, 1), signal)).rejects.toThrow('gone');
  });
});
