import { HardDrive, Server } from 'lucide-react';
import { useState } from 'react';
import { useStore } from 'zustand';
import { command, problemOf } from '../../bridge.ts';
import { BackendTrouble } from '../../shell/backend-trouble.tsx';
import { openDialog, saveSettings, shell } from '../../shell/shell-store.ts';
import { textsOf } from '../../texts/index.ts';
import { Button, showHidden } from '../../ui/index.ts';

const words = textsOf('firstRun');

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
      <h1>{words.title}</h1>
      <div className="first-run-choices">
        <section className="choice">
          <HardDrive size={24} aria-hidden />
          <h2>{words.local}</h2>
          <p>{words.localHelp}</p>
          <Button
            kind="primary"
            large
            onClick={startThisComputer}
            disabledBecause={isStarting ? words.isStarting : null}
          >
            {words.useLocal}
          </Button>
        </section>
        <section className="choice">
          <Server size={24} aria-hidden />
          <h2>{words.remote}</h2>
          <p>{words.remoteHelp}</p>
          <Button large onClick={() => openDialog({ kind: 'addConnection' })}>
            {words.useRemote}
          </Button>
        </section>
      </div>
      <Button kind="quiet" onClick={() => openDialog({ kind: 'importConnections' })}>
        {words.importFrom}
      </Button>
      {isStarting && <p role="status">{words.starting}</p>}
      {problem !== null && (
        <p role="alert" className="meaning-error selectable">
          {showHidden(problem)}
        </p>
      )}
    </main>
  );
}
