import { useEffect, useState } from 'react';
import { useStore } from 'zustand';
import type { CommandName } from '../../../contract/bridge.ts';
import type { LocalBackendPhase, LocalBackendState } from '../../../contract/desktop/local-backend.ts';
import { command, problemOf } from '../../bridge.ts';
import { BackendTrouble } from '../../shell/backend-trouble.tsx';
import { Facts } from '../../shell/facts.tsx';
import { openDialog, shell, showNotice } from '../../shell/shell-store.ts';
import { tellFailure } from '../../shell/tell.ts';
import { t, textsOf } from '../../texts/index.ts';
import {
  Button,
  formatClock,
  formatDuration,
  formatRelative,
  type Meaning,
  StatusBadge,
  showHidden,
} from '../../ui/index.ts';
import { CatalogueSection } from './catalogue-section.tsx';
import { LocalLog } from './local-log.tsx';
import { SettingsSection } from './settings-section.tsx';

const meanings: Readonly<Record<LocalBackendPhase, Meaning>> = {
  unused: 'idle',
  starting: 'running',
  running: 'ok',
  stopping: 'running',
  stopped: 'idle',
  waiting: 'warning',
  failed: 'error',
};

const words = textsOf('localBackend');

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

/** All about the backend that belongs to this app: how it is, what it writes, and what can be done with it. */
export function LocalBackendScreen(props: { readonly connectionId: string }) {
  const state = useStore(shell, (shellState) => shellState.localBackend);
  const [isBusy, setBusy] = useState(false);
  if (state === null) return null;
  const run = (
    name: Extract<CommandName, 'localBackend.use' | 'localBackend.stop' | 'localBackend.restart'>,
  ) => {
    setBusy(true);
    command(name)
      .catch((error: unknown) => showNotice({ level: 'error', message: problemOf(error).message }))
      .finally(() => setBusy(false));
  };
  const isUp = state.phase === 'running';
  const busy = isBusy ? words.working : null;
  return (
    <>
      <div className="toolbar">
        <h1>{words.title}</h1>
        <StatusBadge meaning={meanings[state.phase]} word={words.phases[state.phase]} />
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
          <Button onClick={askToReset} disabledBecause={busy}>
            {words.reset}
          </Button>
        </div>
      </div>
      <div className="page">
        {state.phase === 'failed' && (
          <BackendTrouble state={state} onRetry={() => run('localBackend.use')}>
            <Remedy state={state} />
          </BackendTrouble>
        )}
        <section className="page-section" aria-label={words.state}>
          <h2>{words.state}</h2>
          <StateFacts state={state} />
          <div className="toolbar-actions">
            <Button
              onClick={() => tellFailure(command('localBackend.openApiPage'))}
              disabledBecause={isUp ? null : words.isNotRunning}
            >
              {words.openApiPage}
            </Button>
            <Button onClick={() => tellFailure(command('localBackend.openData'))}>{words.openData}</Button>
            <Button onClick={() => tellFailure(command('localBackend.openLogs'))}>{words.openLogs}</Button>
          </div>
        </section>
        <SettingsSection connectionId={props.connectionId} state={state} />
        <CatalogueSection connectionId={props.connectionId} />
        <LocalLog />
      </div>
    </>
  );
}

function StateFacts(props: { readonly state: LocalBackendState }) {
  const { state } = props;
  const nowMs = useNow();
  return (
    <Facts
      facts={[
        [
          words.state,
          t('localBackend.since', {
            word: words.phases[state.phase],
            clock: formatClock(state.since),
          }),
        ],
        ...(state.phase === 'running'
          ? [[words.uptime, formatDuration((nowMs - state.since) / 1000)] as const]
          : []),
        ...(state.retryAt === null ? [] : [[words.nextTry, formatRelative(state.retryAt, nowMs)] as const]),
        ...(state.reason === null ? [] : [[words.reason, showHidden(state.reason)] as const]),
        [words.version, state.version],
        [words.address, state.url === null ? null : <Path key="url" text={state.url} />],
        [words.process, state.pid],
        [words.dataDir, <Path key="data" text={state.dataDir} />],
        [words.logDir, <Path key="log" text={state.logDir} />],
      ]}
    />
  );
}

/** What a person can do about the way in which it failed. */
function Remedy(props: { readonly state: LocalBackendState }) {
  const { code } = props.state;
  const remedies: Readonly<Record<string, string>> = words.remedies;
  const remedy = code !== null && Object.hasOwn(remedies, code) ? remedies[code] : undefined;
  if (remedy === undefined) return null;
  return (
    <section className="page-section" aria-label={words.remedy}>
      <h3>{words.remedy}</h3>
      <p className="selectable">{remedy}</p>
    </section>
  );
}

function Path(props: { readonly text: string }) {
  return <span className="mono selectable">{showHidden(props.text)}</span>;
}

function useNow(): number {
  const [nowMs, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return nowMs;
}
