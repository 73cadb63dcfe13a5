import { useEffect, useRef, useState } from 'react';
import { problemOf } from '../bridge.ts';
import { type Watched, watchServer } from './watch-server.ts';

export type Watch = Omit<Watched, 'polled'>;

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
    const endWatch = watchServer(connectionId, { ...watch, polled: 'always' }, look);
    return () => {
      stop.abort();
      again.current = () => undefined;
      endWatch();
    };
  }, [connectionId, load, watch]);
  const isOfThis = state.of === load;
  return {
    value: isOfThis ? state.value : null,
    problem: isOfThis ? state.problem : null,
    reload: () => again.current(),
  };
}
