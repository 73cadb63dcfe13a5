import { useEffect, useState } from 'react';
import { useStore } from 'zustand';
import type { Connection } from '../../contract/desktop/connection.ts';
import { counted, MeaningIcon, showHidden } from '../ui/index.ts';
import { connectionWord } from './connection-words.ts';
import { openDialog, shell } from './shell-store.ts';
import { useRunning } from './use-running.ts';

const skewWorthTellingMs = 5000;

export function StatusBar(props: { readonly connection: Connection | null }) {
  const { connection } = props;
  return (
    <footer className="status-bar">
      {connection === null ? <OfAllServers /> : <OfServer connection={connection} />}
      <button
        type="button"
        className="side-count button-quiet"
        onClick={() => openDialog({ kind: 'palette' })}
      >
        Ctrl+K
      </button>
    </footer>
  );
}

function OfAllServers() {
  const connections = useStore(shell, (state) => state.connections);
  const answering = connections.filter(({ state }) => state.phase === 'connected').length;
  return (
    <>
      <span>
        {answering} of {counted(connections.length, 'server')} connected
      </span>
      <Clock zone="this computer" />
      <span className="toolbar-space" />
    </>
  );
}

function OfServer(props: { readonly connection: Connection }) {
  const { connection } = props;
  const { state } = connection;
  const { word, meaning } = connectionWord(connection);
  const skew = state.clockSkewMs ?? 0;
  const isReadable = state.phase === 'connected' && state.permissions.includes('task_queue.read');
  const running = useRunning(connection.id, isReadable);
  return (
    <>
      <span className="badge">
        <MeaningIcon meaning={meaning} size={12} />
        {showHidden(connection.name)}, {word}
      </span>
      <Clock zone="this computer" />
      {Math.abs(skew) > skewWorthTellingMs && (
        <span className="meaning-warning">The server's clock is {Math.round(skew / 1000)} s off</span>
      )}
      {state.serviceMode === true && <span className="meaning-warning">Service mode: no task starts</span>}
      {running !== null && (
        <span>{running === 0 ? 'Nothing runs' : `${counted(running, 'task')} running`}</span>
      )}
      <span className="toolbar-space" />
      {state.user !== null && (
        <span>
          {showHidden(state.user)} ({state.roles.map(showHidden).join(', ')})
        </span>
      )}
      {state.serverVersion !== null && <span>Server {showHidden(state.serverVersion)}</span>}
    </>
  );
}

function Clock(props: { readonly zone: string }) {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), 10_000);
    return () => clearInterval(timer);
  }, []);
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const time = `${String(now.getHours()).padStart(2, '0')}:${String(now.getMinutes()).padStart(2, '0')}`;
  return (
    <span title={`Time of ${props.zone}`}>
      {time} {zone}
    </span>
  );
}
