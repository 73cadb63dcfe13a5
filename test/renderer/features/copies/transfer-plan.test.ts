import { describe, expect, test } from 'vitest';
import type { PoolDestination } from '../../../../contract/pools/pool.ts';
import { type Caller, ProblemError } from '../../../../renderer/bridge.ts';
import {
  beginTransfers,
  isShortOfRoom,
  mostBytes,
  obstacleFor,
  planTransfer,
  type TransferPlan,
} from '../../../../renderer/features/copies/transfer-plan.ts';
import { copy } from '../rows.ts';

function target(change: Partial<PoolDestination> = {}): PoolDestination {
  return {
    id: 2,
    pool_name: 'Second',
    pool_type: 'File system',
    media_server: 'here',
    free_space: 10_000,
    ...change,
  };
}

const plan: TransferPlan = {
  destinations: [target()],
  takenFrom: new Map([['Default', new Set(['Second', 'Blocks'])]]),
  dependants: new Map([[7, 2]]),
};

function caller(answers: Readonly<Record<string, (input: never) => unknown>>) {
  const calls: string[] = [];
  const call: Caller = async (name, input) => {
    calls.push(`${name} ${JSON.stringify(input)}`);
    const answer = answers[name];
    if (answer === undefined) throw new Error(`${name} was not expected`);
    return answer(input as never) as never;
  };
  return { call, calls };
}

describe('what keeps a copy where it is', () => {
  test('only full copies go', () => {
    const part = copy(3, { backup_type: 'incremental', reference_id: 1, chain_id: 1 });
    expect(obstacleFor('copy', part, plan, target())).toBe('notFull');
    expect(obstacleFor('move', copy(3), plan, target())).toBeNull();
    expect(obstacleFor('copy', copy(3, { pool: null }), plan, null)).toBe('inNoPool');
  });

  test('one that others build on can be copied, but not moved', () => {
    expect(obstacleFor('move', copy(7), plan, null)).toBe('hasDependants');
    expect(obstacleFor('copy', copy(7), plan, target())).toBeNull();
  });

  test('the pool decides once it is chosen', () => {
    expect(obstacleFor('copy', copy(3, { pool: 'Second' }), plan, null)).toBeNull();
    expect(obstacleFor('copy', copy(3, { pool: 'Second' }), plan, target())).toBe('isThere');
    expect(obstacleFor('copy', copy(3), plan, target({ pool_name: 'Third' }))).toBe('notTaken');
    const blocks = target({ pool_name: 'Blocks', pool_type: 'Block device' });
    expect(obstacleFor('copy', copy(3, { crypto: 'age' }), plan, blocks)).toBe('sealedWhole');
    expect(obstacleFor('copy', copy(3), plan, blocks)).toBeNull();
  });
});

test('room is counted by what a copy can take in the target, where a server can tell it', () => {
  const one = copy(1, { size: 8000, real_size: 1000 });
  expect(mostBytes(one, target())).toBe(1000);
  expect(mostBytes(one, target({ pool_type: 'Block device' }))).toBe(8000);
  expect(isShortOfRoom([one], target({ free_space: 999 }))).toBe(true);
  expect(isShortOfRoom([one], target({ free_space: 1000 }))).toBe(false);
  expect(isShortOfRoom([one], target({ pool_type: 'Tape library', free_space: 0 }))).toBe(false);
});

test('each pool that copies are in is asked once, and nothing for copies that cannot go', async () => {
  const { call, calls } = caller({
    'pools.destinationAvailable': ({ query }: { query: { pool_name: string } }) =>
      query.pool_name === 'Default'
        ? [target()]
        : [target({ id: 1, pool_name: 'Default' }), target({ pool_name: 'Third' })],
    'repository.dependencies': () => [{ id: 1, dependencies: [5] }],
  });
  const copies = [
    copy(1),
    copy(2),
    copy(3, { pool: 'Second' }),
    copy(4, { backup_type: 'differential', pool: 'Elsewhere' }),
  ];
  const found = await planTransfer(call, 'move', copies, new AbortController().signal);
  expect(calls).toEqual([
    'pools.destinationAvailable {"query":{"pool_name":"Default","action":"move"}}',
    'pools.destinationAvailable {"query":{"pool_name":"Second","action":"move"}}',
    'repository.dependencies {"body":{"ids":[1,2,3]}}',
  ]);
  expect(found.destinations.map((pool) => pool.pool_name)).toEqual(['Second', 'Default', 'Third']);
  expect(found.takenFrom.get('Second')).toEqual(new Set(['Default', 'Third']));
  expect(found.dependants).toEqual(new Map([[1, 1]]));
});

test('one that is refused does not keep the others, a server that is away ends it', async () => {
  const { call, calls } = caller({
    'repository.copy': ({ params: { id } }: { params: { id: number } }) => {
      if (id === 1) throw new ProblemError({ kind: 'refused', message: 'no', status: 422 });
      if (id === 3) throw new ProblemError({ kind: 'unreachable', message: 'gone' });
      return { task_id: id * 10 };
    },
  });
  const outcome = await beginTransfers(call, 'copy', [copy(1), copy(2), copy(3), copy(4)], 'Second');
  expect(outcome.begun).toEqual(new Map([[2, 20]]));
  expect([...outcome.refused.keys()]).toEqual([1]);
  expect(outcome.stoppedBy?.message).toBe('gone');
  expect(calls).toHaveLength(3);
});
