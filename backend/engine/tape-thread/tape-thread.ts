import { Worker } from 'node:worker_threads';
import { workerUrl } from '../../platform/worker-url.ts';
import type { LibraryDriver, MediaChanger, TapeDrive, TapeRead } from '../device.ts';
import { DeviceError, fromErrorData, toErrorData } from '../device-error.ts';
import { parseIscsiPath } from '../scsi/iscsi/device-path.ts';
import type { IscsiPortal } from '../scsi/iscsi/initiator.ts';
import { isSgPath } from '../scsi/linux-scsi.ts';
import { parseVirtualPath, type VirtualLibraries } from '../scsi/virtual/virtual-driver.ts';
import type { TapeCopies } from '../tape/tape-copies.ts';
import type { OnTapeBytes } from '../tape/write-part.ts';
import type {
  DriveMethod,
  FromTapeThread,
  TapeCall,
  TapeCalls,
  TapeDriverKind,
  TapeThreadInput,
  ToTapeThread,
  VirtualMethod,
} from './tape-calls.ts';

export interface TapeThreadOptions extends TapeThreadInput {
  /** Where iSCSI may look; asked for with each use. */
  readonly portals: () => Promise<readonly IscsiPortal[]>;
  /** A portal, target or simulated library that a scan leaves out, and why. */
  readonly onLeftOut: (where: string, error: unknown) => void;
}

/**
 * All that is done with robots and drives, in a thread of its own that begins with the first use: commands, tape blocks and their hashes never
 * hold up the caller's event loop. What was opened is gone when the thread fails (`transient`); the next use begins another one.
 */
export interface TapeThread {
  readonly drivers: readonly LibraryDriver[];
  readonly virtual: Omit<VirtualLibraries, 'driver'>;
  /** For drives of `drivers`. */
  readonly copies: TapeCopies;
  /** Ends what runs and closes what is open. Never rejects, may be repeated. */
  close(): Promise<void>;
}

interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onBytes?: OnTapeBytes;
}

