import { useCallback, useEffect, useState } from 'react';
import type { DirectoryConnection } from '../../../contract/directory/directory.ts';
import { call, problemOf } from '../../bridge.ts';
import { Facts } from '../../shell/list-screen.tsx';
import { useRights } from '../../shell/rights.ts';
import { openDialog } from '../../shell/shell-store.ts';
import { Button, EmptyState, FailedState, LoadingRows, showHidden } from '../../ui/index.ts';
import { openConnectionForm } from './connection-form.ts';
import { Mappings } from './mappings.tsx';

type Loaded =
  | { readonly kind: 'loading' }
  | { readonly kind: 'none' }
  | { readonly kind: 'set'; readonly connection: DirectoryConnection }
  | { readonly kind: 'failed'; readonly reason: string; readonly since: number };

/** The domain controller whose users may sign in, and which of its groups have which role. */
export function DirectoryScreen(props: { readonly connectionId: string }) {
  const { connectionId } = props;
  const [loaded, setLoaded] = useState<Loaded>({ kind: 'loading' });
  const reasonFor = useRights(connectionId);
  const load = useCallback(() => {
    call(connectionId, 'directory.get', {}).then(
      (connection) => setLoaded({ kind: 'set', connection }),
      (error: unknown) => {
        const problem = problemOf(error);
        const isNone = problem.status === 404;
        setLoaded(isNone ? { kind: 'none' } : { kind: 'failed', reason: problem.message, since: Date.now() });
      },
    );
  }, [connectionId]);
  useEffect(load, [load]);
  const connection = loaded.kind === 'set' ? loaded.connection : null;
  return (
    <>
      <div className="toolbar">
        <h1>Directory</h1>
        <span className="toolbar-space" />
        <div className="toolbar-actions" role="toolbar" aria-label="Directory actions">
          <Button
            onClick={() => openForget(connectionId, load)}
            disabledBecause={
              (connection === null ? 'There is no connection' : null) ?? reasonFor('ldap.delete')
            }
          >
            Forget…
          </Button>
        </div>
        <Button
          kind="primary"
          onClick={() => openConnectionForm(connectionId, connection, load)}
          disabledBecause={reasonFor('ldap.write')}
        >
          {connection === null ? 'Set connection…' : 'Change connection…'}
        </Button>
      </div>
      <div className="page">
        {loaded.kind === 'loading' && <LoadingRows />}
        {loaded.kind === 'failed' && (
          <FailedState
            what="The directory connection cannot be shown"
            reason={loaded.reason}
            since={loaded.since}
            onRetry={load}
          />
        )}
        {loaded.kind === 'none' && (
          <EmptyState text="No domain controller is connected: only users of this server can sign in." />
        )}
        {connection !== null && <Connection connection={connection} />}
        <Mappings connectionId={connectionId} />
      </div>
    </>
  );
}

function Connection(props: { readonly connection: DirectoryConnection }) {
  const { connection } = props;
  const isPlain = connection.protocol === 'ldap' && !connection.root_cert;
  const encryption = connection.protocol === 'ldaps' ? 'from the start (LDAPS)' : 'StartTLS';
  return (
    <section aria-label="Connection" className="page-section">
      <h2>Connection</h2>
      <Facts
        facts={[
          ['Domain', showHidden(connection.domain)],
          ['Controller', `${showHidden(connection.address)}, port ${connection.port}`],
          ['Encrypted', isPlain ? 'no: passwords cross the network as they are' : encryption],
          ['Authority', connection.root_cert ? 'the given certificate only' : 'those of the server’s system'],
          ['Client certificate', connection.client_cert ? 'is shown to the controller' : null],
          ['Looks users up as', showHidden(connection.login)],
          ['Users below', showHidden(connection.user_search_base)],
          ['Groups below', showHidden(connection.group_search_base)],
        ]}
      />
    </section>
  );
}

function openForget(connectionId: string, onDone: () => void): void {
  openDialog({
    kind: 'remove',
    title: 'Forget the directory connection',
    removal: {
      items: ['The connection to the domain controller'],
      consequences: async () => ['Users of the domain are signed out and cannot sign in any more.'],
      remove: async () => {
        await call(connectionId, 'directory.delete', {});
        onDone();
        return [];
      },
    },
  });
}
