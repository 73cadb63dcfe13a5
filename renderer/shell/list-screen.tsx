import { X } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { useStore } from 'zustand';
import { t } from '../texts/index.ts';
import {
  Button,
  type Column,
  DataGrid,
  EmptyState,
  FailedState,
  type ListStore,
  LoadingRows,
  SearchBox,
  StaleBar,
  showHidden,
} from '../ui/index.ts';
import { DetailsPage, useListFocus } from './details-page.tsx';
import { DetailsPanel } from './details-panel.tsx';
import { withFilter } from './filter.tsx';
import { ListViewsMenu } from './list-views-menu.tsx';
import { useShownObject } from './shown-view.ts';
import { tellFailure } from './tell-failure.ts';
import { bringToList, makeOfList } from './use-list.ts';
import { useRetry } from './use-retry.ts';

export interface ListScreenProps<R> {
  /** The section's name; names the table too. */
  readonly title: string;
  readonly list: ListStore<R>;
  readonly columns: readonly Column<R>[];
  readonly empty: string;
  /** At the right of the toolbar: what makes a new object. */
  readonly newAction?: ReactNode;
  readonly filters?: ReactNode;
  readonly actionsLabel: string;
  readonly actions: ReactNode;
  readonly details: (row: R) => ReactNode;
  /** Where opening leads to more than the details. */
  readonly onOpen?: (row: R) => void;
}

/** A table with its search, its actions and a panel for the selected row. */
export function ListScreen<R>(props: ListScreenProps<R>) {
  const { list, title } = props;
  const { load, total, query, selection, pages } = useStore(list.store);
  const retryAt = useRetry(load.kind === 'failed' ? load : null, () => void list.refresh());
  const [isClosed, setClosed] = useState(false);
  const object = useShownObject(makeOfList(list)?.name ?? '');
  const main = useListFocus(object.id !== null);
  const current = selection.current;
  // A row that is chosen opens the panel again, also the one for which it was closed.
  // biome-ignore lint/correctness/useExhaustiveDependencies: that something was chosen is what matters
  useEffect(() => setClosed(false), [selection]);
  const [isSought, setSought] = useState(object.id !== null);
  useEffect(() => {
    if (object.id === null) return;
    setSought(true);
    tellFailure(bringToList(list, object.id).finally(() => setSought(false)));
  }, [list, object.id]);
  const selected = current === null ? undefined : rowOf(list, pages, current);
  const isFiltered = query.search !== '' || Object.keys(query.filters).length > 0;
  const emptyState = () => {
    if (total !== 0) return null;
    if (!isFiltered) return <EmptyState text={props.empty} />;
    return (
      <EmptyState
        text={t('shell.list.noMatch')}
        action={
          <Button onClick={() => list.setQuery({ search: '', filters: {} })}>
            {t('shell.list.clearFilters')}
          </Button>
        }
      />
    );
  };
  const body = () => {
    if (total === null && load.kind === 'failed') {
      return (
        <FailedState
          what={t('shell.list.cannotShow', { list: title })}
          reason={load.reason}
          since={load.since}
          retryAt={retryAt}
          onRetry={() => void list.refresh()}
        />
      );
    }
    if (total === null) return <LoadingRows />;
    return (
      <>
        <DataGrid
          label={title}
          list={list}
          columns={props.columns}
          rowActions={props.actions}
          onOpen={(row) => (props.onOpen === undefined ? object.open(list.idOf(row)) : props.onOpen(row))}
        />
        {emptyState()}
      </>
    );
  };
  if (object.id !== null) {
    const row = rowOf(list, pages, object.id);
    const isSeeking = load.kind !== 'failed' && (isSought || load.kind === 'loading');
    return (
      <DetailsPage
        title={title}
        actionsLabel={props.actionsLabel}
        actions={props.actions}
        onLeave={object.leave}
      >
        {row !== undefined && props.details(row)}
        {row === undefined && isSeeking && <LoadingRows />}
        {row === undefined && load.kind === 'failed' && (
          <FailedState
            what={t('shell.list.cannotShow', { list: title })}
            reason={load.reason}
            since={load.since}
            retryAt={retryAt}
            onRetry={() => void list.refresh()}
          />
        )}
        {row === undefined && load.kind === 'ready' && !isSeeking && (
          <EmptyState text={t('shell.list.goneText', { id: showHidden(String(object.id)) })} />
        )}
      </DetailsPage>
    );
  }
  return (
    <>
      <div className="toolbar">
        <h1>{title}</h1>
        <SearchBox
          label={t('shell.list.search', { list: title })}
          value={query.search}
          onChange={(search) => list.setQuery({ search })}
        />
        {props.filters}
        {query.filters.id !== undefined && (
          <Button
            kind="quiet"
            onClick={() => list.setQuery({ filters: withFilter(query.filters, { id: '' }) })}
          >
            {t('shell.list.onlyOne', { id: showHidden(query.filters.id) })}
            <X size={14} aria-hidden />
          </Button>
        )}
        <ListViewsMenu list={list} />
        <span className="caption row-count" aria-live="polite">
          {total === null ? '' : countText(total, selection.ids.size)}
        </span>
        <span className="toolbar-space" />
        <div className="toolbar-actions" role="toolbar" aria-label={props.actionsLabel}>
          {props.actions}
        </div>
        {props.newAction}
      </div>
      {load.kind === 'failed' && total !== null && (
        <StaleBar
          since={load.since}
          retryAt={retryAt}
          reason={load.reason}
          onRetry={() => void list.refresh()}
        />
      )}
      <div className="content">
        <div className="content-main" ref={main}>
          {body()}
        </div>
        {selected !== undefined && !isClosed && (
          <DetailsPanel onClose={() => setClosed(true)}>{props.details(selected)}</DetailsPanel>
        )}
      </div>
    </>
  );
}

function countText(total: number, selected: number): string {
  const rows = t('common.counts.rows', { count: total });
  return selected > 1 ? t('shell.list.rowsSelected', { rows, selected }) : rows;
}

/** The row as it is loaded, or as it was last seen: its page is let go when the list is scrolled far away. */
function rowOf<R>(
  list: ListStore<R>,
  pages: ReadonlyMap<number, readonly R[]>,
  id: number | string,
): R | undefined {
  for (const rows of pages.values()) {
    const found = rows.find((row) => list.idOf(row) === id);
    if (found !== undefined) return found;
  }
  return list.selectedRows().find((row) => list.idOf(row) === id);
}
