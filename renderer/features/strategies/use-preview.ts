import { useEffect, useRef, useState } from 'react';
import type { FieldErrors, Problem } from '../../../contract/problem.ts';
import type { SchedulePreview, SchedulePreviewQuery } from '../../../contract/strategies/schedule-preview.ts';
import { call, problemOf } from '../../bridge.ts';

/** How long typing has to rest before the server is asked. */
const restMs = 250;

export type PreviewState =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'shown'; readonly preview: SchedulePreview }
  /** The schedules are wrong: what stands at their fields. */
  | { readonly kind: 'wrong' }
  | { readonly kind: 'failed'; readonly reason: string };

/** What the server says that these schedules lead to, as they are typed. `onErrors` is told what is wrong, by field. */
export function usePreview(
  connectionId: string,
  query: SchedulePreviewQuery,
  onErrors: (errors: FieldErrors) => void,
) {
  const [state, setState] = useState<PreviewState>({ kind: 'waiting' });
  /** The last runs that could be shown: they stay while something is typed. */
  const [last, setLast] = useState<SchedulePreview | null>(null);
  const [tries, setTries] = useState(0);
  const tell = useRef(onErrors);
  tell.current = onErrors;
  const asked = JSON.stringify(query);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another try is another question
  useEffect(() => {
    const stop = new AbortController();
    const timer = setTimeout(() => {
      call(
        connectionId,
        'strategies.preview',
        { query: JSON.parse(asked) as SchedulePreviewQuery },
        stop.signal,
      ).then(
        (preview) => {
          if (stop.signal.aborted) return;
          tell.current({});
          setLast(preview);
          setState({ kind: 'shown', preview });
        },
        (error: unknown) => {
          if (stop.signal.aborted) return;
          const problem = problemOf(error);
          const isOfFields = isWrongInput(problem);
          tell.current(isOfFields ? (problem.errors ?? {}) : {});
          setState(isOfFields ? { kind: 'wrong' } : { kind: 'failed', reason: problem.message });
        },
      );
    }, restMs);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [connectionId, asked, tries]);
  return { state, last, retry: () => setTries((before) => before + 1) };
}

function isWrongInput(problem: Problem): boolean {
  return problem.status === 400 && Object.keys(problem.errors ?? {}).length > 0;
}
