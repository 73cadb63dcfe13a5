import * as Radix from '@radix-ui/react-dialog';
import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import { useStore } from 'zustand';
import { sections } from '../features/registry.ts';
import { showHidden } from '../ui/index.ts';
import { goTo, openDialog, saveSettings, shell } from './shell-store.ts';

interface Target {
  readonly id: string;
  readonly label: string;
  readonly hint: string;
  readonly run: () => void;
}

const shownMost = 60;

/** Every place and command by its name. */
export function Palette(props: { readonly onClose: () => void }) {
  const base = useId();
  const connections = useStore(shell, (state) => state.connections);
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const wanted = text.trim().toLowerCase();
  const found = targets(connections)
    .filter((target) => `${target.label} ${target.hint}`.toLowerCase().includes(wanted))
    .slice(0, shownMost);
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
      setAt((before) => Math.min(found.length - 1, Math.max(0, before + step)));
    }
    if (event.key === 'Enter') run(found[at]);
  };
  return (
    <Radix.Root open onOpenChange={(open) => !open && props.onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="dialog-overlay" />
        <Radix.Content className="dialog" aria-describedby={undefined}>
          <Radix.Title className="dialog-title">Go to anything</Radix.Title>
          <div className="dialog-body">
            <input
              className="input"
              role="combobox"
              aria-label="Search everything"
              aria-expanded="true"
              aria-controls={`${base}-list`}
              aria-activedescendant={found.length > 0 ? `${base}-${at}` : undefined}
              value={text}
              onChange={(event) => {
                setText(event.target.value);
                setAt(0);
              }}
              onKeyDown={onKeyDown}
            />
            <div className="palette-list" role="listbox" id={`${base}-list`} aria-label="Found">
              {found.map((target, index) => (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the combobox has the keyboard
                <div
                  key={target.id}
                  id={`${base}-${index}`}
                  role="option"
                  tabIndex={-1}
                  aria-selected={index === at}
                  onClick={() => run(target)}
                >
                  {target.label} <span className="caption">{target.hint}</span>
                </div>
              ))}
              {found.length === 0 && <p className="muted">Nothing has this name.</p>}
            </div>
          </div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

function targets(
  connections: readonly { readonly id: string; readonly name: string; readonly kind: string }[],
): readonly Target[] {
  const places = connections.flatMap((connection) =>
    sections
      .filter((section) => section.Screen !== null && (!section.localOnly || connection.kind === 'local'))
      .map((section) => ({
        id: `${connection.id}/${section.id}`,
        label: section.id,
        hint: showHidden(connection.name),
        run: () => goTo({ connectionId: connection.id, section: section.id }),
      })),
  );
  const commands = [
    ...connections.map((connection) => ({
      id: `backup/${connection.id}`,
      label: 'New backup',
      hint: showHidden(connection.name),
      run: () => openDialog({ kind: 'newBackup', connectionId: connection.id }),
    })),
    { id: 'add', label: 'Add connection', hint: 'command', run: () => openDialog({ kind: 'addConnection' }) },
    {
      id: 'preferences',
      label: 'Preferences',
      hint: 'command',
      run: () => openDialog({ kind: 'preferences' }),
    },
    { id: 'about', label: 'About Strongroom', hint: 'command', run: () => openDialog({ kind: 'about' }) },
    { id: 'keys', label: 'Keyboard shortcuts', hint: 'command', run: () => openDialog({ kind: 'keys' }) },
    ...(['light', 'dark', 'system'] as const).map((theme) => ({
      id: `theme/${theme}`,
      label: `Theme: ${theme}`,
      hint: 'setting',
      run: () => saveSettings({ theme }),
    })),
    ...(['compact', 'normal', 'comfortable'] as const).map((density) => ({
      id: `density/${density}`,
      label: `Density: ${density}`,
      hint: 'setting',
      run: () => saveSettings({ density }),
    })),
  ];
  return [...places, ...commands];
}