interface Waiting {
  readonly resolve: (output: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly onBytes: OnTapeBytes | undefined;
}

type Caller = <Call extends TapeCall>(
  call: Call,
  input: TapeCalls[Call]['input'],
  options?: CallOptions,
) => Promise<TapeCalls[Call]['output']>;

/** One run of the thread. */
function startRun(options: TapeThreadOptions, onEnd: () => void) {
  const { virtualFolder, initiatorName } = options;
  const workerData: TapeThreadInput = { virtualFolder, initiatorName };
  const worker = new Worker(workerUrl(import.meta.url, 'tape-worker'), { workerData, name: 'tape' });
  const waiting = new Map<number, Waiting>();
  let ended: DeviceError | null = null;
  let lastId = 0;
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  const post = (message: ToTapeThread): void => worker.postMessage(message);

  const end = (error: DeviceError): void => {
    ended ??= error;
    for (const { reject } of waiting.values()) reject(ended);
    waiting.clear();
    onEnd();
  };
  worker.on('error', (error: Error) =>
    end(new DeviceError('transient', `The work with tapes failed: ${error.message}`, { cause: error })),
  );
  worker.on('exit', () => end(new DeviceError('transient', 'The work with tapes has ended.')));

  const progress = async (id: number, bytes: number): Promise<void> => {
    const taken = waiting.get(id)?.onBytes?.(bytes);
    if (taken === undefined) return;
    let isTaken = false;
    const until = Promise.resolve(taken).then(() => {
      isTaken = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    // Usually nobody holds the tape, and it has gone on meanwhile.
    if (isTaken) return;
    post({ type: 'hold', id });
    await until;
    post({ type: 'go', id });
  };
  const givePortals = async (id: number): Promise<void> => {
    try {
      post({ type: 'portals', id, portals: await options.portals() });
    } catch (error) {
      post({ type: 'portals', id, portals: toErrorData(error) });
    }
  };
  worker.on('message', (message: FromTapeThread) => {
    switch (message.type) {
      case 'askPortals':
        void givePortals(message.id);
        return;
      case 'leftOut':
        options.onLeftOut(message.where, fromErrorData(message.error));
        return;
      case 'progress':
        progress(message.id, message.bytes).catch((error: unknown) => {
          waiting.get(message.id)?.reject(error instanceof Error ? error : new Error(String(error)));
          post({ type: 'abort', id: message.id });
        });
        return;
      case 'done':
        waiting.get(message.id)?.resolve(message.output);
        break;
      case 'failed':
        waiting.get(message.id)?.reject(fromErrorData(message.error));
    }
    waiting.delete(message.id);
  });

  const call: Caller = async (name, input, { signal, onBytes } = {}) => {
    if (ended !== null) throw ended;
    if (signal?.aborted) throw new DeviceError('cancelled', 'It was cancelled.');
    lastId += 1;
    const id = lastId;
    const onAbort = (): void => post({ type: 'abort', id });
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      return await new Promise((resolve, reject) => {
        // The thread answers with the output that belongs to the call.
        waiting.set(id, { resolve: resolve as (output: unknown) => void, reject, onBytes });
        post({ type: 'call', id, call: name, input });
      });
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  };
  return {
    call,
    close: async () => {
      // A thread that has failed is closed.
      await call('close', null).catch(() => undefined);
      await exited;
    },
  };
}

type Run = ReturnType<typeof startRun>;

const owners: Readonly<Record<TapeDriverKind, (path: string) => boolean>> = {
  'linux-scsi': (path) => isSgPath(path),
  virtual: (path) => parseVirtualPath(path) !== null,
  iscsi: (path) => parseIscsiPath(path) !== null,
};

export function startTapeThread(options: TapeThreadOptions): TapeThread {
  let current: Run | null = null;
  const run = (): Run => {
    if (current !== null) return current;
    const begun = startRun(options, () => {
      if (current === begun) current = null;
    });
    current = begun;
    return begun;
  };
  /** By drive: where it is open. */
  const handles = new WeakMap<TapeDrive, { readonly run: Run; readonly handle: number }>();
  const openedBy = (drive: TapeDrive, own: Run): number => {
    const found = handles.get(drive);
    if (found?.run === own) return found.handle;
    throw new DeviceError('transient', 'The work with tapes was begun anew, and this drive was open before.');
  };

  const driverOf = (kind: TapeDriverKind): LibraryDriver => ({
    kind,
    owns: owners[kind],
    isThere: async (path) => {
      try {
        return await run().call('isThere', { kind, path });
      } catch {
        // Whatever is wrong with the thread: it cannot be used now.
        return false;
      }
    },
    scan: (signal) => run().call('scan', { kind }, { signal }),
    openChanger: async (path, signal) => {
      const own = run();
      return changerProxy(own, await own.call('openChanger', { kind, path }, { signal }));
    },
    openDrive: async (path, signal) => {
      const own = run();
      const handle = await own.call('openDrive', { kind, path }, { signal });
      const drive = driveProxy(own, handle);
      handles.set(drive, { run: own, handle });
      return drive;
    },
  });
  const virtual =
    (method: VirtualMethod) =>
    (...args: readonly unknown[]): Promise<never> =>
      run().call('virtual', { method, args }) as Promise<never>;

  return {
    drivers: [driverOf('linux-scsi'), driverOf('virtual'), driverOf('iscsi')],
    virtual: {
      create: virtual('create'),
      state: virtual('state'),
      setFaults: virtual('setFaults'),
      setCartridges: virtual('setCartridges'),
      remove: virtual('remove'),
      close: async () => current?.close(),
    },
    copies: {
      openWriter: async ({ onBytes, ...source }) => {
        const own = run();
        const { handle, totalBytes } = await own.call('openWriter', source);
        return {
          totalBytes,
          writePart: async ({ drive, ...target }, signal) =>
            own.call('writePart', { handle, drive: openedBy(drive, own), target }, { signal, onBytes }),
          complete: async (rest) => {
            await own.call('completeWriter', { handle, rest });
          },
          close: () => release(own, handle),
        };
      },
      openReader: async (folder, onBytes, reading = {}) => {
        const own = run();
        const handle = await own.call('openReader', { folder, reading });
        return {
          readPart: async (drive, part, signal) =>
            own.call('readPart', { handle, drive: openedBy(drive, own), part }, { signal, onBytes }),
          finish: async () => {
            await own.call('finishReader', { handle });
          },
          close: () => release(own, handle),
        };
      },
    },
    close: async () => current?.close(),
  };
}

/** What is open in a thread that has ended is closed. */
async function release(run: Run, handle: number): Promise<void> {
  await run.call('release', { handle }).catch((error: unknown) => {
    if (!(error instanceof DeviceError) || error.kind !== 'transient') throw error;
  });
}

function changerProxy(run: Run, handle: number): MediaChanger {
  return {
    inventory: async (signal) =>
      (await run.call('changer', { handle, method: 'inventory', args: [] }, { signal })) as Awaited<
        ReturnType<MediaChanger['inventory']>
      >,
    move: async (from, to, signal) => {
      await run.call('changer', { handle, method: 'move', args: [from, to] }, { signal });
    },
    close: () => release(run, handle),
  };
}

function driveProxy(run: Run, handle: number): TapeDrive {
  const use = <R>(method: DriveMethod, args: readonly unknown[], signal: AbortSignal): Promise<R> =>
    // The thread answers with what the method of that name gives.
    run.call('drive', { handle, method, args }, { signal }) as Promise<R>;
  return {
    load: (signal) => use('load', [], signal),
    unload: (signal) => use('unload', [], signal),
    letGo: (signal) => use('letGo', [], signal),
    rewind: (signal) => use('rewind', [], signal),
    skipFilemarks: (count, signal) => use('skipFilemarks', [count], signal),
    goToEndOfData: (signal) => use('goToEndOfData', [], signal),
    read: (maxBytes, signal) => use<TapeRead>('read', [maxBytes], signal),
    write: (block, signal) => use('write', [block], signal),
    writeFilemarks: (count, signal) => use('writeFilemarks', [count], signal),
    readPosition: (signal) => use('readPosition', [], signal),
    locate: (block, signal) => use('locate', [block], signal),
    health: (signal) => use('health', [], signal),
    clean: (signal) => use('clean', [], signal),
    close: () => release(run, handle),
  };
}
