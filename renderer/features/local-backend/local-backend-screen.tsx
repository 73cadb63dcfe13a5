import { useState } from 'react';
import { useStore } from 'zustand';
import type { CommandName } from '../../../contract/bridge.ts';
import type { LocalBackendPhase } from '../../../contract/desktop/local-backend.ts';
import { command, problemOf } from '../../bridge.ts';
import { BackendTrouble, useLogTail } from '../../shell/backend-trouble.tsx';
import { Facts } from '../../shell/list-screen.tsx';
import { openDialog, shell, showNotice } from '../../shell/shell-store.ts';
import { Button, formatClock, LogText, type Meaning, StatusBadge, showHidden } from '../../ui/index.ts';

const phases = {
  unused: ['not used', 'idle'],
  starting: ['starting', 'running'],
  running: ['running', 'ok'],
  stopping: ['stopping', 'running'],
  stopped: ['stopped', 'idle'],
  waiting: ['ended, is started again soon', 'warning'],
  failed: ['does not start', 'error'],
} as const satisfies Record<LocalBackendPhase, readonly [string, Meaning]>;

const words = {
  title: 'Local backend',
  actions: 'Local backend actions',
  working: 'Working…',
  isRunning: 'It is running',
  isNotRunning: 'It is not running',
  start: 'Start',
  restart: 'Restart',
  stop: 'Stop',
  openLogs: 'Open logs',
  reset: 'Reset identity…',
  resetTitle: 'Reset the identity of the local backend',
  resetSubmit: 'Reset',
  resetHelp:
    'It gets a new key and a new session and is started again. Its data, its tasks and your connections stay.',
  state: 'State',
  since: (word: string, clock: string) => `${word}, since ${clock}`,
  reason: 'Reason',
  version: 'Version',
  address: 'Address',
  process: 'Process',
  dataDir: 'Data folder',
  logDir: 'Log folder',
  log: 'Last lines of its log',
} as const;

const askToReset = () =>
  openDialog({
    kind: 'form',
    form: {
      title: words.resetTitle,
      submitLabel: words.resetSubmit,
      summary: words.resetHelp,
      fields: [],
      initial: {},
      submit: async () => {
        await command('localBackend.resetIdentity');
      },
    },
  });

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
  const [word, meaning] = phases[state.phase];
  const isUp = state.phase === 'running';
  const busy = isBusy ? words.working : null;
  return (
    <>
      <div className="toolbar">
        <h1>{words.title}</h1>
        <StatusBadge meaning={meaning} word={word} />
        <span className="toolbar-space" />
        <div className="toolbar-actions" role="toolbar" aria-label={words.actions}>
          <Button onClick={() => run('localBackend.use')} disabledBecause={isUp ? words.isRunning : busy}>
            {words.start}
          </Button>
          <Button
            onClick={() => run('localBackend.restart')}
            disabledBecause={isUp ? busy : words.isNotRunning}
          >
            {words.restart}
          </Button>
          <Button onClick={() => run('localBackend.stop')} disabledBecause={isUp ? busy : words.isNotRunning}>
            {words.stop}
          </Button>
          <Button onClick={() => void command('localBackend.openLogs').catch(() => undefined)}>
            {words.openLogs}
          </Button>
          <Button onClick={askToReset} disabledBecause={busy}>
            {words.reset}
          </Button>
        </div>
      </div>
      <div className="page">
        {state.phase === 'failed' && <BackendTrouble state={state} onRetry={() => run('localBackend.use')} />}
        <section className="page-section">
          <h2>{words.state}</h2>
          <Facts
            facts={[
              [words.state, words.since(word, formatClock(state.since))],
              [words.reason, state.reason === null ? null : showHidden(state.reason)],
              [words.version, state.version],
              [
                words.address,
                state.url === null ? null : (
                  <span key="url" className="mono">
                    {state.url}
                  </span>
                ),
              ],
              [words.process, state.pid],
              [
                words.dataDir,
                <span key="data" className="mono">
                  {showHidden(state.dataDir)}
                </span>,
              ],
              [
                words.logDir,
                <span key="log" className="mono">
                  {showHidden(state.logDir)}
                </span>,
              ],
            ]}
          />
        </section>
        {state.phase !== 'failed' && (
          <section className="page-section">
            <h2>{words.log}</h2>
            <LogText label={words.log} lines={lines} />
          </section>
        )}
      </div>
    </>
  );
}
