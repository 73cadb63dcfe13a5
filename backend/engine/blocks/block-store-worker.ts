import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { DeviceError, toErrorData } from '../device-error.ts';
import { BlockPlaces } from './block-places.ts';
import type { BlockStore } from './block-store.ts';
import { Cleaning } from './cleaning.ts';
import { ensureBlockStore, openBlockStore } from './open-store.ts';
import { BLOCK_ENCODINGS } from './record.ts';
import {
  type BlocksToPut,
  FACTS_PER_BLOCK,
  type StoreAnswer,
  type StoreCall,
  type StoreCalls,
  type StoreRequest,
  type StoreThreadInput,
} from './store-requests.ts';

/** The one thread that writes to a store. Requests are answered in the order they come. */
const { path, options } = workerData as StoreThreadInput;

type Answer = (message: StoreAnswer) => void;

const toOwner: Answer = (message) => parentPort?.postMessage(message);

/** Ways to other threads, with what wakes them up when their answer is there. */
const connections = new Map<MessagePort, Int32Array>();

const ANSWERS = 0;
const CLOSED = 1;

function buffersOf(hashes: Uint8Array, hashBytes: number): readonly Buffer[] {
  const bytes = Buffer.from(hashes.buffer, hashes.byteOffset, hashes.byteLength);
  return Array.from({ length: Math.floor(bytes.length / hashBytes) }, (_, index) =>
    bytes.subarray(index * hashBytes, (index + 1) * hashBytes),
  );
}

/** One flag for each, 1 = it was not there. */
function putAll(store: BlockStore, { hashes, facts, bytes }: BlocksToPut): Uint8Array {
  const named = buffersOf(hashes, store.layout.hashBytes);
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let from = 0;
  return Uint8Array.from(named, (hash, index) => {
    const at = index * FACTS_PER_BLOCK;
    const end = from + (facts[at] ?? Number.POSITIVE_INFINITY);
    const encoding = BLOCK_ENCODINGS[facts[at + 2] ?? -1];
    if (encoding === undefined || end > content.length)
      throw new DeviceError('permanent', 'A hash came without its block.');
    const isNew = store.put(hash, content.subarray(from, end), { encoding, rawBytes: facts[at + 1] ?? 0 });
    from = end;
    return Number(isNew);
  });
}

type Handlers = { [Call in StoreCall]: (input: StoreCalls[Call]['input']) => StoreCalls[Call]['output'] };

function handlersOf(store: BlockStore): Handlers {
  const { hashBytes } = store.layout;
  const sessions = new Map<number, () => void>();
  let lastSession = 0;
  let cleaning: Cleaning | null = null;
  const running = (): Cleaning => {
    if (cleaning === null) throw new DeviceError('permanent', `${path}: no cleaning was begun.`);
    return cleaning;
  };
  const handlers: Handlers = {
    has: ({ hashes }) => store.hasEach(Buffer.from(hashes.buffer, hashes.byteOffset, hashes.byteLength)),
    put: (blocks) => putAll(store, blocks),
    locate: ({ hashes }) => {
      const bytes = Buffer.from(hashes.buffer, hashes.byteOffset, hashes.byteLength);
      const count = Math.floor(bytes.length / hashBytes);
      return BlockPlaces.numbersOf(count, (index) => store.locate(bytes, index * hashBytes));
    },
    forget: ({ hashes, isSure }) =>
      Uint8Array.from(buffersOf(hashes, hashBytes), (hash) => Number(store.forget(hash, isSure))),
    takeHealed: () => store.takeHealed(),
    sync: () => {
      store.sync();
      return null;
    },
    stats: () => store.stats(),
    openSession: () => {
      lastSession += 1;
      sessions.set(lastSession, store.openSession());
      return lastSession;
    },
    endSession: (session) => {
      sessions.get(session)?.();
      sessions.delete(session);
      return null;
    },
    beginCleaning: () => {
      if (cleaning !== null) throw new DeviceError('busy', `${path}: it is being cleaned already.`);
      cleaning = new Cleaning(store);
      return null;
    },
    mark: ({ hashes }) => {
      running().mark(buffersOf(hashes, hashBytes));
      return null;
    },
    stepCleaning: () => running().step(),
    endCleaning: () => {
      const { result } = running();
      running().close();
      cleaning = null;
      return result;
    },
    connect: ({ port, signal }) => {
      connect(handlers, port, new Int32Array(signal));
      return null;
    },
    close: () => {
      store.close();
      return null;
    },
  };
  return handlers;
}

function serve(handlers: Handlers, { id, call, input }: StoreRequest, answer: Answer): void {
  try {
    // The pair of call and input is right by the type of the request; the compiler cannot follow it through the table.
    const handler = handlers[call] as (input: unknown) => unknown;
    answer({ id, output: handler(input) });
  } catch (error) {
    answer({ id, error: toErrorData(error) });
  }
  // Also when closing failed: the device is closed all the same.
  if (call === 'close') end();
}

function end(): void {
  for (const [port, words] of connections) {
    Atomics.store(words, CLOSED, 1);
    Atomics.notify(words, ANSWERS);
    port.close();
  }
  parentPort?.close();
}

/** A thread of its own way: its calls are answered as those of the owner are. */
function connect(handlers: Handlers, port: MessagePort, words: Int32Array): void {
  connections.set(port, words);
  port.on('close', () => connections.delete(port));
  port.on('message', (request: StoreRequest) => {
    serve(handlers, request, (message) => port.postMessage(message));
    Atomics.add(words, ANSWERS, 1);
    Atomics.notify(words, ANSWERS);
  });
}

try {
  if (options.create !== undefined) ensureBlockStore(path, options.create);
  const store = openBlockStore(path, options);
  const handlers = handlersOf(store);
  parentPort?.on('message', (request: StoreRequest) => serve(handlers, request, toOwner));
  const { uuid, algorithm, geometry } = store.superblock;
  const { hashBytes } = store.layout;
  const facts = { storeId: uuid.toString('hex'), algorithm, hashBytes, blockBytes: geometry.blockBytes };
  toOwner({ id: 0, facts });
} catch (error) {
  toOwner({ id: 0, error: toErrorData(error) });
  parentPort?.close();
}
