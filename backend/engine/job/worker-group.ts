import { MessagePort, type TransferListItem, Worker } from 'node:worker_threads';
import { allowCollection, beginYoung, keepWrappersOfSource } from '../../platform/collect-garbage.ts';
import { giveBackFreedBuffers, keepFreedBuffers } from '../../platform/keep-memory.ts';
import { errorCode } from '../../platform/native.ts';
import { DeviceError, type ErrorData, fromErrorData } from '../device-error.ts';
import type { Control } from './control.ts';
import { giveBackShared } from './kept-memory.ts';

export type WorkerMessage =
  | { readonly type: 'result'; readonly value: unknown }
  | { readonly type: 'error'; readonly error: ErrorData }
  | { readonly type: 'log'; readonly level: LogLevel; readonly message: string }
  /** There is work for one more of those that wait to be asked for. */
  | { readonly type: 'more' };

export type LogLevel = 'info' | 'warning' | 'error';

export interface WorkerSpec {
  readonly name: string;
  readonly url: URL;
  readonly input: object;
  /** What of the input moves into the worker. */
  readonly transfer?: readonly TransferListItem[];
  /** It is started only when the others are still at work after so long. */
  readonly afterMs?: number;
  /** It is started only when another one asks for it, if any does. */
  readonly isOnCall?: boolean;
  /** What its heap may grow to; null or missing: as the system has it. */
  readonly heapMegabytes?: number | null;
}

/** Of a heap; objects that live on leave this part of it. */
const YOUNG_MEGABYTES = 16;
/**
 * The same where nothing bounds the heap: V8 lets it grow to three times 16 MB in a thread that makes many small objects.
 * Measured with 100,000 files: 320 MB of the process became 290 without a second of the processor more; 3 cost time.
 */
const UNBOUNDED_YOUNG_MEGABYTES = 6;

allowCollection();
beginYoung();
keepWrappersOfSource(import.meta.url);
keepFreedBuffers();

/**
 * Runs workers that work on one job together and waits until every one of them is gone. Resolves to their
 * results by name. The first failure stops the others and is thrown; after stop it is `cancelled`.
 */
export async function runWorkers(
  control: Control,
  specs: readonly WorkerSpec[],
  onLog: (level: LogLevel, message: string) => void,
): Promise<ReadonlyMap<string, unknown>> {
  const results = new Map<string, unknown>();
  const failures: DeviceError[] = [];
  const run = (spec: WorkerSpec) =>
    new Promise<void>((resolve) => {
      const fail = (error: DeviceError) => {
        failures.push(error);
        control.fail();
      };
      let worker: Worker;
      try {
        worker = new Worker(spec.url, {
          workerData: spec.input,
          name: spec.name,
          transferList: [...(spec.transfer ?? [])],
          ...limitsOf(spec),
        });
      } catch (error) {
        // At a limit of threads or of memory; the others are not to go on without it.
        const reason = error instanceof Error ? error.message : String(error);
        fail(
          new DeviceError('transient', `The worker ${spec.name} could not be started: ${reason}`, {
            cause: error,
          }),
        );
        closePorts(spec);
        resolve();
        return;
      }
      worker.on('message', (message: WorkerMessage) => {
        if (message.type === 'log') onLog(message.level, message.message);
        else if (message.type === 'error') fail(fromErrorData(message.error));
        else if (message.type === 'more') callNext();
        else results.set(spec.name, message.value);
      });
      worker.on('error', (error: Error) => {
        fail(new DeviceError('permanent', endOf(spec, error), { cause: error }));
      });
      worker.on('exit', () => {
        if (!results.has(spec.name) && failures.length === 0) {
          fail(new DeviceError('transient', `The worker ${spec.name} ended without a result.`));
        }
        resolve();
      });
    });
  const started: Promise<void>[] = [];
  const onCall = specs.filter(({ isOnCall = false }) => isOnCall);
  const callNext = () => {
    const next = onCall.shift();
    if (next !== undefined) started.push(run(next));
  };
  const waiting = new Set(specs.filter(({ afterMs }) => afterMs !== undefined));
  const late = [...waiting].map((spec) =>
    setTimeout(() => {
      waiting.delete(spec);
      started.push(run(spec));
    }, spec.afterMs),
  );
  const isFirst = ({ afterMs, isOnCall = false }: WorkerSpec) => afterMs === undefined && !isOnCall;
  await Promise.all(specs.filter(isFirst).map(run));
  late.forEach(clearTimeout);
  await Promise.all(started);
  for (const spec of [...onCall, ...waiting]) closePorts(spec);
  giveBackMemory(specs);
  giveBackFreedBuffers();
  // A stopped worker reports `cancelled`; a real failure, when there is one, is the reason of the others.
  const reason = failures.find((failure) => failure.kind !== 'cancelled') ?? failures[0];
  if (reason !== undefined) throw reason;
  return results;
}

/** No thread is left that could write to it. */
function giveBackMemory(specs: readonly WorkerSpec[]): void {
  const values = specs.flatMap(({ input }) => Object.values(input) as readonly unknown[]);
  for (const value of values) if (value instanceof SharedArrayBuffer) giveBackShared(value);
}

/** Of one that was never started: whoever has the other ends keeps them for as long as these are open. */
function closePorts({ transfer = [] }: WorkerSpec): void {
  for (const one of transfer) if (one instanceof MessagePort) one.close();
}

function endOf({ name, heapMegabytes = null }: WorkerSpec, error: Error): string {
  if (heapMegabytes === null || errorCode(error) !== 'ERR_WORKER_OUT_OF_MEMORY') {
    return `The worker ${name} failed: ${error.message}`;
  }
  return `The ${name} needs more than the ${heapMegabytes} MiB of memory that memory_threshold leaves to it. Raise memory_threshold, or switch it or deny_memory_exceed off.`;
}

function limitsOf({ heapMegabytes = null }: WorkerSpec) {
  if (heapMegabytes === null)
    return { resourceLimits: { maxYoungGenerationSizeMb: UNBOUNDED_YOUNG_MEGABYTES } };
  const maxOldGenerationSizeMb = Math.max(1, heapMegabytes - YOUNG_MEGABYTES);
  return { resourceLimits: { maxOldGenerationSizeMb, maxYoungGenerationSizeMb: YOUNG_MEGABYTES } };
}
