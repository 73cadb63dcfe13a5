import { eventKinds, ServerEvent } from '../../contract/events/events.ts';
import { problemOf } from '../platform/problem-error.ts';
import { backOffMs } from '../platform/waiting.ts';
import { createEventParser, type StreamEvent } from './event-stream.ts';
import type { ServerClient } from './server-client.ts';
import { readTolerantly } from './tolerant.ts';

export interface ToldEvent {
  readonly kind: (typeof eventKinds)[number] | 'reset' | 'other';
  readonly event: ServerEvent | null;
}

export interface EventReaderDeps {
  readonly client: Pick<ServerClient, 'openEvents' | 'renew'>;
  readonly onEvent: (event: ToldEvent) => void;
  /** True while a stream is open. */
  readonly onLive: (live: boolean) => void;
  /** The stream failed in a way that says something about the server. */
  readonly onProblem: (error: unknown) => void;
  readonly firstWaitMs?: number;
}

/**
 * Keeps one event stream to a server open until stopped. After a cut it resumes behind the last event it saw; where
 * that is impossible it tells `reset`, and everything shown has to be loaded again. A server without the extension
 * (404) is left alone: lists are polled then.
 */
export function startEventReader(deps: EventReaderDeps): { readonly stop: () => void } {
  const stopped = new AbortController();
  void readForEver(deps, stopped.signal);
  return { stop: () => stopped.abort() };
}

async function readForEver(deps: EventReaderDeps, signal: AbortSignal): Promise<void> {
  const position: Position = { id: null, opened: false };
  let failures = 0;
  let renewed = false;
  while (!signal.aborted) {
    const end = await readOnce(deps, signal, position, () => {
      failures = 0;
      renewed = false;
    });
    if (signal.aborted || end.kind === 'unsupported') return;
    if (end.kind === 'signIn' && !renewed) {
      renewed = true;
      try {
        await deps.client.renew();
        continue;
      } catch (error) {
        // Whoever owns the session hears of it and starts a new reader after the next sign-in.
        deps.onProblem(error);
        return;
      }
    }
    if (end.kind === 'signIn') return;
    failures++;
    await pause(end.retryMs ?? backOffMs(failures, deps.firstWaitMs ?? 1_000, 30_000), signal);
  }
}

interface Position {
  id: string | null;
  opened: boolean;
}

type StreamEnd =
  | { readonly kind: 'unsupported' }
  | { readonly kind: 'signIn' }
  | { readonly kind: 'cut'; readonly retryMs: number | null };

async function readOnce(
  deps: EventReaderDeps,
  signal: AbortSignal,
  position: Position,
  onOpen: () => void,
): Promise<StreamEnd> {
  const parser = createEventParser((event) => {
    if (event.id !== null) position.id = event.id;
    deps.onEvent(toldEvent(event));
  });
  let live = false;
  try {
    const stream = await deps.client.openEvents(position.id, signal);
    if (stream.status !== 200 || !stream.contentType.startsWith('text/event-stream')) {
      await drop(stream.chunks);
      if (stream.status === 401) return { kind: 'signIn' };
      if (stream.status === 404 || stream.status === 200) return { kind: 'unsupported' };
      return { kind: 'cut', retryMs: null };
    }
    // Opened again without a place to resume from: what happened in between is not known.
    if (position.opened && position.id === null) deps.onEvent({ kind: 'reset', event: null });
    position.opened = true;
    live = true;
    deps.onLive(true);
    onOpen();
    for await (const chunk of stream.chunks) parser.push(chunk);
  } catch (error) {
    if (!signal.aborted && problemOf(error)) deps.onProblem(error);
  } finally {
    if (live) deps.onLive(false);
  }
  const asked = parser.retryMs();
  return { kind: 'cut', retryMs: asked === null ? null : Math.min(asked, 30_000) };
}

async function drop(chunks: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    // Leaving the loop ends the answer's stream.
    for await (const _chunk of chunks) break;
  } catch {
    // The answer is of no use; neither is the reason why it broke off.
  }
}

function toldEvent({ kind, data }: StreamEvent): ToldEvent {
  if (kind === 'reset') return { kind: 'reset', event: null };
  const known = eventKinds.find((one) => one === kind);
  if (!known) return { kind: 'other', event: null };
  try {
    const read = readTolerantly(ServerEvent, JSON.parse(data)) as ServerEvent;
    return { kind: known, event: { ...read, action: read.action ?? 'changed' } };
  } catch {
    // Something changed, but not told in a form we know: the window loads that kind again.
    return { kind: known, event: { action: 'changed', id: null, record: null } };
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(done, ms);
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
    signal.addEventListener('abort', done);
  });
}
