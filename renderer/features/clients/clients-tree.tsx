import { useEffect } from 'react';
import { useStore } from 'zustand';
import { DetailsPage, useListFocus } from '../../shell/details-page.tsx';
import { DetailsPanel } from '../../shell/details-panel.tsx';
import { NewBackupButton } from '../../shell/new-backup-button.tsx';
import { useRights } from '../../shell/rights.ts';
import { useShownObject } from '../../shell/shown-view.ts';
import { tellFailure } from '../../shell/tell.ts';
import { useRetry } from '../../shell/use-retry.ts';
import { t, textsOf } from '../../texts/index.ts';
import { Button, EmptyState, FailedState, LoadingRows, SearchBox, StaleBar } from '../../ui/index.ts';
import { ClientDetails } from './client-details.tsx';
import { openEditClient, openRemoveClient } from './client-form.ts';
import { ClientLines } from './client-lines.tsx';
import { loadShowing, useBeyond, useClients } from './use-clients.ts';

const words = textsOf('clients');
const common = textsOf('common');
/** In the address of a client. */
const listName = 'Clients';
/** Authorized clients by their groups. */
export function ClientsTree(props: { readonly connectionId: string }) {
  const { connectionId } = props;
  const clients = useClients(connectionId);
  const state = useStore(clients.store);
  const listed = [...state.clients.values()].flat().find((client) => client.id === state.selectedId);
  const beyond = useBeyond(connectionId, clients, listed !== undefined);
  const selected = listed ?? beyond;
  const retryAt = useRetry(state.problem, () => void clients.load());
  const reasonFor = useRights(connectionId);
  const shown = useShownObject(listName);
  useEffect(() => {
    if (typeof shown.id === 'number') clients.select(shown.id);
  }, [clients, shown.id]);
  const main = useListFocus(shown.id !== null);
  const actions = (
    <>
      <Button
        onClick={() =>
          selected !== undefined &&
          tellFailure(
            openEditClient(connectionId, selected, () => loadShowing(connectionId, clients, selected)),
          )
        }
        disabledBecause={(selected === undefined ? words.selectFirst : null) ?? reasonFor('clients.write')}
      >
        {common.edit}
      </Button>
      <Button
        onClick={() => selected !== undefined && openRemoveClient(connectionId, selected, clients.load)}
        disabledBecause={(selected === undefined ? words.selectFirst : null) ?? reasonFor('clients.delete')}
      >
        {common.deleteAsk}
      </Button>
    </>
  );
  if (shown.id !== null) {
    const isGone = state.groups !== null && state.selectedId !== shown.id;
    return (
      <DetailsPage title={words.title} actionsLabel={words.actions} actions={actions} onLeave={shown.leave}>
        {selected !== undefined && <ClientDetails client={selected} />}
        {selected === undefined && !isGone && <LoadingRows />}
        {isGone && <EmptyState text={t('shell.list.goneText', { id: shown.id })} />}
      </DetailsPage>
    );
  }
  return (
    <>
      <div className="toolbar">
        <h1>{words.title}</h1>
        <SearchBox label={words.search} value={state.filter} onChange={clients.setFilter} />
        <span className="toolbar-space" />
        <div className="toolbar-actions" role="toolbar" aria-label={words.actions}>
          {actions}
        </div>
        <NewBackupButton connectionId={connectionId} client={selected} />
      </div>
      {state.problem !== null && state.groups !== null && (
        <StaleBar
          since={state.problem.since}
          retryAt={retryAt}
          reason={state.problem.reason}
          onRetry={() => void clients.load()}
        />
      )}
      <div className="content">
        <div className="content-main" ref={main}>
          {state.problem !== null && state.groups === null ? (
            <FailedState
              what={words.notShown}
              reason={state.problem.reason}
              since={state.problem.since}
              retryAt={retryAt}
              onRetry={() => void clients.load()}
            />
          ) : (
            <ClientLines state={state} clients={clients} onOpen={shown.open} />
          )}
        </div>
        {selected !== undefined && (
          <DetailsPanel onClose={() => clients.select(null)}>
            <ClientDetails client={selected} />
          </DetailsPanel>
        )}
      </div>
    </>
  );
}
