import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { DeviceError, fromErrorData } from '../device-error.ts';
import type { Control } from '../job/control.ts';
import type { StoreAnswer, StoreCall, StoreCalls, StoreFacts, StoreLink } from './store-requests.ts';

/** How long to sleep before looking around, should a wake-up be lost. */
const WAIT_MS = 200;

/** A worker's way to the thread of a store, one for each link. Each call waits for its answer, so it belongs into worker threads. */
export class StoreClient {
  readonly #link: StoreLink;
  readonly #port: MessagePort;
  readonly #words: Int32Array;
  readonly #control: Control;
  #lastId = 0;
  /** Of questions that were begun and are not taken yet; null: the answer has not come. */
  readonly #begun = new Map<number, StoreAnswer | null>();

  constructor(link: StoreLink, control: Control) {
    this.#link = link;
    this.#port = link.port;
    this.#words = new Int32Array(link.signal);
    this.#control = control;
  }

  get path(): string {
    return this.#link.path;
  }

  get facts(): StoreFacts {
    return this.#link.facts;
  }

  /** Throws the `DeviceError` of the store, `cancelled` after stop, and `transient` when the store was closed. */
  call<Call extends StoreCall>(
    call: Call,
    input: StoreCalls[Call]['input'],
    transfer: readonly ArrayBuffer[] = [],
  ): StoreCalls[Call]['output'] {
    return this.#outputOf<Call>(this.#await(this.#send(call, input, transfer)));
  }

  /** Asks, and goes on. What it gives waits for the answer, as `call` does, and is to be called once. */
  begin<Call extends StoreCall>(
    call: Call,
    input: StoreCalls[Call]['input'],
    transfer: readonly ArrayBuffer[] = [],
  ): () => StoreCalls[Call]['output'] {
    const id = this.#send(call, input, transfer);
    this.#begun.set(id, null);
    return () => {
      const answer = this.#begun.get(id) ?? this.#await(id);
      this.#begun.delete(id);
      return this.#outputOf<Call>(answer);
    };
  }

  #send(call: StoreCall, input: unknown, transfer: readonly ArrayBuffer[]): number {
    this.#lastId += 1;
    this.#port.postMessage({ id: this.#lastId, call, input }, [...transfer]);
    return this.#lastId;
  }

  #outputOf<Call extends StoreCall>(answer: StoreAnswer): StoreCalls[Call]['output'] {
    if ('error' in answer) throw fromErrorData(answer.error);
    // The thread answers with the output that belongs to the call.
    return ('output' in answer ? answer.output : null) as StoreCalls[Call]['output'];
  }

  #await(id: number): StoreAnswer {
    for (;;) {
      const ticket = Atomics.load(this.#words, 0);
      const received = receiveMessageOnPort(this.#port) as { readonly message: StoreAnswer } | undefined;
      if (received !== undefined) {
        const { message } = received;
        if (message.id === id) return message;
        // Of a question that was begun before; or else to a call that was given up.
        if (this.#begun.has(message.id)) this.#begun.set(message.id, message);
        continue;
      }
      if (this.#control.isStopped()) this.#control.check();
      if (Atomics.load(this.#words, 1) === 1) {
        throw new DeviceError('transient', `${this.#link.path}: the block store is closed.`);
      }
      Atomics.wait(this.#words, 0, ticket, WAIT_MS);
    }
  }
}
