import { useEffect, useRef, useState } from 'react';
import { on, problemOf } from '../bridge.ts';

export interface Watch {
  /** Events after which it is asked again; `reset` always is one. */
  readonly kinds: readonly string[];
  /** How often it is asked without an event. */
  readonly pollMs: number;
  /** How long events are gathered. */
  readonly settleMs: number;
}

export interface Answer<T> {
  /** The last answer; null before the first one. */
  readonly value: T | null;
  /** Why the last try failed; the value of before stays. */
  readonly problem: { readonly reason: string; readonly since: number } | null;
  readonly reload: () => void;
}

/**
 * What a server answers, kept up to date while it is shown. `load` null: there is nothing to ask. Another `load` is
 * another question: nothing of the answer before is shown with it.
 */
export function useAnswer<T>(
  connectionId: string,
  load: ((signal: AbortSignal) => Promise<T>) | null,
  watch: Watch,
): Answer<T> {
  const [state, setState] = useState<Omit<Answer<T>, 'reload'> & { readonly of: typeof load }>({
    of: load,
    value: null,
    problem: null,
  });
  const again = useRef<() => void>(() => undefined);
  useEffect(() => {
    if (load === null) return undefined;
    const stop = new AbortController();
    let isBusy = false;
    let isWanted = false;
    const look = (): void => {
      if (isBusy) {
        isWanted = true;
        return;
      }
      isBusy = true;
      load(stop.signal)
        .then(
          (value) => !stop.signal.aborted && setState({ of: load, value, problem: null }),
          (error: unknown) => {
            if (stop.signal.aborted) return;
            const { message: reason } = problemOf(error);
            setState((before) => {
              const kept = before.of === load ? before : { value: null, problem: null };
              const problem = { reason, since: kept.problem?.since ?? Date.now() };
              return { of: load, value: kept.value, problem };
            });
          },
        )
        .finally(() => {
          isBusy = false;
          if (!isWanted || stop.signal.aborted) return;
          isWanted = false;
          look();
        });
    };
    again.current = look;
    look();
    let settling: ReturnType<typeof setTimeout> | null = null;
    const off = on('server.event', (told) => {
      if (told.connectionId !== connectionId) return;
      if (told.kind !== 'reset' && !watch.kinds.includes(told.kind)) return;
      settling ??= setTimeout(() => {
        settling = null;
        look();
      }, watch.settleMs);
    });
    const timer = setInterval(() => document.visibilityState === 'visible' && look(), watch.pollMs);
    return () => {
      stop.abort();
      again.current = () => undefined;
      off();
      clearInterval(timer);
      if (settling !== null) clearTimeout(settling);
    };
  }, [connectionId, load, watch]);
  const isOfThis = state.of === load;
  return {
    value: isOfThis ? state.value : null,
    problem: isOfThis ? state.problem : null,
    reload: () => again.current(),
  };
}
