import { randomUUID } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { ApiName } from '../../contract/api.ts';
import type { Connection } from '../../contract/desktop/connection.ts';
import type { Connections } from '../connections/connections.ts';
import { writeAtomically } from '../platform/atomic-file.ts';
import { readChosenFile } from '../platform/chosen-file.ts';
import { messageOf, ProblemError } from '../platform/problem-error.ts';
import { createSignal } from '../platform/signals.ts';
import { t } from '../texts/index.ts';
import { readBundle, writeBundle } from './bundle-file.ts';
import { createExchangeRecorder } from './exchange-recorder.ts';
import { openRecording, type Recording } from './recording.ts';
import { redactExchange } from './redact-exchange.ts';
import { createWireLog } from './wire-log.ts';

const mostFileBytes = 64 * 1024 * 1024;
const mostLogBytes = 128 * 1024;
const mostLogLines = 500;
const mostOpen = 20;

export interface SupportDeps {
  readonly connections: Pick<Connections, 'list' | 'call' | 'onList' | 'onExchange' | 'scrub'>;
  /** What is said about the program itself. */
  readonly about: () => Readonly<Record<string, string | boolean>>;
  readonly logPath: string;
  readonly pickSaveName: (title: string, defaultName: string) => Promise<string | null>;
  readonly now?: () => number;
}

export type Support = ReturnType<typeof createSupport>;

/** Bundles for whoever helps: what was exchanged with a server, to a file, and such a file opened as a server to look at. */
export function createSupport(deps: SupportDeps) {
  const { connections, now = Date.now } = deps;
  const recorder = createExchangeRecorder(now);
  const recordings = new Map<string, Recording>();
  const listChanged = createSignal<void>();
  const watched = recorder.watch(connections.call);
  const wireLog = createWireLog();
  connections.onExchange(({ connectionId, exchange }) => wireLog.note(connectionId, exchange));
  connections.onList((list) => {
    const ids = list.map(({ id }) => id);
    recorder.forget(ids);
    wireLog.forget(ids);
  });

  const listed = (): readonly Connection[] => [...recordings.values()].map(({ connection }) => connection);

  return {
    /** As the connections' own call, but recorded; recordings answer too. */
    call: async (id: string, name: ApiName, input: unknown, signal?: AbortSignal): Promise<unknown> => {
      const recording = recordings.get(id);
      return recording ? recording.call(name, input) : watched(id, name, input, signal);
    },
    list: listed,
    onList: listChanged.listen,
    isRecording: (id: string): boolean => recordings.has(id),
    close: (id: string): void => {
      if (recordings.delete(id)) listChanged.tell();
    },

    save: async (id: string): Promise<{ readonly path: string | null; readonly exchanges: number }> => {
      const connection = connections.list().find((one) => one.id === id);
      if (!connection) throw localProblem('unknownConnection', t('connections.gone'));
      const made = now();
      const path = await deps.pickSaveName(t('dialogs.saveBundle'), fileName(connection.name, made));
      if (path === null) return { path, exchanges: 0 };
      const exchanges = recorder.of(id);
      const { name, kind, address, database, userName, authType, domain, zone, state } = connection;
      const told = { name, address, database, userName, authType, domain, zone, state };
      const text = writeBundle({
        made,
        app: deps.about(),
        connection: { ...(redactExchange(told) as typeof told), kind: kind === 'local' ? 'local' : 'remote' },
        exchanges: [...exchanges],
        wire: [...wireLog.of(id)],
        log: (await lastLines(deps.logPath)).map(redactLine),
      });
      // Whatever way a live secret may have taken into it.
      await writeAtomically(path, connections.scrub(id, text)).catch((error: unknown) => {
        throw localProblem('save', t('files.notWritten', { path, reason: messageOf(error) }));
      });
      return { path, exchanges: exchanges.length };
    },

    open: async (path: string): Promise<Connection> => {
      const bundle = readBundle(await readChosenFile(path, mostFileBytes, t('files.tooLargeBundle')));
      if (typeof bundle === 'string')
        throw new ProblemError({
          kind: 'refused',
          code: 'foreign',
          message: t('bundle.notOpened', { reason: bundle }),
          errors: { path: bundle },
        });
      const recording = openRecording(`recording-${randomUUID()}`, bundle);
      const [oldest] = recordings.keys();
      if (recordings.size >= mostOpen && oldest !== undefined) recordings.delete(oldest);
      recordings.set(recording.connection.id, recording);
      listChanged.tell();
      return recording.connection;
    },
  };
}

function fileName(name: string, madeMs: number): string {
  const plain = name.replace(/[^\p{L}\p{N}._-]+/gu, '-').slice(0, 60);
  return `strongroom-support-${plain}-${new Date(madeMs).toISOString().slice(0, 16).replace(/[:T]/g, '-')}.json`;
}

/** A line of JSON stays one. */
function redactLine(line: string): string {
  try {
    return JSON.stringify(redactExchange(JSON.parse(line)));
  } catch {
    // Cut off, or not of our log.
    return String(redactExchange(line));
  }
}

/** The end of the log. Without a log there is nothing to tell. */
async function lastLines(path: string): Promise<readonly string[]> {
  try {
    const handle = await open(path, 'r');
    try {
      const { size } = await handle.stat();
      const from = Math.max(0, size - mostLogBytes);
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - from), 0, size - from, from);
      const lines = buffer.subarray(0, bytesRead).toString('utf8').split('\n').filter(Boolean);
      return lines.slice(from > 0 ? 1 : 0).slice(-mostLogLines);
    } finally {
      await handle.close();
    }
  } catch (error) {
    return [`the log could not be read: ${messageOf(error)}`];
  }
}

function localProblem(code: string, message: string): ProblemError {
  return new ProblemError({ kind: 'local', code, message });
}
