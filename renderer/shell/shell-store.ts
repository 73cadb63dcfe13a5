import { createStore } from 'zustand/vanilla';
import type { AppInfo } from '../../contract/bridge.ts';
import type { Connection } from '../../contract/desktop/connection.ts';
import type { ServerHealth } from '../../contract/desktop/fleet.ts';
import type { LocalBackendState } from '../../contract/desktop/local-backend.ts';
import {
  defaultSettings,
  type Settings,
  type SettingsPatch,
  type ShownObject,
} from '../../contract/desktop/settings.ts';
import { command, problemOf } from '../bridge.ts';
import { t } from '../texts/index.ts';
import { setTwelveHours } from '../ui/index.ts';
import type { OpenDialog } from './open-dialog.ts';

/** The section of no connection: all servers in one look. */
export const allServers = 'All servers';

export interface Place {
  /** Null in the place of all servers. */
  readonly connectionId: string | null;
  readonly section: string;
  /** What the screen shall show of its section; without it all. */
  readonly wish?: { readonly search: string; readonly id?: number };
  /** What fills the place of its list; without it the lists are shown. */
  readonly object?: ShownObject;
}

export interface WindowNotice {
  readonly id: string;
  readonly level: 'info' | 'warning' | 'error';
  readonly message: string;
  readonly action?: { readonly label: string; readonly run: () => void };
}

export interface ShellState {
  readonly isReady: boolean;
  readonly connections: readonly Connection[];
  /** What main knows of each server, by connection. */
  readonly fleet: ReadonlyMap<string, ServerHealth>;
  readonly localBackend: LocalBackendState | null;
  readonly settings: Settings;
  readonly info: AppInfo | null;
  readonly place: Place;
  readonly back: readonly Place[];
  readonly forward: readonly Place[];
  /** Counts how often the shown place was asked for again. */
  readonly reloads: number;
  readonly dialog: OpenDialog | null;
  readonly notices: readonly WindowNotice[];
}

export const shell = createStore<ShellState>(() => ({
  isReady: false,
  connections: [],
  fleet: new Map(),
  localBackend: null,
  settings: defaultSettings,
  info: null,
  place: { connectionId: null, section: 'Overview' },
  back: [],
  forward: [],
  reloads: 0,
  dialog: null,
  notices: [],
}));

export function applySettings(settings: Settings): void {
  document.documentElement.dataset.density = settings.density;
  setTwelveHours(settings.clock === '12');
  shell.setState({ settings });
}

export function goTo(place: Partial<Place>): void {
  const before = shell.getState().place;
  const { wish: _wish, object: _object, ...stays } = before;
  const wished: Place = { ...stays, ...place };
  // From all servers to one of them: its overview, unless a section was named.
  const isLeaving = place.section === undefined && before.section === allServers;
  const next = isLeaving && wished.connectionId !== null ? { ...wished, section: 'Overview' } : wished;
  const isSame = next.connectionId === before.connectionId && next.section === before.section;
  const isSameWish = next.wish?.search === before.wish?.search && next.wish?.id === before.wish?.id;
  if (isSame && isSameWish && isSameObject(next.object, before.object)) return;
  enter(next);
}

/** The details of an object, as a place of their own in the history. */
export function openObject(object: ShownObject): void {
  const { place } = shell.getState();
  if (!isSameObject(object, place.object)) enter({ ...place, object });
}

/** To its list: back, where that is where it was opened from. */
export function leaveObject(): void {
  const { back, place: list } = shell.getState();
  const last = back.at(-1);
  const isFromList =
    last !== undefined &&
    last.object === undefined &&
    last.connectionId === list.connectionId &&
    last.section === list.section;
  if (isFromList) stepHistory(-1);
  else showLists();
}

/** What the section shows without an object. */
export function showLists(): void {
  const { object, ...lists } = shell.getState().place;
  if (object !== undefined) enter(lists);
}

function isSameObject(one: ShownObject | undefined, other: ShownObject | undefined): boolean {
  return one?.list === other?.list && one?.id === other?.id && one?.view === other?.view;
}

function enter(next: Place): void {
  shell.setState(({ place, back }) => ({ place: next, back: [...back, place].slice(-50), forward: [] }));
  keepPlace(next);
}

function keepPlace({ connectionId, section, object }: Place): void {
  saveSettings({ lastConnection: connectionId, lastSection: section, lastObject: object ?? null });
}

/** Loads the shown place again, and tries its connection if it is away. */
export function reload(): void {
  const { connections, place } = shell.getState();
  shell.setState((state) => ({ reloads: state.reloads + 1 }));
  if (place.section === allServers) {
    command('fleet.lookNow').catch((error: unknown) =>
      showNotice({ level: 'error', message: problemOf(error).message }),
    );
    return;
  }
  const away = connections.find((one) => one.id === place.connectionId && one.state.phase !== 'connected');
  if (away === undefined) return;
  command('connections.retry', { connectionId: away.id }).catch((error: unknown) =>
    showNotice({ level: 'error', message: problemOf(error).message }),
  );
}

/** `-1` back, `1` forward. */
export function stepHistory(step: -1 | 1): void {
  const { back, forward, place } = shell.getState();
  if (step < 0) {
    const to = back.at(-1);
    if (to === undefined) return;
    shell.setState({ place: to, back: back.slice(0, -1), forward: [place, ...forward] });
    keepPlace(to);
    return;
  }
  const [to, ...rest] = forward;
  if (to === undefined) return;
  shell.setState({ place: to, forward: rest, back: [...back, place] });
  keepPlace(to);
}

export function saveSettings(patch: SettingsPatch): void {
  command('settings.set', patch).then(applySettings, (error: unknown) => {
    showNotice({
      id: 'settings',
      level: 'warning',
      message: t('notices.settingsNotKept', { reason: problemOf(error).message }),
    });
  });
}

export function openDialog(dialog: OpenDialog | null): void {
  shell.setState({ dialog });
}

let made = 0;

/** A line at the bottom right. The same id replaces the one before; what failed stays until it is read. */
export function showNotice(notice: Omit<WindowNotice, 'id'> & { readonly id?: string }): void {
  made += 1;
  const id = notice.id ?? `notice-${made}`;
  shell.setState((state) => ({
    notices: [...state.notices.filter((one) => one.id !== id), { ...notice, id }].slice(-5),
  }));
  if (notice.level === 'info') setTimeout(() => dismissNotice(id), 8000);
}

export function dismissNotice(id: string): void {
  shell.setState((state) => ({ notices: state.notices.filter((notice) => notice.id !== id) }));
}
