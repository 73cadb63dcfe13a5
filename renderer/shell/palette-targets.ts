import { configurationFields } from '../../contract/configuration/configuration-fields.ts';
import type { Connection } from '../../contract/desktop/connection.ts';
import { isOffered, sections } from '../features/registry.ts';
import { counted, cutMiddle, showHidden } from '../ui/index.ts';
import { connectionWord } from './connection-words.ts';
import type { Hit, HitKind, ServerFinds } from './server-search.ts';
import { allServers, goTo, openDialog, saveSettings } from './shell-store.ts';
import { showFound, showList } from './tell.ts';

export interface Target {
  readonly id: string;
  readonly label: string;
  readonly hint: string;
  readonly run: () => void;
}

export interface TargetGroup {
  readonly id: string;
  readonly title: string;
  readonly targets: readonly Target[];
  /** About the group as a whole: still searching, no answer. */
  readonly note?: string;
}

const shownMost = 40;
const settingsFrom = 2;
const longestLabel = 56;

/** What is known without asking anybody: places, commands, and settings of the servers' configuration. */
export function localGroups(connections: readonly Connection[], wanted: string): readonly TargetGroup[] {
  const matches = (target: Target) => `${target.label} ${target.hint}`.toLowerCase().includes(wanted);
  const groups: readonly TargetGroup[] = [
    { id: 'connections', title: 'Connections', targets: places(connections) },
    { id: 'sections', title: 'Sections', targets: connections.flatMap(sectionsOf) },
    { id: 'commands', title: 'Commands', targets: commands(connections) },
    {
      id: 'settings',
      title: 'Configuration',
      targets: wanted.length >= settingsFrom ? connections.flatMap(settingsOf) : [],
    },
  ];
  return groups
    .map((group) => ({ ...group, targets: group.targets.filter(matches).slice(0, shownMost) }))
    .filter(({ targets }) => targets.length > 0);
}

function places(connections: readonly Connection[]): readonly Target[] {
  const all: Target = {
    id: allServers,
    label: allServers,
    hint: 'is all well?',
    run: () => goTo({ connectionId: null, section: allServers }),
  };
  const each = connections.map((connection) => ({
    id: `connection/${connection.id}`,
    label: showHidden(connection.name),
    hint: [connectionWord(connection).word, showHidden(connection.group)].filter(Boolean).join(' · '),
    run: () => goTo({ connectionId: connection.id, section: 'Overview' }),
  }));
  return [all, ...each];
}

function sectionsOf(connection: Connection): readonly Target[] {
  return sections
    .filter((section) => isOffered(section, connection))
    .map((section) => ({
      id: `${connection.id}/${section.id}`,
      label: section.id,
      hint: showHidden(connection.name),
      run: () => goTo({ connectionId: connection.id, section: section.id }),
    }));
}

function settingsOf(connection: Connection): readonly Target[] {
  if (!connection.state.permissions.includes('global_configuration.read')) return [];
  return Object.entries(configurationFields).map(([name, { meaning }]) => ({
    id: `setting/${connection.id}/${name}`,
    label: name,
    hint: `${showHidden(connection.name)} · ${meaning}`,
    run: () => showFound(connection.id, 'Configuration', { search: name }),
  }));
}

function commands(connections: readonly Connection[]): readonly Target[] {
  const dialog = (
    kind:
      | 'addConnection'
      | 'importConnections'
      | 'exportConnections'
      | 'openBundle'
      | 'preferences'
      | 'about'
      | 'keys',
    label: string,
  ): Target => ({ id: kind, label, hint: 'command', run: () => openDialog({ kind }) });
  return [
    ...connections
      .filter(({ kind }) => kind !== 'recorded')
      .map((connection) => ({
        id: `backup/${connection.id}`,
        label: 'New backup',
        hint: showHidden(connection.name),
        run: () => openDialog({ kind: 'newBackup', connectionId: connection.id }),
      })),
    dialog('addConnection', 'Add connection'),
    dialog('importConnections', 'Import connections'),
    dialog('exportConnections', 'Export connections'),
    dialog('openBundle', 'Open support bundle'),
    dialog('preferences', 'Preferences'),
    dialog('about', 'About Strongroom'),
    dialog('keys', 'Keyboard shortcuts'),
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
}

const sectionOf: Readonly<Record<HitKind, string>> = { client: 'Clients', task: 'Tasks', copy: 'Copies' };
const kindWords: Readonly<Record<HitKind, readonly [string, string]>> = {
  client: ['client', 'clients'],
  task: ['task', 'tasks'],
  copy: ['copy', 'copies'],
};

/** What a server found, under its name. */
export function serverGroup(connection: Connection, finds: ServerFinds, text: string): TargetGroup {
  const { id } = connection;
  const more = Object.entries(finds.more) as readonly (readonly [HitKind, number])[];
  const note = finds.isSearching ? 'searching…' : finds.problem;
  return {
    id: `server/${id}`,
    title: showHidden(connection.name),
    targets: [
      ...finds.hits.map((hit) => hitTarget(id, hit, text)),
      ...more.map(([kind, total]) => ({
        id: `more/${id}/${kind}`,
        label: `All ${counted(total, ...kindWords[kind])} with “${showHidden(text)}”`,
        hint: '',
        run: () => openWith(id, kind, { search: text }),
      })),
    ],
    ...(note === null ? {} : { note: showHidden(note) }),
  };
}

function hitTarget(connectionId: string, hit: Hit, text: string): Target {
  return {
    id: `hit/${connectionId}/${hit.kind}/${hit.id}`,
    label: cutMiddle(showHidden(hit.label), longestLabel),
    hint: cutMiddle(showHidden(hit.detail), longestLabel),
    // With the text of the search: the row is on the screen however long the list is.
    run: () =>
      openWith(connectionId, hit.kind, { id: hit.id, search: hit.kind === 'client' ? hit.label : text }),
  };
}

function openWith(
  connectionId: string,
  kind: HitKind,
  wish: { readonly id?: number; readonly search: string },
): void {
  if (kind === 'client') showFound(connectionId, 'Clients', wish);
  else showList(connectionId, sectionOf[kind], wish);
}
