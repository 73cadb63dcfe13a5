import { useState } from 'react';
import { useStore } from 'zustand';
import type { CommandName } from '../../../contract/bridge.ts';
import type { LocalBackendPhase } from '../../../contract/desktop/local-backend.ts';
import { command, problemOf } from '../../bridge.ts';
import { BackendTrouble, useLogTail } from '../../shell/backend-trouble.tsx';
import { Facts } from '../../shell/list-screen.tsx';
import { shell, showNotice } from '../../shell/shell-store.ts';
import { Button, formatClock, LogText, type Meaning, StatusBadge, showHidden } from '../../ui/index.ts';

const words = {
  unused: ['not used', 'idle'],
  starting: ['starting', 'running'],
  running: ['running', 'ok'],
  stopping: ['stopping', 'running'],
  stopped: ['stopped', 'idle'],
  waiting: ['ended, is started again soon', 'warning'],
  failed: ['does not start', 'error'],
} as const satisfies Record<LocalBackendPhase, readonly [string, Meaning]>;

export function LocalBackendScreen() {
  const state = useStore(shell, (shellState) => shellState.localBackend);
  const [isBusy, setBusy] = useState(false);
  const lines = useLogTail(state?.since ?? 0);
  if (state === null) return null;
  const run = (
    name: Extract<CommandName, 'localBackend.use' | 'localBackend.stop' | 'localBackend.restart'>,
  ) => {
    setBusy(true);
    command(name)
      .catch((error: unknown) => showNotice({ level: 'error', message: problemOf(error).message }))
      .finally(() => setBusy(false));
  };
  const [word, meaning] = words[state.phase];
  const isUp = state.phase === 'running';
  const busy = isBusy ? 'Working…' : null;
  return (
    <>
      <div className="toolbar">
        <h1>Local backend</h1>
        <StatusBadge meaning={meaning} word={word} />
        <span className="toolbar-space" />
        <div className="toolbar-actions" role="toolbar" aria-label="Local backend actions">
          <Button onClick={() => run('localBackend.use')} disabledBecause={isUp ? 'It is running' : busy}>
            Start
          </Button>
          <Button
            onClick={() => run('localBackend.restart')}
            disabledBecause={isUp ? busy : 'It is not running'}
          >
            Restart
          </Button>
          <Button
            onClick={() => run('localBackend.stop')}
            disabledBecause={isUp ? busy : 'It is not running'}
          >
            Stop
          </Button>
          <Button onClick={() => void command('localBackend.openLogs').catch(() => undefined)}>
            Open logs
          </Button>
        </div>
      </div>
      <div className="page">
        {state.phase === 'failed' && <BackendTrouble state={state} onRetry={() => run('localBackend.use')} />}
        <section className="page-section">
          <h2>State</h2>
          <Facts
            facts={[
              ['State', `${word}, since ${formatClock(state.since)}`],
              ['Reason', state.reason === null ? null : showHidden(state.reason)],
              ['Version', state.version],
              [
                'Address',
                state.url === null ? null : (
                  <span key="url" className="mono">
                    {state.url}
                  </span>
                ),
              ],
              ['Process', state.pid],
              [
                'Data folder',
                <span key="data" className="mono">
                  {showHidden(state.dataDir)}
                </span>,
              ],
              [
                'Log folder',
                <span key="log" className="mono">
                  {showHidden(state.logDir)}
                </span>,
              ],
            ]}
          />
        </section>
        {state.phase !== 'failed' && (
          <section className="page-section">
            <h2>Last lines of its log</h2>
            <LogText label="Last lines of its log" lines={lines} />
          </section>
        )}
      </div>
    </>
  );
}
