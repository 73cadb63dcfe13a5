import { useEffect, useState } from 'react';
import { useStore } from 'zustand';
import type { Connection } from '../../contract/desktop/connection.ts';
import { counted, formatClock, formatTimeOfDay, MeaningIcon, showHidden } from '../ui/index.ts';
import { connectionWord } from './connection-words.ts';
import { NoticeBell } from './notice-centre.tsx';
import { openDialog, shell } from './shell-store.ts';
import { useRunning } from './use-running.ts';
import { localZone, wallTimeIn } from './zone-times.ts';

const skewWorthTellingMs = 5000;

export function StatusBar(props: { readonly connection: Connection | null }) {
  const { connection } = props;
  return (
    <footer className="status-bar">
      {connection === null ? <OfAllServers /> : <OfServer connection={connection} />}
      <NoticeBell />
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
  const all = useStore(shell, (state) => state.connections);
  const connections = all.filter(({ kind }) => kind !== 'recorded');
  const answering = connections.filter(({ state }) => state.phase === 'connected').length;
  return (
    <>
      <span>
        {answering} of {counted(connections.length, 'server')} connected
      </span>
      <Clock />
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
      <Clock />
      <ServerClock zone={connection.zone} skewMs={skew} />
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

function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 10_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

function Clock() {
  // Drawn anew when another clock is chosen.
  useStore(shell, (state) => state.settings.clock);
  return (
    <span title="Time of this computer">
      {formatClock(useNow())} {localZone()}
    </span>
  );
}

/** Where the server has other clocks than this computer: its own time beside. */
function ServerClock(props: { readonly zone: string; readonly skewMs: number }) {
  const { zone } = props;
  useStore(shell, (state) => state.settings.clock);
  const nowMs = useNow() + props.skewMs;
  const there = zone === '' ? null : wallTimeIn(zone, nowMs);
  const here = wallTimeIn(localZone(), nowMs);
  if (there === null || there.offsetMs === here?.offsetMs) return null;
  const day = there.day === here?.day ? '' : `${there.weekday} `;
  return (
    <span title="Time of the server">
      server {day}
      {formatTimeOfDay(there.time.slice(0, 5))} {showHidden(zone)}
    </span>
  );
}
