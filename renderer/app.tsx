import { useEffect } from 'react';
import { useStore } from 'zustand';
import { FirstRun } from './features/first-run/first-run.tsx';
import { DialogHost } from './shell/dialog-host.tsx';
import { Frame } from './shell/frame.tsx';
import { keepTablesOnLeaving } from './shell/kept-tables.ts';
import { listenToKeys } from './shell/keys.ts';
import { NoticeList } from './shell/notice-list.tsx';
import { keepNotices } from './shell/notice-log.ts';
import { shell } from './shell/shell-store.ts';
import { startShell } from './shell/start-shell.ts';
import { PartBoundary } from './ui/index.ts';

export function App() {
  useEffect(() => startShell(), []);
  useEffect(() => listenToKeys(), []);
  useEffect(() => keepNotices(), []);
  useEffect(() => keepTablesOnLeaving(), []);
  const isReady = useStore(shell, (state) => state.isReady);
  const hasConnections = useStore(shell, (state) => state.connections.length > 0);
  if (!isReady) return null;
  return (
    <>
      <PartBoundary of={hasConnections}>{hasConnections ? <Frame /> : <FirstRun />}</PartBoundary>
      <PartBoundary of="dialogs">
        <DialogHost />
      </PartBoundary>
      <PartBoundary of="notices">
        <NoticeList />
      </PartBoundary>
    </>
  );
}
