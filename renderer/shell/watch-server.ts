import { on } from '../bridge.ts';
import { shell } from './shell-store.ts';

export interface Watched {
  /** Events after which it is asked again; `reset` always is one. */
  readonly kinds: readonly string[];
  /** How long events are gathered. */
  readonly settleMs: number;
  readonly pollMs: number;
  /** What changes as time goes by is asked for in any case, other things where the server tells nothing by itself. */
  readonly polled: 'always' | 'untold';
}

/**
 * Calls `act` a moment after the server told of a change, and by the clock while the window is seen. Answers what ends
 * the watch; after that nothing is called any more.
 */
export function watchServer(
  connectionId: string,
  { kinds, settleMs, pollMs, polled }: Watched,
  act: () => void,
): () => void {
  let settling: ReturnType<typeof setTimeout> | null = null;
  const off = on('server.event', (told) => {
    if (told.connectionId !== connectionId) return;
    if (told.kind !== 'reset' && !kinds.includes(told.kind)) return;
    settling ??= setTimeout(() => {
      settling = null;
      act();
    }, settleMs);
  });
  const isUntold = (): boolean =>
    !(shell.getState().connections.find(({ id }) => id === connectionId)?.state.live ?? false);
  const timer = setInterval(() => {
    if (document.visibilityState === 'visible' && (polled === 'always' || isUntold())) act();
  }, pollMs);
  return () => {
    off();
    clearInterval(timer);
    if (settling !== null) clearTimeout(settling);
  };
}
