import { type ReactNode, useEffect, useState } from 'react';
import { useStore } from 'zustand';
import type { Connection } from '../../../contract/desktop/connection.ts';
import { command, problemOf } from '../../bridge.ts';
import { BackendTrouble } from '../../shell/backend-trouble.tsx';
import { openDialog, shell, showNotice } from '../../shell/shell-store.ts';
import { t, textsOf } from '../../texts/index.ts';
import { Button, EmptyState, FailedState, IsKnownStale, LoadingRows, StaleBar } from '../../ui/index.ts';
import { CertificateDialog } from './certificate-dialog.tsx';

const { gate: words, signIn } = textsOf('connections');

/** Shows a section when its server can be talked to; else what stands in the way and what to do. */
export function ConnectionGate(props: {
  readonly connection: Connection;
  readonly title: string;
  readonly needs: string | null;
  readonly children: ReactNode;
}) {
  const { connection, title } = props;
  const { state } = connection;
  // Once something was shown it stays, and is marked as stale when the server goes away.
  const [wasConnected, setWasConnected] = useState(state.phase === 'connected');
  useEffect(() => {
    if (state.phase === 'connected') setWasConnected(true);
  }, [state.phase]);
  const retry = () => {
    command('connections.retry', { connectionId: connection.id }).catch((error: unknown) =>
      showNotice({ level: 'error', message: problemOf(error).message }),
    );
  };
  const isShown =
    state.phase === 'connected' ||
    (wasConnected && state.phase !== 'signIn' && state.phase !== 'certificate');
  if (isShown) {
    if (props.needs !== null && state.phase === 'connected' && !state.permissions.includes(props.needs)) {
      return (
        <>
          <Title title={title} />
          <EmptyState text={t('connections.gate.noRight', { permission: props.needs })} />
        </>
      );
    }
    return (
      <>
        {state.phase !== 'connected' && (
          <StaleBar
            since={state.since}
            reason={state.detail ?? (state.phase === 'stopped' ? words.stopped : words.noAnswerReason)}
            retryAt={state.retryAt}
            onRetry={retry}
          />
        )}
        <IsKnownStale.Provider value={state.phase !== 'connected'}>{props.children}</IsKnownStale.Provider>
      </>
    );
  }
  return (
    <>
      <Title title={title} />
      <Obstacle connection={connection} onRetry={retry} />
    </>
  );
}

function Title(props: { readonly title: string }) {
  return (
    <div className="toolbar">
      <h1>{props.title}</h1>
    </div>
  );
}

function Obstacle(props: { readonly connection: Connection; readonly onRetry: () => void }) {
  const { connection, onRetry } = props;
  const { state } = connection;
  const backend = useStore(shell, (window) => window.localBackend);
  if (connection.kind === 'local' && backend?.phase === 'failed') {
    return (
      <div className="page">
        <BackendTrouble state={backend} onRetry={startLocalBackend} />
      </div>
    );
  }
  const reason = state.detail ?? state.problem?.message ?? '';
  switch (state.phase) {
    case 'signIn':
      return (
        <EmptyState
          text={reason === '' ? words.signIn : reason}
          action={
            <Button
              kind="primary"
              onClick={() => openDialog({ kind: 'signIn', connectionId: connection.id })}
            >
              {signIn.submit}
            </Button>
          }
        />
      );
    case 'certificate':
      return <CertificateObstacle connection={connection} reason={reason} onRetry={onRetry} />;
    case 'unreachable':
      return (
        <FailedState
          what={words.noAnswer}
          reason={reason}
          since={state.since}
          retryAt={state.retryAt}
          onRetry={onRetry}
        />
      );
    case 'stopped':
      return (
        <EmptyState
          text={reason === '' ? words.stopped : reason}
          action={
            connection.kind === 'local' ? (
              <Button kind="primary" onClick={startLocalBackend}>
                {words.start}
              </Button>
            ) : (
              <Button onClick={onRetry}>{words.connect}</Button>
            )
          }
        />
      );
    default:
      return <LoadingRows />;
  }
}

/** Certificates that a person looked at and did not trust; asked again only when they wish. */
const declined = new Set<string>();

function CertificateObstacle(props: {
  readonly connection: Connection;
  readonly reason: string;
  readonly onRetry: () => void;
}) {
  const { connection } = props;
  const { problem } = connection.state;
  const facts = problem?.facts ?? {};
  const fingerprint = facts.fingerprint ?? '';
  const question = `${connection.id}/${fingerprint}`;
  // A trusted certificate that expired is not made good by trusting it once more.
  const canTrust = fingerprint !== '' && (problem?.code === 'changed' || problem?.code === 'unknown');
  const hasDialog = useStore(shell, (state) => state.dialog !== null);
  const [isOpen, setOpen] = useState(() => !declined.has(question));
  const trust = async () => {
    await command('connections.trustCertificate', { connectionId: connection.id, fingerprint });
  };
  const close = () => {
    declined.add(question);
    setOpen(false);
  };
  return (
    <>
      <EmptyState
        text={props.reason}
        action={
          canTrust ? (
            <Button onClick={() => setOpen(true)}>{words.look}</Button>
          ) : (
            <Button onClick={props.onRetry}>{words.tryAgain}</Button>
          )
        }
      />
      {canTrust && isOpen && !hasDialog && (
        <CertificateDialog
          isChange={problem?.code === 'changed'}
          facts={facts}
          onTrust={trust}
          onClose={close}
        />
      )}
    </>
  );
}

function startLocalBackend(): void {
  command('localBackend.use').catch((error: unknown) =>
    showNotice({ level: 'error', message: problemOf(error).message }),
  );
}
