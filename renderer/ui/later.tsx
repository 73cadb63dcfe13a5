import { type ComponentType, useEffect, useState } from 'react';
import { t } from '../texts/index.ts';
import { PartBoundary } from './part-boundary.tsx';
import { FailedState, LoadingRows } from './states.tsx';
import { messageOf } from './text.ts';

/** A part of the window whose code comes later. */
export interface Later<P extends object> {
  /** Null until the code is there. */
  readonly loaded: () => ComponentType<P> | null;
  /** Brings the code, once; after a failure it may be tried again. */
  readonly bring: () => Promise<void>;
}

export function later<P extends object>(load: () => Promise<ComponentType<P>>): Later<P> {
  let loaded: ComponentType<P> | null = null;
  let coming: Promise<void> | null = null;
  return {
    loaded: () => loaded,
    bring: () => {
      coming ??= load().then(
        (part) => {
          loaded = part;
        },
        (error: unknown) => {
          coming = null;
          throw error;
        },
      );
      return coming;
    },
  };
}

/**
 * Draws it at once where the code is there; otherwise brings it, and says so when that fails. React's `lazy` shows its
 * fallback once even where the code is there already, and React holds back for 300 ms what follows a fallback: a third of a
 * second in which a screen does not even ask for its rows.
 */
export function LaterPart<P extends object>(props: { readonly part: Later<P>; readonly given: P }) {
  const { part, given } = props;
  const [failure, setFailure] = useState<{ readonly reason: string; readonly since: number } | null>(null);
  const [tries, setTries] = useState(0);
  const [, setThere] = useState(part.loaded() !== null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each try brings it again
  useEffect(() => {
    let isWanted = true;
    part.bring().then(
      () => isWanted && setThere(true),
      (error: unknown) => isWanted && setFailure({ reason: messageOf(error), since: Date.now() }),
    );
    return () => {
      isWanted = false;
    };
  }, [part, tries]);
  const Loaded = part.loaded();
  if (Loaded !== null)
    return (
      <PartBoundary of={part}>
        <Loaded {...given} />
      </PartBoundary>
    );
  if (failure === null) return <LoadingRows />;
  return (
    <FailedState
      what={t('ui.partNotLoaded')}
      reason={failure.reason}
      since={failure.since}
      onRetry={() => {
        setFailure(null);
        setTries(tries + 1);
      }}
    />
  );
}
