import { LayoutList, Plus } from 'lucide-react';
import { Fragment } from 'react';
import { useStore } from 'zustand';
import type { Connection } from '../../contract/desktop/connection.ts';
import { RecordingBar } from '../features/connections/bundle-dialogs.tsx';
import { ConnectionGate } from '../features/connections/connection-gate.tsx';
import { ConnectionMenu } from '../features/connections/connection-menu.tsx';
import { fleetScreen, isOffered, type Section, sections } from '../features/registry.ts';
import { t } from '../texts/index.ts';
import { Button, LaterPart, MeaningIcon, showHidden } from '../ui/index.ts';
import { ColourMark } from './colour-mark.tsx';
import { connectionWord } from './connection-words.ts';
import { sectionName } from './section-name.ts';
import { ServerZone } from './server-time.tsx';
import { allServers, goTo, openDialog, type Place, shell } from './shell-store.ts';
import { StatusBar } from './status-bar.tsx';

/** Connections, their sections, and what is in the chosen one. */
export function Frame() {
  const place = useStore(shell, (state) => state.place);
  const reloads = useStore(shell, (state) => state.reloads);
  // All times that are shown are drawn anew on another clock.
  const clock = useStore(shell, (state) => state.settings.clock);
  const connections = useStore(shell, (state) => state.connections);
  const connection = connections.find((one) => one.id === place.connectionId) ?? connections[0];
  if (connection === undefined) return null;
  if (place.section === allServers) {
    return (
      <div className="frame frame-wide">
        <ConnectionsSide connections={connections} current={null} />
        <main className="main">
          <LaterPart part={fleetScreen} given={{}} key={clock} />
        </main>
        <StatusBar connection={null} />
      </div>
    );
  }
  const offered = sections.filter((section) => isOffered(section, connection));
  const section = offered.find((one) => one.id === place.section) ?? offered[0];
  return (
    <div className="frame">
      <ConnectionsSide connections={connections} current={connection.id} />
      <nav className="side side-sections" aria-label={t('shell.navigation.sections')}>
        <div className="side-title">{showHidden(connection.name)}</div>
        {offered.map((one) => (
          <a
            key={one.id}
            href={`#${encodeURIComponent(one.id)}`}
            className="side-item"
            aria-current={one.id === section?.id ? 'page' : undefined}
            onClick={(event) => {
              event.preventDefault();
              goTo({ connectionId: connection.id, section: one.id });
            }}
          >
            <span className="side-name">{sectionName(one.id)}</span>
          </a>
        ))}
      </nav>
      <main className="main">
        <ServerZone.Provider value={connection.zone}>
          {section !== undefined && (
            <SectionContent
              key={`${connection.id}/${section.id}/${reloads}/${clock}/${wishKey(place)}`}
              connection={connection}
              section={section}
            />
          )}
        </ServerZone.Provider>
      </main>
      <StatusBar connection={connection} />
    </div>
  );
}

/** All servers first, then the connections under the headings that a person gave them. */
function ConnectionsSide(props: {
  readonly connections: readonly Connection[];
  readonly current: string | null;
}) {
  const { connections, current } = props;
  const groups = [...new Set(connections.map(({ group }) => group))].sort(
    (a, b) => Number(a !== '') - Number(b !== '') || a.localeCompare(b),
  );
  return (
    <nav className="side" aria-label={t('shell.navigation.connections')}>
      <div className="side-title">{t('shell.navigation.connections')}</div>
      <button
        type="button"
        className="side-item"
        aria-current={current === null ? 'page' : undefined}
        onClick={() => goTo({ connectionId: null, section: allServers })}
      >
        <LayoutList size={14} aria-hidden />
        <span className="side-name">{sectionName(allServers)}</span>
      </button>
      {groups.map((group) => (
        <Fragment key={group}>
          {group !== '' && <div className="side-title">{showHidden(group)}</div>}
          {connections
            .filter((one) => one.group === group)
            .map((one) => (
              <ConnectionItem key={one.id} connection={one} isCurrent={one.id === current} />
            ))}
        </Fragment>
      ))}
      <Button kind="quiet" onClick={() => openDialog({ kind: 'addConnection' })}>
        <Plus size={16} aria-hidden />
        {t('shell.navigation.addConnection')}
      </Button>
    </nav>
  );
}

function ConnectionItem(props: { readonly connection: Connection; readonly isCurrent: boolean }) {
  const { connection, isCurrent } = props;
  const { word, meaning } = connectionWord(connection);
  const name = showHidden(connection.name);
  return (
    <div className="side-line" data-current={isCurrent}>
      <button
        type="button"
        className="side-item"
        aria-current={isCurrent}
        title={connection.address === '' ? undefined : showHidden(connection.address)}
        onClick={() => goTo({ connectionId: connection.id })}
      >
        <MeaningIcon meaning={meaning} />
        {/* Read as one name; seen as two lines. */}
        <span>
          <span className="visually-hidden">{`${name}, ${word}`}</span>
          <span aria-hidden>
            <span className="side-name">{name}</span>
            <span className="caption">{word}</span>
          </span>
        </span>
        <ColourMark colour={connection.colour} />
      </button>
      {isCurrent && <ConnectionMenu connection={connection} />}
    </div>
  );
}

/** What is wished to be found is another screen than all there is. */
function wishKey({ wish }: Place): string {
  return wish === undefined ? '' : `${wish.id ?? ''} ${wish.search}`;
}

function SectionContent(props: { readonly connection: Connection; readonly section: Section }) {
  const { connection, section } = props;
  const screen = <LaterPart part={section.screen} given={{ connectionId: connection.id }} />;
  if (connection.kind === 'recorded') {
    return (
      <>
        <RecordingBar connection={connection} />
        <ConnectionGate connection={connection} title={sectionName(section.id)} needs={section.needs ?? null}>
          {screen}
        </ConnectionGate>
      </>
    );
  }
  if (section.localOnly) {
    return screen;
  }
  return (
    <ConnectionGate connection={connection} title={sectionName(section.id)} needs={section.needs ?? null}>
      {screen}
    </ConnectionGate>
  );
}
