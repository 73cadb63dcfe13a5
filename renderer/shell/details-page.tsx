import { ArrowLeft } from 'lucide-react';
import { type ReactNode, type RefObject, useEffect, useRef } from 'react';
import { t } from '../texts/index.ts';
import { Button } from '../ui/index.ts';
import { shell } from './shell-store.ts';

/** The details of one object in place of its list, with all that can be done with it. */
export function DetailsPage(props: {
  /** Of the list. */
  readonly title: string;
  readonly actionsLabel: string;
  readonly actions: ReactNode;
  readonly onLeave: () => void;
  readonly children: ReactNode;
}) {
  const page = useRef<HTMLDivElement>(null);
  useEscape(props.onLeave);
  // The row that had the focus is gone.
  useEffect(() => page.current?.focus(), []);
  return (
    <>
      <div className="toolbar">
        <Button kind="quiet" label={t('shell.list.backTo')} onClick={props.onLeave}>
          <ArrowLeft size={16} aria-hidden />
        </Button>
        <h1>{props.title}</h1>
        <span className="toolbar-space" />
        <div className="toolbar-actions" role="toolbar" aria-label={props.actionsLabel}>
          {props.actions}
        </div>
      </div>
      <div className="details-page" ref={page} tabIndex={-1}>
        {props.children}
      </div>
    </>
  );
}

/** Back from the page of an object, the keyboard goes on in the list within this element. */
export function useListFocus(isPageShown: boolean): RefObject<HTMLDivElement | null> {
  const place = useRef<HTMLDivElement>(null);
  const wasShown = useRef(isPageShown);
  useEffect(() => {
    if (wasShown.current && !isPageShown)
      place.current?.querySelector<HTMLElement>('[role="grid"], [role="tree"]')?.focus();
    wasShown.current = isPageShown;
  }, [isPageShown]);
  return place;
}

/** Escape, where no dialog and no field has taken it. */
export function useEscape(onEscape: () => void): void {
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent) => {
      if (event.key === 'Escape' && shell.getState().dialog === null && !event.defaultPrevented) onEscape();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [onEscape]);
}
