import { afterEach, beforeEach, expect, test } from 'vitest';
import { BlockPlaces } from '../../../../backend/engine/blocks/block-places.ts';
import { createBlockStore, openBlockReader } from '../../../../backend/engine/blocks/index.ts';
import { BLOCK_ENCODINGS } from '../../../../backend/engine/blocks/record.ts';
import { StoreClient } from '../../../../backend/engine/blocks/store-client.ts';
import { type StoreThread, startStoreThread } from '../../../../backend/engine/blocks/store-thread.ts';
import { Control } from '../../../../backend/engine/job/control.ts';
import { blockOf, hashOf, MIB, makeDevice, numbers, type TestDevice } from './fixture.ts';

let device: TestDevice;
beforeEach(() => {
  device = makeDevice();
  createBlockStore(device.path, { blockBytes: 8192, algorithm: 'sha2', hashBits: 256 });
});
afterEach(() => device.remove());

const hashes = (values: readonly number[]): Buffer =>
  Buffer.concat(values.map((value) => hashOf(blockOf(value))));
const RAW = BLOCK_ENCODINGS.indexOf('raw');
const start = (): Promise<StoreThread> => startStoreThread(device.path, { indexFile: device.indexFile });
const put = (store: StoreThread, values: readonly number[]): Promise<Uint8Array> =>
  store.call('put', {
    hashes: hashes(values),
    facts: Uint32Array.from(values.flatMap(() => [8192, 8192, RAW])),
    bytes: Buffer.concat(values.map((value) => blockOf(value))),
  });

test('a store in its own thread takes blocks, tells which it has, and lets others read them', async () => {
  const store = await start();
  expect([...(await put(store, [1, 2, 1]))]).toEqual([1, 1, 0]);
  expect([...(await store.call('has', { hashes: hashes([1, 2, 3]) }))]).toEqual([1, 1, 0]);
  const reader = openBlockReader(device.path);
  const address = new BlockPlaces(await store.call('locate', { hashes: hashes([2]) })).at(0);
  expect(address && reader.get(hashOf(blockOf(2)), address).equals(blockOf(2))).toBe(true);
  reader.close();
  await store.close();
  const again = await start();
  expect(await again.call('stats', null)).toMatchObject({ blocks: 2 });
  await again.close();
});

test('cleaning goes on beside other calls, and what is asked for meanwhile stays', async () => {
  const store = await start();
  for (const from of [0, 200, 400]) await put(store, numbers(from, from + 200));
  const session = await store.call('openSession', null);
  expect([...(await store.call('has', { hashes: hashes([77]) }))]).toEqual([1]);
  async function* live(): AsyncGenerator<Uint8Array> {
    yield hashes(numbers(0, 20));
    await put(store, [9000]);
  }
  const cleaned = store.clean(live());
  const result = await cleaned;
  expect(result.freedBytes).toBeGreaterThan(2 * MIB);
  expect([...(await store.call('has', { hashes: hashes([0, 19, 77, 9000]) }))]).toEqual([1, 1, 1, 1]);
  await store.call('endSession', session);
  await store.close();
});

test('questions that were begun are answered whenever and in whatever order they are taken', async () => {
  const store = await start();
  await put(store, [1, 2]);
  const client = new StoreClient(store.connect(), Control.create());
  const first = client.begin('has', { hashes: hashes([1, 9]) });
  const wrong = client.begin('put', {
    hashes: hashes([3]),
    facts: Uint32Array.of(5, 5, RAW),
    bytes: new Uint8Array(0),
  });
  const third = client.begin('has', { hashes: hashes([9, 2, 1]) });
  expect([...client.call('has', { hashes: hashes([2]) })]).toEqual([1]);
  expect([...third()]).toEqual([0, 1, 1]);
  expect([...first()]).toEqual([1, 0]);
  expect(wrong).toThrow();
  expect([...client.begin('has', { hashes: hashes([1]) })()]).toEqual([1]);
  await store.close();
});

test('errors come as they are, and a thread that is gone says so', async () => {
  await expect(startStoreThread(`${device.path}.not-there`)).rejects.toMatchObject({ kind: 'notFound' });
  const store = await start();
  await expect(
    store.call('put', {
      hashes: hashes([1]),
      facts: Uint32Array.of(9000, 9000, RAW),
      bytes: Buffer.alloc(9000),
    }),
  ).rejects.toMatchObject({ kind: 'permanent' });
  for (const facts of [[], [8192], [8193, 8192, RAW], [8192, 8192, 99]]) {
    const wrong = { hashes: hashes([1]), facts: Uint32Array.from(facts), bytes: blockOf(1) };
    await expect(store.call('put', wrong)).rejects.toThrow(/without its block/);
  }
  await expect(store.call('stepCleaning', null)).rejects.toThrow(/no cleaning/);
  const stop = AbortSignal.abort();
  async function* live(): AsyncGenerator<Uint8Array> {
    yield hashes([1]);
  }
  await expect(store.clean(live(), stop)).rejects.toMatchObject({ kind: 'cancelled' });
  await store.close();
  await expect(store.call('sync', null)).rejects.toMatchObject({ kind: 'transient' });
});
