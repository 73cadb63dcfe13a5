import { useEffect, useState } from 'react';
import { useStore } from 'zustand';
import { judgeSkew } from '../../contract/desktop/clock-skew.ts';
import type { Connection } from '../../contract/desktop/connection.ts';
import { t } from '../texts/index.ts';
import { formatBytes, formatClock, formatTimeOfDay, MeaningIcon, showHidden } from '../ui/index.ts';
import { connectionWord } from './connection-words.ts';
import { NoticeBell } from './notice-centre.tsx';
import { openDialog, shell } from './shell-store.ts';
import { useRunning } from './use-running.ts';
import { localZone, wallTimeIn } from './zone-times.ts';

/** As it is written on the keys. */
const paletteKeys = 'Ctrl+K';

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
        {paletteKeys}
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
      <span>{t('shell.statusBar.connected', { answering, count: connections.length })}</span>
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
      <Skew skewMs={skew} />
      {state.serviceMode === true && (
        <span className="meaning-warning">{t('shell.statusBar.serviceMode')}</span>
      )}
      {running !== null && (
        <span>
          {running.count === 0
            ? t('shell.statusBar.nothingRuns')
            : t('shell.statusBar.running', { count: running.count })}
        </span>
      )}
      {running?.bytesPerSecond ? (
        <span title={t('shell.statusBar.speedHelp')}>
          {t('tasks.speed', { size: formatBytes(running.bytesPerSecond) })}
        </span>
      ) : null}
      <span className="toolbar-space" />
      {state.user !== null && (
        <button
          type="button"
          className="side-count button-quiet"
          title={t('permissions.open')}
          onClick={() => openDialog({ kind: 'rights', connectionId: connection.id })}
        >
          {showHidden(state.user)} ({state.roles.map(showHidden).join(', ')})
        </button>
      )}
      {state.serverVersion !== null && (
        <span>{t('shell.statusBar.version', { version: showHidden(state.serverVersion) })}</span>
      )}
    </>
  );
}

/** Both clocks in universal time, so that zones do not hide what differs. */
function Skew(props: { readonly skewMs: number }) {
  const nowMs = useNow();
  const verdict = judgeSkew(props.skewMs);
  if (verdict === 'none') return null;
  const clock = (ms: number): string => new Date(ms).toISOString().slice(0, 16).replace('T', ' ');
  const times = { server: clock(nowMs + props.skewMs), here: clock(nowMs) };
  return (
    <span className="meaning-warning">
      {verdict === 'noDeletions'
        ? t('shell.statusBar.clocksDifferNoDeletion', times)
        : t('shell.statusBar.clocksDiffer', times)}
    </span>
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
    <span title={t('shell.statusBar.timeHere')}>
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
  const time = formatTimeOfDay(there.time.slice(0, 5));
  const text =
    there.day === here?.day
      ? t('shell.statusBar.serverTime', { time, zone: showHidden(zone) })
      : t('shell.statusBar.serverDayTime', { day: there.weekday, time, zone: showHidden(zone) });
  return <span title={t('shell.statusBar.timeThere')}>{text} </span>;
}
