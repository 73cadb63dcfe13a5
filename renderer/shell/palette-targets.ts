import type { Connection } from '../../contract/desktop/connection.ts';
import { isOffered, sections } from '../features/registry.ts';
import { t, textsOf } from '../texts/index.ts';
import { cutMiddle, showHidden } from '../ui/index.ts';
import { connectionWord } from './connection-words.ts';
import { sectionName } from './section-name.ts';
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

const words = textsOf('palette');
const shownMost = 40;
const settingsFrom = 2;
const longestLabel = 56;

/** What is known without asking anybody: places, commands, and settings of the servers' configuration. */
export function localGroups(connections: readonly Connection[], wanted: string): readonly TargetGroup[] {
  const matches = (target: Target) => `${target.label} ${target.hint}`.toLowerCase().includes(wanted);
  const groups: readonly TargetGroup[] = [
    { id: 'connections', title: words.groups.connections, targets: places(connections) },
    { id: 'sections', title: words.groups.sections, targets: connections.flatMap(sectionsOf) },
    { id: 'commands', title: words.groups.commands, targets: commands(connections) },
    {
      id: 'settings',
      title: words.groups.settings,
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
    label: sectionName(allServers),
    hint: words.isAllWell,
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
      label: sectionName(section.id),
      hint: showHidden(connection.name),
      run: () => goTo({ connectionId: connection.id, section: section.id }),
    }));
}

function settingsOf(connection: Connection): readonly Target[] {
  if (!connection.state.permissions.includes('global_configuration.read')) return [];
  return Object.entries(textsOf('configuration').meanings).map(([name, meaning]) => ({
    id: `setting/${connection.id}/${name}`,
    label: name,
    hint: `${showHidden(connection.name)} · ${meaning}`,
    run: () => showFound(connection.id, 'Configuration', { search: name }),
  }));
}

const dialogs = [
  'addConnection',
  'importConnections',
  'exportConnections',
  'openBundle',
  'preferences',
  'about',
  'keys',
] as const;

function commands(connections: readonly Connection[]): readonly Target[] {
  return [
    ...connections
      .filter(({ kind }) => kind !== 'recorded')
      .map((connection) => ({
        id: `backup/${connection.id}`,
        label: words.newBackup,
        hint: showHidden(connection.name),
        run: () => openDialog({ kind: 'newBackup', connectionId: connection.id }),
      })),
    ...connections
      .filter(({ state }) => state.phase === 'connected')
      .map((connection) => ({
        id: `rights/${connection.id}`,
        label: t('permissions.open'),
        hint: showHidden(connection.name),
        run: () => openDialog({ kind: 'rights', connectionId: connection.id }),
      })),
    ...dialogs.map((kind) => ({
      id: kind,
      label: words.dialogs[kind],
      hint: words.command,
      run: () => openDialog({ kind }),
    })),
    ...(['light', 'dark', 'system'] as const).map((theme) => ({
      id: `theme/${theme}`,
      label: words.themes[theme],
      hint: words.setting,
      run: () => saveSettings({ theme }),
    })),
    ...(['compact', 'normal', 'comfortable'] as const).map((density) => ({
      id: `density/${density}`,
      label: words.densities[density],
      hint: words.setting,
      run: () => saveSettings({ density }),
    })),
  ];
}

const sectionOf: Readonly<Record<HitKind, string>> = { client: 'Clients', task: 'Tasks', copy: 'Copies' };

/** What a server found, under its name. */
export function serverGroup(connection: Connection, finds: ServerFinds, text: string): TargetGroup {
  const { id } = connection;
  const more = Object.entries(finds.more) as readonly (readonly [HitKind, number])[];
  const note = finds.isSearching ? words.groupSearching : finds.problem;
  return {
    id: `server/${id}`,
    title: showHidden(connection.name),
    targets: [
      ...finds.hits.map((hit) => hitTarget(id, hit, text)),
      ...more.map(([kind, total]) => ({
        id: `more/${id}/${kind}`,
        label: t(`palette.allFound.${kind}`, { count: total, text: showHidden(text) }),
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
    run: () => openWith(connectionId, hit.kind, { id: hit.id, search: hit.foundBy ?? text }),
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
