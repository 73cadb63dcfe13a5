import { useCallback, useEffect, useRef, useState } from 'react';
import { problemOf } from '../bridge.ts';
import { t } from '../texts/index.ts';
import { Button, showHidden } from '../ui/index.ts';
import { type AskPage, type ListPages, pagesOf } from './list-pages.ts';

export interface Pages<R> {
  /** Null before the first answer. */
  readonly list: ListPages<R> | null;
  /** Why the last try failed; what was there before stays. */
  readonly problem: string | null;
  /** Asks anew for what is shown. */
  readonly load: () => Promise<void>;
  readonly more: () => void;
}

/** A list that stands as lines in a panel: its first page, and what lies beyond when a person asks for it. */
export function usePages<R>(
  ask: (query: Parameters<AskPage<R>>[0], signal: AbortSignal) => ReturnType<AskPage<R>>,
): Pages<R> {
  const [list, setList] = useState<ListPages<R> | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const running = useRef(new AbortController());
  const wanted = useRef(1);
  const load = useCallback(async () => {
    running.current.abort();
    const stop = new AbortController();
    running.current = stop;
    try {
      const found = await pagesOf(wanted.current, (query) => ask(query, stop.signal));
      if (stop.signal.aborted) return;
      setList(found);
      setProblem(null);
    } catch (error) {
      if (!stop.signal.aborted) setProblem(problemOf(error).message);
    }
  }, [ask]);
  useEffect(() => {
    wanted.current = 1;
    setList(null);
    void load();
    return () => running.current.abort();
  }, [load]);
  const more = () => {
    wanted.current = (list?.shown ?? 0) + 1;
    void load();
  };
  return { list, problem, load, more };
}

/** Why the last try failed, with another one; nothing where it did not. */
export function PagesProblem(props: { readonly pages: Pages<unknown> }) {
  const { problem, load } = props.pages;
  if (problem === null) return null;
  return (
    <div className="banner banner-error" role="alert">
      <span className="selectable" style={{ flex: 1, overflowWrap: 'anywhere' }}>
        {showHidden(problem)}
      </span>
      <Button onClick={() => void load()}>{t('common.retry')}</Button>
    </div>
  );
}

/** Says what lies beyond the lines that are shown, and brings it; nothing where they are all. */
export function MoreLine(props: { readonly pages: Pages<unknown> }) {
  const { list, more } = props.pages;
  if (list === null || list.rest === 0) return null;
  return (
    <li>
      <span className="grow muted">{t('shell.list.andMore', { rest: list.rest })}</span>
      <Button kind="quiet" onClick={more}>
        {t('shell.list.showMore')}
      </Button>
    </li>
  );
}
