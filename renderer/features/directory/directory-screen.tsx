import { useCallback, useEffect, useState } from 'react';
import type { DirectoryConnection } from '../../../contract/directory/directory.ts';
import { call, problemOf } from '../../bridge.ts';
import { Facts } from '../../shell/facts.tsx';
import { useExtension, useRights } from '../../shell/rights.ts';
import { openDialog } from '../../shell/shell-store.ts';
import { t, textsOf } from '../../texts/index.ts';
import { Button, EmptyState, FailedState, LoadingRows, showHidden } from '../../ui/index.ts';
import { openConnectionForm } from './connection-form.tsx';
import { Mappings } from './mappings.tsx';

const words = textsOf('directory');

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
  const hasMappings = useExtension(connectionId, 'ldap_mappings');
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
        <h1>{words.title}</h1>
        <span className="toolbar-space" />
        <div className="toolbar-actions" role="toolbar" aria-label={words.actions}>
          <Button
            onClick={() => openForget(connectionId, load)}
            disabledBecause={(connection === null ? words.noConnection : null) ?? reasonFor('ldap.delete')}
          >
            {words.forget}
          </Button>
        </div>
        <Button
          kind="primary"
          onClick={() => openConnectionForm(connectionId, connection, load)}
          disabledBecause={reasonFor('ldap.write')}
        >
          {connection === null ? words.set : words.change}
        </Button>
      </div>
      <div className="page">
        {loaded.kind === 'loading' && <LoadingRows />}
        {loaded.kind === 'failed' && (
          <FailedState what={words.failed} reason={loaded.reason} since={loaded.since} onRetry={load} />
        )}
        {loaded.kind === 'none' && <EmptyState text={words.none} />}
        {connection !== null && <Connection connection={connection} />}
        {hasMappings && <Mappings connectionId={connectionId} />}
      </div>
    </>
  );
}

function Connection(props: { readonly connection: DirectoryConnection }) {
  const { connection } = props;
  const isPlain = connection.protocol === 'ldap' && !connection.root_cert;
  const { connection: own } = words;
  const encryption = connection.protocol === 'ldaps' ? own.ldaps : own.startTls;
  return (
    <section aria-label={own.title} className="page-section">
      <h2>{own.title}</h2>
      <Facts
        facts={[
          [own.domain, showHidden(connection.domain)],
          [
            own.controller,
            t('directory.connection.controllerAt', {
              address: showHidden(connection.address),
              port: connection.port,
            }),
          ],
          [own.encrypted, isPlain ? own.plain : encryption],
          [own.authority, connection.root_cert ? own.givenCertificate : own.systemAuthorities],
          [own.clientCertificate, connection.client_cert ? own.isShown : null],
          [own.looksUpAs, showHidden(connection.login)],
          [own.usersBelow, showHidden(connection.user_search_base)],
          [own.groupsBelow, showHidden(connection.group_search_base)],
        ]}
      />
    </section>
  );
}

function openForget(connectionId: string, onDone: () => void): void {
  openDialog({
    kind: 'remove',
    title: words.forgetDialog.title,
    removal: {
      items: [words.forgetDialog.item],
      submitLabel: words.forgetDialog.submit,
      consequences: async () => [words.forgetDialog.consequence],
      remove: async () => {
        await call(connectionId, 'directory.delete', {});
        onDone();
        return [];
      },
    },
  });
}
