import * as Radix from '@radix-ui/react-dialog';
import { type KeyboardEvent, useEffect, useId, useMemo, useState } from 'react';
import { useStore } from 'zustand';
import { t, textsOf } from '../texts/index.ts';
import { localGroups, serverGroup, type Target, type TargetGroup } from './palette-targets.ts';
import { type ServerFinds, searchServers, shortestSearch, typingMs } from './server-search.ts';
import { shell } from './shell-store.ts';

const words = textsOf('palette');

/** Every place, command and setting by its name, and what the servers find. */
export function Palette(props: { readonly onClose: () => void }) {
  const base = useId();
  const saved = useStore(shell, (state) => state.connections);
  const here = useStore(shell, (state) => state.place.connectionId);
  // What belongs to the chosen connection is what is meant most often.
  const connections = useMemo(
    () => [...saved].sort((a, b) => Number(b.id === here) - Number(a.id === here)),
    [saved, here],
  );
  const [text, setText] = useState('');
  /** By its id: what comes from servers later does not move the choice. */
  const [chosen, setChosen] = useState<string | null>(null);
  const wanted = text.trim();
  const finds = useServerSearch(wanted);
  const local = useMemo(() => localGroups(connections, wanted.toLowerCase()), [connections, wanted]);
  const remote = connections.flatMap((connection): readonly TargetGroup[] => {
    const found = finds.get(connection.id);
    if (found === undefined) return [];
    const group = serverGroup(connection, found, wanted);
    return group.targets.length > 0 || group.note !== undefined ? [group] : [];
  });
  const groups = [...local, ...remote];
  const targets = groups.flatMap((group) => group.targets);
  const firstOf = ({ targets: [first] }: TargetGroup) => (first === undefined ? -1 : targets.indexOf(first));
  const at = Math.max(
    0,
    targets.findIndex(({ id }) => id === chosen),
  );
  const current = targets[at];
  const run = (target: Target | undefined) => {
    if (target === undefined) return;
    props.onClose();
    target.run();
  };
  useEffect(() => {
    document.getElementById(`${base}-${at}`)?.scrollIntoView?.({ block: 'nearest' });
  }, [base, at]);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      const next = targets[Math.min(targets.length - 1, Math.max(0, at + step))];
      if (next !== undefined) setChosen(next.id);
    }
    if (event.key !== 'Enter') return;
    // The same key would press the button that the opened dialog begins with.
    event.preventDefault();
    run(current);
  };
  const isSearching = [...finds.values()].some((found) => found.isSearching);
  return (
    <Radix.Root open onOpenChange={(open) => !open && props.onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="dialog-overlay" />
        <Radix.Content className="dialog palette" aria-describedby={undefined}>
          <Radix.Title className="dialog-title">{words.title}</Radix.Title>
          <div className="dialog-body">
            <input
              className="input"
              role="combobox"
              aria-label={words.search}
              placeholder={words.search}
              aria-expanded="true"
              aria-controls={`${base}-list`}
              aria-activedescendant={current === undefined ? undefined : `${base}-${at}`}
              value={text}
              onChange={(event) => {
                setText(event.target.value);
                setChosen(null);
              }}
              onKeyDown={onKeyDown}
            />
            <div className="palette-list" role="listbox" id={`${base}-list`} aria-label={words.found}>
              {groups.map((group) => (
                <Group
                  key={group.id}
                  base={base}
                  group={group}
                  first={firstOf(group)}
                  current={at}
                  onRun={run}
                />
              ))}
            </div>
            <p className="caption palette-note" role="status">
              {noteOf({
                isEmpty: targets.length === 0,
                isSearching,
                isShort: wanted.length < shortestSearch,
                away: connections.filter(({ state }) => state.phase !== 'connected').length,
              })}
            </p>
          </div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

function noteOf(facts: {
  readonly isEmpty: boolean;
  readonly isSearching: boolean;
  readonly isShort: boolean;
  readonly away: number;
}): string {
  if (facts.isSearching) return words.searching;
  const parts = [
    facts.isEmpty ? words.nothing : '',
    facts.isShort ? t('palette.typeMore', { characters: shortestSearch }) : '',
    !facts.isShort && facts.away > 0 ? t('palette.notSearched', { count: facts.away }) : '',
  ];
  return parts.filter(Boolean).join(' ');
}

function Group(props: {
  readonly base: string;
  readonly group: TargetGroup;
  /** Place of its first target among all. */
  readonly first: number;
  readonly current: number;
  readonly onRun: (target: Target) => void;
}) {
  const { base, group } = props;
  const headId = useId();
  return (
    <div role="group" aria-labelledby={headId}>
      <div className="palette-head" id={headId}>
        {group.title}
        {group.note !== undefined && <span className="caption">{group.note}</span>}
      </div>
      {group.targets.map((target, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the combobox has the keyboard
        <div
          key={target.id}
          id={`${base}-${props.first + index}`}
          role="option"
          tabIndex={-1}
          aria-selected={props.first + index === props.current}
          onClick={() => props.onRun(target)}
        >
          <span className="palette-label">{target.label}</span> <span className="caption">{target.hint}</span>
        </div>
      ))}
    </div>
  );
}

/** What the servers found for the text, a moment after the last key; empty for short texts. */
function useServerSearch(text: string): ReadonlyMap<string, ServerFinds> {
  const [finds, setFinds] = useState<ReadonlyMap<string, ServerFinds>>(new Map());
  useEffect(() => {
    setFinds(new Map());
    if (text.length < shortestSearch) return undefined;
    let stop = () => {};
    const timer = setTimeout(() => {
      // Those that connect meanwhile are searched with the next text.
      stop = searchServers(shell.getState().connections, text, (found) =>
        setFinds((before) => new Map(before).set(found.connectionId, found)),
      );
    }, typingMs);
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [text]);
  return finds;
}
