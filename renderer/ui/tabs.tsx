import { type KeyboardEvent, type ReactNode, useId, useRef } from 'react';

export interface TabChoice {
  readonly id: string;
  readonly label: string;
}

/** Tabs with their panel; arrows move between them. */
export function Tabs(props: {
  readonly label: string;
  readonly tabs: readonly TabChoice[];
  readonly current: string;
  readonly onChange: (id: string) => void;
  readonly children: ReactNode;
}) {
  const base = useId();
  const list = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const at = props.tabs.findIndex((tab) => tab.id === props.current);
    const next = props.tabs[(at + step + props.tabs.length) % props.tabs.length];
    if (next === undefined) return;
    props.onChange(next.id);
    list.current?.querySelector<HTMLElement>(`[data-tab="${next.id}"]`)?.focus();
  };
  return (
    <>
      <div className="tabs" role="tablist" aria-label={props.label} ref={list} onKeyDown={move}>
        {props.tabs.map((tab) => (
          <button
            key={tab.id}
            type="button"
            role="tab"
            data-tab={tab.id}
            id={`${base}-${tab.id}`}
            className="tab"
            aria-selected={tab.id === props.current}
            aria-controls={`${base}-panel`}
            tabIndex={tab.id === props.current ? 0 : -1}
            onClick={() => props.onChange(tab.id)}
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div
        className="tab-panel"
        role="tabpanel"
        id={`${base}-panel`}
        aria-labelledby={`${base}-${props.current}`}
      >
        {props.children}
      </div>
    </>
  );
}
