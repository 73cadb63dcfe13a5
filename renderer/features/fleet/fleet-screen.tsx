import { ChevronDown, CircleCheck, Plus, TriangleAlert } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useStore } from 'zustand';
import { command, problemOf } from '../../bridge.ts';
import { openDialog, shell, showNotice } from '../../shell/shell-store.ts';
import { Button, Menu } from '../../ui/index.ts';
import { type FleetSummary, fleetRow, summarize } from './fleet-rows.ts';
import { FleetTable } from './fleet-table.tsx';
import { TroubleLines } from './fleet-troubles.tsx';
import { lookText, toldText, wellText, words } from './fleet-words.ts';
import './fleet.css';

const tickMs = 10_000;

/** Is all well? One look over all connections. Nothing here waits for a server: main tells what each one answered last. */
export function FleetScreen() {
  const connections = useStore(shell, (state) => state.connections);
  const fleet = useStore(shell, (state) => state.fleet);
  const nowMs = useNow();
  // A recording is no server that could be well.
  const servers = connections.filter(({ kind }) => kind !== 'recorded');
  const rows = servers.map((connection) => fleetRow(connection, fleet.get(connection.id)));
  const lookNow = () => {
    command('fleet.lookNow').catch((error: unknown) =>
      showNotice({ level: 'error', message: problemOf(error).message }),
    );
  };
  return (
    <>
      <div className="toolbar">
        <h1>{words.title}</h1>
        <span className="toolbar-space" />
        <Button onClick={lookNow}>{words.lookNow}</Button>
        <Menu
          label={words.more}
          trigger={
            <>
              {words.more}
              <ChevronDown size={14} aria-hidden />
            </>
          }
          actions={[
            { id: 'import', label: words.importFrom, run: () => openDialog({ kind: 'importConnections' }) },
            { id: 'export', label: words.exportTo, run: () => openDialog({ kind: 'exportConnections' }) },
            { id: 'bundle', label: words.openBundle, run: () => openDialog({ kind: 'openBundle' }) },
          ]}
        />
        <Button kind="primary" onClick={() => openDialog({ kind: 'addConnection' })}>
          <Plus size={16} aria-hidden />
          {words.addConnection}
        </Button>
      </div>
      <div className="page">
        <Summary summary={summarize(rows)} />
        <div className="fleet-scroll">
          <FleetTable rows={rows} nowMs={nowMs} />
        </div>
        <TroubleLines rows={rows} />
      </div>
    </>
  );
}

function Summary(props: { readonly summary: FleetSummary }) {
  const { servers, well, look } = props.summary;
  if (look > 0) {
    return (
      <p className="fleet-summary meaning-warning" role="status">
        <TriangleAlert size={20} aria-hidden />
        {lookText(look, servers)}
      </p>
    );
  }
  return (
    <p className={`fleet-summary ${well === servers ? 'meaning-ok' : 'muted'}`} role="status">
      <CircleCheck size={20} aria-hidden />
      {well === servers ? wellText(servers) : toldText(well, servers)}
    </p>
  );
}

/** "2 min ago" has to move on. */
function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), tickMs);
    return () => clearInterval(timer);
  }, []);
  return now;
}
