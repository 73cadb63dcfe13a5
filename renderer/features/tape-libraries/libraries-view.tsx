import type { TapeLibrary } from '../../../contract/tape-libraries/tape-library.ts';
import { call } from '../../bridge.ts';
import { ListScreen } from '../../shell/list-screen.tsx';
import { NewButton } from '../../shell/new-button.tsx';
import { ResourceActions } from '../../shell/resource-actions.tsx';
import { useRights } from '../../shell/rights.ts';
import { serverTime } from '../../shell/server-time.tsx';
import { tellFailure } from '../../shell/tell.ts';
import { type ListSource, listInput, useList } from '../../shell/use-list.ts';
import { t } from '../../texts/index.ts';
import { Button, type Column, StatusBadge, showHidden, thinDash } from '../../ui/index.ts';
import { LibraryDetails } from './library-details.tsx';
import { libraryMeaning, libraryName, statusWord } from './library-words.ts';
import { openAddLibrary } from './open-add-library.tsx';
import { syncLibrary } from './sync-library.tsx';

const source: ListSource<TapeLibrary> = {
  name: 'Tape libraries',
  kinds: ['library', 'pool'],
  pollMs: 30_000,
  idOf: (library) => library.id,
  load: (connectionId, request, signal) =>
    call(connectionId, 'tapeLibraries.list', listInput(request), signal),
};

const columns: readonly Column<TapeLibrary>[] = [
  {
    id: 'model',
    header: t('tapeLibraries.library'),
    widthPx: 220,
    cell: (library) => showHidden(`${library.vendor} ${library.model}`),
  },
  {
    id: 'status',
    header: t('common.status'),
    widthPx: 110,
    cell: (library) => (
      <StatusBadge meaning={libraryMeaning(library.status)} word={statusWord(library.status)} />
    ),
  },
  { id: 'pool', header: t('common.pool'), widthPx: 150, cell: (library) => showHidden(library.pool) },
  {
    id: 'serial',
    header: t('tapeLibraries.serial'),
    widthPx: 150,
    cell: (library) => showHidden(library.serial),
  },
  {
    id: 'slots_count',
    header: t('tapeLibraries.slots'),
    widthPx: 80,
    align: 'right',
    cell: (library) => library.slots_count,
  },
  {
    id: 'tape_drives',
    header: t('tapeLibraries.drives'),
    widthPx: 80,
    align: 'right',
    sortable: false,
    cell: (library) => library.tape_drives.length,
  },
  {
    id: 'media_server',
    header: t('tapeLibraries.mediaServer'),
    widthPx: 150,
    cell: (library) => showHidden(library.media_server),
  },
  {
    id: 'last_sync',
    header: t('tapeLibraries.lastSync'),
    widthPx: 170,
    cell: (library) => (library.last_sync === null ? thinDash : serverTime(library.last_sync)),
  },
];

/** The libraries as a table. */
export function LibrariesView(props: {
  readonly connectionId: string;
  /** Null: this server tells nothing of the places. */
  readonly onBoard: ((libraryId: number) => void) | null;
}) {
  const { connectionId, onBoard } = props;
  const list = useList(connectionId, source);
  const reasonFor = useRights(connectionId);
  return (
    <ListScreen
      title={t('tapeLibraries.title')}
      list={list}
      columns={columns}
      empty={t('tapeLibraries.noLibraries')}
      {...(onBoard === null ? {} : { onOpen: (library: TapeLibrary) => onBoard(library.id) })}
      newAction={
        <NewButton
          connectionId={connectionId}
          permission="tape_libraries.write"
          label={t('tapeLibraries.newLibrary')}
          open={() => openAddLibrary(connectionId)}
        />
      }
      actionsLabel={t('tapeLibraries.actions')}
      actions={
        <ResourceActions
          connectionId={connectionId}
          list={list}
          object="library"
          nameOf={libraryName}
          remove={{
            permission: 'tape_libraries.delete',
            run: (ids) => call(connectionId, 'tapeLibraries.deleteMany', { body: { ids } }),
            consequences: async () => [t('tapeLibraries.removeConsequence')],
          }}
          more={(only) => (
            <Button
              onClick={() => only !== undefined && tellFailure(syncLibrary(connectionId, only))}
              disabledBecause={
                (only === undefined ? t('tapeLibraries.selectLibrary') : null) ??
                reasonFor('tape_libraries.run')
              }
            >
              {t('tapeLibraries.sync.button')}
            </Button>
          )}
        />
      }
      details={(library) => (
        <LibraryDetails
          connectionId={connectionId}
          library={library}
          {...(onBoard === null ? {} : { onBoard: () => onBoard(library.id) })}
        />
      )}
    />
  );
}
