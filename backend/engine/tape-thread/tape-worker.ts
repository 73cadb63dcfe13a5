import { parentPort, workerData } from 'node:worker_threads';
import type { LibraryDriver, MediaChanger, TapeDrive } from '../device.ts';
import { DeviceError, type ErrorData, fromErrorData, toErrorData } from '../device-error.ts';
import type { IscsiPortal } from '../scsi/iscsi/initiator.ts';
import { createIscsiDriver } from '../scsi/iscsi/iscsi-driver.ts';
import { createLinuxScsiDriver } from '../scsi/linux-scsi.ts';
import { createVirtualLibraries } from '../scsi/virtual/virtual-driver.ts';
import { openTapeCopyReader, type TapeCopyReader } from '../tape/read-part.ts';
import { openTapeCopyWriter, type TapeCopyWriter } from '../tape/write-part.ts';
import type {
  FromTapeThread,
  TapeCall,
  TapeCalls,
  TapeDriverKind,
  TapeThreadInput,
  ToTapeThread,
} from './tape-calls.ts';

/** The one thread that speaks to robots and drives, and that tape blocks go through. */
const { virtualFolder, initiatorName } = workerData as TapeThreadInput;
const send = (message: FromTapeThread): void => parentPort?.postMessage(message);
const onLeftOut = (where: string, error: unknown): void =>
  send({ type: 'leftOut', where, error: toErrorData(error) });

/** Progress is told after as many bytes, or as much time, as this. */
const tellBytes = 8 * 1_048_576;
const tellMs = 100;

interface Running {
  readonly id: number;
  readonly ending: AbortController;
  untold: number;
  toldMs: number;
  held: Promise<void> | null;
  go: () => void;
}

const running = new Map<number, Running>();
const tell = (one: Running): void => {
  if (one.untold !== 0) send({ type: 'progress', id: one.id, bytes: one.untold });
  one.untold = 0;
  one.toldMs = performance.now();
};
const count = async (one: Running, bytes: number): Promise<void> => {
  one.untold += bytes;
  if (one.untold >= tellBytes || performance.now() - one.toldMs >= tellMs) tell(one);
  if (one.held !== null) await one.held;
};

const asked = new Map<number, (portals: readonly IscsiPortal[] | ErrorData) => void>();
let lastAsked = 0;
const askPortals = (): Promise<readonly IscsiPortal[]> =>
  new Promise((resolve, reject) => {
    lastAsked += 1;
    asked.set(lastAsked, (portals) => {
      if ('message' in portals) reject(fromErrorData(portals));
      else resolve(portals);
    });
    send({ type: 'askPortals', id: lastAsked });
  });

const virtual = createVirtualLibraries(virtualFolder, { onLeftOut });
const drivers: Readonly<Record<TapeDriverKind, LibraryDriver>> = {
  'linux-scsi': createLinuxScsiDriver(),
  virtual: virtual.driver,
  iscsi: createIscsiDriver({ portals: askPortals, initiatorName, onLeftOut }),
};

/** What a writer or reader does is progress of the call that is at it. */
class Progress {
  private user: Running | null = null;

  readonly onBytes = async (bytes: number): Promise<void> => {
    if (this.user !== null) await count(this.user, bytes);
  };

  async during<R>(user: Running, work: () => Promise<R>): Promise<R> {
    this.user = user;
    try {
      return await work();
    } finally {
      this.user = null;
    }
  }
}

type Opened =
  | { readonly kind: 'changer'; readonly object: MediaChanger }
  | { readonly kind: 'drive'; readonly object: TapeDrive }
  | { readonly kind: 'writer'; readonly object: TapeCopyWriter; readonly progress: Progress }
  | { readonly kind: 'reader'; readonly object: TapeCopyReader; readonly progress: Progress };

const opened = new Map<number, Opened>();
let lastHandle = 0;
const keep = (one: Opened): number => {
  lastHandle += 1;
  opened.set(lastHandle, one);
  return lastHandle;
};
function at<K extends Opened['kind']>(handle: number, kind: K): Extract<Opened, { kind: K }> {
  const one = opened.get(handle);
  if (one?.kind === kind) return one as Extract<Opened, { kind: K }>;
  throw new DeviceError('transient', `The ${kind} was closed.`);
}
const release = async (handle: number): Promise<void> => {
  const one = opened.get(handle);
  opened.delete(handle);
  await one?.object.close();
};
type Method = (...args: readonly unknown[]) => unknown;
const methodOf = (object: object, name: string): Method =>
  ((object as Readonly<Record<string, Method>>)[name] as Method).bind(object);

