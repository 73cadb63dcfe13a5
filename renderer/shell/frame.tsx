import { Plus } from 'lucide-react';
import { Suspense } from 'react';
import { useStore } from 'zustand';
import type { Connection } from '../../contract/desktop/connection.ts';
import { ConnectionGate } from '../features/connections/connection-gate.tsx';
import { ConnectionMenu } from '../features/connections/connection-menu.tsx';
import { type Section, sections } from '../features/registry.ts';
import { Button, LoadingRows, MeaningIcon, showHidden } from '../ui/index.ts';
import { connectionWord } from './connection-words.ts';
import { goTo, openDialog, shell } from './shell-store.ts';
import { StatusBar } from './status-bar.tsx';

/** Connections, their sections, and what is in the chosen one. */
export function Frame() {
  const place = useStore(shell, (state) => state.place);
  const reloads = useStore(shell, (state) => state.reloads);
  const connections = useStore(shell, (state) => state.connections);
  const connection = connections.find((one) => one.id === place.connectionId) ?? connections[0];
  if (connection === undefined) return null;
  const offered = sections.filter((section) => isOffered(section, connection));
  const section = offered.find((one) => one.id === place.section) ?? offered[0];
  return (
    <div className="frame">
      <nav className="side" aria-label="Connections">
        <div className="side-title">Connections</div>
        {connections.map((one) => (
          <ConnectionItem key={one.id} connection={one} isCurrent={one.id === connection.id} />
        ))}
        <Button kind="quiet" onClick={() => openDialog({ kind: 'addConnection' })}>
          <Plus size={16} aria-hidden />
          Add connection
        </Button>
      </nav>
      <nav className="side side-sections" aria-label="Sections">
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
            <span className="side-name">{one.id}</span>
          </a>
        ))}
      </nav>
      <main className="main">
        {section !== undefined && (
          <SectionContent
            key={`${connection.id}/${section.id}/${reloads}`}
            connection={connection}
            section={section}
          />
        )}
      </main>
      <StatusBar connection={connection} />
    </div>
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
      </button>
      {isCurrent && <ConnectionMenu connection={connection} />}
    </div>
  );
}

/** What a connected server has not got is not offered; of one that is away nothing is known, so all stays. */
function isOffered(section: Section, connection: Connection): boolean {
  if (section.localOnly && connection.kind !== 'local') return false;
  const { phase, extensions } = connection.state;
  const isMissing = section.extension !== undefined && !extensions.includes(section.extension);
  return !(phase === 'connected' && isMissing);
}

function SectionContent(props: { readonly connection: Connection; readonly section: Section }) {
  const { connection, section } = props;
  const { Screen } = section;
  if (section.localOnly) {
    return (
      <Suspense fallback={<LoadingRows />}>
        <Screen connectionId={connection.id} />
      </Suspense>
    );
  }
  return (
    <ConnectionGate connection={connection} title={section.id} needs={section.needs ?? null}>
      <Suspense fallback={<LoadingRows />}>
        <Screen connectionId={connection.id} />
      </Suspense>
    </ConnectionGate>
  );
}
