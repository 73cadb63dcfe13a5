import { command, on } from '../bridge.ts';
import { shortcutKey } from '../ui/index.ts';
import { openDialog, reload, shell, stepHistory } from './shell-store.ts';
import { showPlace } from './tell.ts';

/** Shortcuts of the whole window; those of a list or tree belong to it. */
export function listenToKeys(): () => void {
  const onKey = (event: KeyboardEvent) => {
    const isCommand = event.ctrlKey || event.metaKey;
    const key = shortcutKey(event);
    const isPalette = isCommand && key === 'k';
    if (isPalette) event.preventDefault();
    // What was typed into a dialog is not lost by a shortcut.
    if (shell.getState().dialog !== null) return;
    if (isPalette) return openDialog({ kind: 'palette' });
    if (isCommand && key === ',') return openDialog({ kind: 'preferences' });
    if (event.key === 'F5') return reload();
    if (event.altKey && event.key === 'ArrowLeft') return stepHistory(-1);
    if (event.altKey && event.key === 'ArrowRight') return stepHistory(1);
    if (isCommand || event.altKey || isTyping(event.target)) return;
    if (event.key === '?') openDialog({ kind: 'keys' });
    if (key === '/') {
      const search = document.querySelector<HTMLInputElement>('[data-list-search]');
      if (search === null) return;
      event.preventDefault();
      search.focus();
    }
  };
  document.addEventListener('keydown', onKey);
  const offs = [on('action', ({ action }) => runMenuAction(action)), on('goTo', showPlace)];
  return () => {
    document.removeEventListener('keydown', onKey);
    for (const off of offs) off();
  };
}

function runMenuAction(action: string): void {
  const { dialog, place } = shell.getState();
  const { connectionId } = place;
  if (dialog !== null) return;
  if (action === 'palette') openDialog({ kind: 'palette' });
  if (action === 'keyboardSheet') openDialog({ kind: 'keys' });
  if (action === 'addConnection') openDialog({ kind: 'addConnection' });
  if (action === 'importConnections') openDialog({ kind: 'importConnections' });
  if (action === 'exportConnections') openDialog({ kind: 'exportConnections' });
  if (action === 'openBundle') openDialog({ kind: 'openBundle' });
  if (action === 'newBackup' && connectionId !== null) openDialog({ kind: 'newBackup', connectionId });
  if (action === 'preferences') openDialog({ kind: 'preferences' });
  if (action === 'about') openDialog({ kind: 'about' });
  if (action === 'reload') reload();
  if (action === 'back') stepHistory(-1);
  if (action === 'forward') stepHistory(1);
  if (action === 'search') document.querySelector<HTMLInputElement>('[data-list-search]')?.focus();
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null
  );
}

export function copyText(text: string): void {
  command('clipboard.write', { text }).catch(() => undefined);
}
