import { HardDrive, Server } from 'lucide-react';
import { useState } from 'react';
import { useStore } from 'zustand';
import { command, problemOf } from '../../bridge.ts';
import { BackendTrouble } from '../../shell/backend-trouble.tsx';
import { openDialog, saveSettings, shell } from '../../shell/shell-store.ts';
import { Button, showHidden } from '../../ui/index.ts';

/** The first thing a newcomer sees: two ways, both explained in a sentence. */
export function FirstRun() {
  const [isStarting, setStarting] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const backend = useStore(shell, (state) => state.localBackend);
  const startThisComputer = () => {
    setStarting(true);
    setProblem(null);
    command('localBackend.use')
      .then(() => saveSettings({ firstRunDone: true }))
      .catch((error: unknown) => setProblem(problemOf(error).message))
      .finally(() => setStarting(false));
  };
  if (backend?.phase === 'failed') {
    return (
      <main className="first-run">
        <BackendTrouble state={backend} onRetry={startThisComputer} />
      </main>
    );
  }
  return (
    <main className="first-run">
      <h1>Welcome to Strongroom</h1>
      <div className="first-run-choices">
        <section className="choice">
          <HardDrive size={24} aria-hidden />
          <h2>This computer</h2>
          <p>Backs up folders of this computer to its own disks. Needs no network and no other server.</p>
          <Button
            kind="primary"
            large
            onClick={startThisComputer}
            disabledBecause={isStarting ? 'The backup server is being started…' : null}
          >
            Use this computer
          </Button>
        </section>
        <section className="choice">
          <Server size={24} aria-hidden />
          <h2>A backup server</h2>
          <p>Manages a server that already runs somewhere. You need its address and an account on it.</p>
          <Button large onClick={() => openDialog({ kind: 'addConnection' })}>
            Connect to a server
          </Button>
        </section>
      </div>
      {isStarting && <p role="status">Starting the backup server of this computer…</p>}
      {problem !== null && (
        <p role="alert" className="meaning-error selectable">
          {showHidden(problem)}
        </p>
      )}
    </main>
  );
}
