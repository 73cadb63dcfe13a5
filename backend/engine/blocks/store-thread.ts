import { MessageChannel, Worker } from 'node:worker_threads';
import { workerUrl } from '../../platform/worker-url.ts';
import { DeviceError, fromErrorData } from '../device-error.ts';
import type { CleaningResult } from './cleaning.ts';
import type {
  StoreAnswer,
  StoreCall,
  StoreCalls,
  StoreFacts,
  StoreLink,
  StoreThreadInput,
} from './store-requests.ts';

/** A store in a thread of its own, so that nothing of it ever holds up the caller's event loop. */
export interface StoreThread {
  readonly path: string;
  readonly facts: StoreFacts;
  /** A way to the store for one worker thread, which calls it by `StoreClient`. */
  readonly connect: () => StoreLink;
  /** Rejects with the `DeviceError` of the store; with `transient` when the thread is gone. */
  readonly call: <Call extends StoreCall>(
    call: Call,
    input: StoreCalls[Call]['input'],
  ) => Promise<StoreCalls[Call]['output']>;
  /**
   * A whole cleaning, with other calls served in between. `live` is asked for its first hashes after the cleaning began; it
   * gives several hashes at once, one behind the other. After `signal` it ends at the next step.
   */
  readonly clean: (live: AsyncIterable<Uint8Array>, signal?: AbortSignal) => Promise<CleaningResult>;
  /** Makes everything durable, saves the index and ends the thread. */
  readonly close: () => Promise<void>;
}

interface Waiting {
  readonly resolve: (output: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** Opens the store at `path` in a new thread; rejects like `openBlockStore` throws. */
export async function startStoreThread(
  path: string,
  options: StoreThreadInput['options'] = {},
): Promise<StoreThread> {
  const input: StoreThreadInput = { path, options };
  const worker = new Worker(workerUrl(import.meta.url, 'block-store-worker'), {
    workerData: input,
    name: 'block store',
  });
  const waiting = new Map<number, Waiting>();
  let ended: DeviceError | null = null;
  let lastId = 0;
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  const signals = new Set<WeakRef<SharedArrayBuffer>>();

  const end = (error: DeviceError): void => {
    ended ??= error;
    for (const { reject } of waiting.values()) reject(ended);
    waiting.clear();
  };
  worker.on('error', (error: Error) => {
    end(new DeviceError('permanent', `${path}: the block store failed: ${error.message}`, { cause: error }));
  });
  worker.on('exit', () => {
    end(new DeviceError('transient', `${path}: the block store is closed.`));
    // Whoever waits for an answer in another thread must not wait for ever.
    for (const kept of signals) {
      const signal = kept.deref();
      if (signal !== undefined) tellClosed(signal);
    }
  });
  worker.on('message', (message: StoreAnswer) => {
    const one = waiting.get(message.id);
    waiting.delete(message.id);
    if ('error' in message) one?.reject(fromErrorData(message.error));
    else one?.resolve('output' in message ? message.output : message.facts);
  });

  const opened = new Promise<unknown>((resolve, reject) => waiting.set(0, { resolve, reject }));
  const facts = (await opened) as StoreFacts;

  const call: StoreThread['call'] = (name, value) => {
    if (ended !== null) return Promise.reject(ended);
    lastId += 1;
    const id = lastId;
    return new Promise((resolve, reject) => {
      // The thread answers with the output that belongs to the call.
      waiting.set(id, { resolve: resolve as (output: unknown) => void, reject });
      const transfer = value !== null && typeof value === 'object' && 'port' in value ? [value.port] : [];
      worker.postMessage({ id, call: name, input: value }, transfer);
    });
  };
  const connect = (): StoreLink => {
    const { port1, port2 } = new MessageChannel();
    const signal = new SharedArrayBuffer(8);
    for (const kept of signals) if (kept.deref() === undefined) signals.delete(kept);
    signals.add(new WeakRef(signal));
    // A thread that is gone says so by the signal.
    call('connect', { port: port1, signal }).catch(() => tellClosed(signal));
    return { path, facts, port: port2, signal };
  };
  return {
    path,
    facts,
    connect,
    call,
    clean: (live, signal) => clean(call, live, signal),
    close: async () => {
      await call('close', null);
      await exited;
    },
  };
}

function tellClosed(signal: SharedArrayBuffer): void {
  const words = new Int32Array(signal);
  Atomics.store(words, 1, 1);
  Atomics.notify(words, 0);
}

async function clean(
  call: StoreThread['call'],
  live: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): Promise<CleaningResult> {
  await call('beginCleaning', null);
  let result: CleaningResult;
  try {
    for await (const hashes of live) {
      stopIfAsked(signal);
      await call('mark', { hashes });
    }
    while (await call('stepCleaning', null)) stopIfAsked(signal);
  } finally {
    result = await call('endCleaning', null);
  }
  return result;
}

function stopIfAsked(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw new DeviceError('cancelled', 'The cleaning was stopped.');
}