type Handlers = {
  readonly [Call in TapeCall]: (
    input: TapeCalls[Call]['input'],
    one: Running,
  ) => Promise<TapeCalls[Call]['output']>;
};
const handlers: Handlers = {
  scan: ({ kind }, { ending }) => drivers[kind].scan(ending.signal),
  isThere: ({ kind, path }) => drivers[kind].isThere(path),
  openChanger: async ({ kind, path }, { ending }) =>
    keep({ kind: 'changer', object: await drivers[kind].openChanger(path, ending.signal) }),
  openDrive: async ({ kind, path }, { ending }) =>
    keep({ kind: 'drive', object: await drivers[kind].openDrive(path, ending.signal) }),
  changer: async ({ handle, method, args }, { ending }) =>
    methodOf(at(handle, 'changer').object, method)(...args, ending.signal),
  drive: async ({ handle, method, args }, { ending }) =>
    methodOf(at(handle, 'drive').object, method)(...args, ending.signal),
  virtual: async ({ method, args }) => methodOf(virtual, method)(...args),
  openWriter: async (source) => {
    const progress = new Progress();
    const object = await openTapeCopyWriter({ ...source, onBytes: progress.onBytes });
    return { handle: keep({ kind: 'writer', object, progress }), totalBytes: object.totalBytes };
  },
  completeWriter: async ({ handle, rest }) => {
    await at(handle, 'writer').object.complete(rest);
    return null;
  },
  writePart: async ({ handle, drive, target }, one) => {
    const { object, progress } = at(handle, 'writer');
    const whole = { ...target, drive: at(drive, 'drive').object };
    return progress.during(one, () => object.writePart(whole, one.ending.signal));
  },
  openReader: async ({ folder, reading }) => {
    const progress = new Progress();
    const object = await openTapeCopyReader(folder, progress.onBytes, reading);
    return keep({ kind: 'reader', object, progress });
  },
  readPart: async ({ handle, drive, part }, one) => {
    const { object, progress } = at(handle, 'reader');
    const from = at(drive, 'drive').object;
    return progress.during(one, () => object.readPart(from, part, one.ending.signal));
  },
  finishReader: async ({ handle }) => {
    await at(handle, 'reader').object.finish();
    return null;
  },
  release: async ({ handle }) => {
    await release(handle);
    return null;
  },
  close: async () => {
    for (const one of running.values()) one.ending.abort();
    for (const handle of [...opened.keys()]) await release(handle);
    await virtual.close();
    return null;
  },
};

async function serve(id: number, call: TapeCall, input: unknown): Promise<void> {
  const one: Running = {
    id,
    ending: new AbortController(),
    untold: 0,
    toldMs: performance.now(),
    held: null,
    go: () => undefined,
  };
  running.set(id, one);
  try {
    const handler = handlers[call] as (input: unknown, one: Running) => Promise<unknown>;
    const output = await handler(input, one);
    tell(one);
    send({ type: 'done', id, output });
  } catch (error) {
    tell(one);
    const isCut = one.ending.signal.aborted && !(error instanceof DeviceError);
    const told = isCut ? new DeviceError('cancelled', 'It was cancelled.', { cause: error }) : error;
    send({ type: 'failed', id, error: toErrorData(told) });
  } finally {
    running.delete(id);
  }
  if (call === 'close') parentPort?.close();
}

parentPort?.on('message', (message: ToTapeThread) => {
  if (message.type === 'call') {
    void serve(message.id, message.call, message.input);
    return;
  }
  if (message.type === 'portals') {
    asked.get(message.id)?.(message.portals);
    asked.delete(message.id);
    return;
  }
  const one = running.get(message.id);
  if (one === undefined) return;
  if (message.type === 'hold') {
    one.held ??= new Promise((resolve) => {
      one.go = resolve;
    });
    return;
  }
  one.held = null;
  one.go();
  if (message.type === 'abort') one.ending.abort();
});
