import { useEffect, useState } from 'react';
import { problemOf } from '../bridge.ts';
import { textsOf } from '../texts/index.ts';
import { Button, showHidden } from '../ui/index.ts';

const common = textsOf('common');

export interface Asked<T> {
  /** Null before the first answer; the last one stays while it is asked again. */
  readonly answer: T | null;
  /** Why the last try failed. */
  readonly failure: string | null;
  readonly again: () => void;
}

/**
 * What a dialog asks a server once, before it can say what it would do. Asked anew when one of `of` is another one, or
 * when the person wishes.
 */
export function useAsked<T>(ask: (signal: AbortSignal) => Promise<T>, of: readonly unknown[]): Asked<T> {
  const [answer, setAnswer] = useState<T | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [tries, setTries] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is asked of says when, and another try asks again
  useEffect(() => {
    const stop = new AbortController();
    setFailure(null);
    ask(stop.signal).then(
      (found) => !stop.signal.aborted && setAnswer(found),
      (error: unknown) => !stop.signal.aborted && setFailure(problemOf(error).message),
    );
    return () => stop.abort();
  }, [...of, tries]);
  return { answer, failure, again: () => setTries((before) => before + 1) };
}

/** Says why it could not be asked, and asks again. `what`: what is not known because of it. */
export function AskFailure(props: { readonly asked: Asked<unknown>; readonly what?: string }) {
  const { failure, again } = props.asked;
  if (failure === null) return null;
  return (
    <div className="banner banner-error" role="alert">
      <span className="grow-text selectable">
        {props.what !== undefined && `${props.what} `}
        {showHidden(failure)}
      </span>
      <Button onClick={again}>{common.retry}</Button>
    </div>
  );
}
