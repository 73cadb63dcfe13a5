import type { TapeLibrary } from '../../../contract/tape-libraries/tape-library.ts';
import { call, problemOf } from '../../bridge.ts';
import { Facts, ListScreen } from '../../shell/list-screen.tsx';
import { NewButton } from '../../shell/new-button.tsx';
import { ResourceActions } from '../../shell/resource-actions.tsx';
import { useRights } from '../../shell/rights.ts';
import { serverTime } from '../../shell/server-time.tsx';
import { showNotice } from '../../shell/shell-store.ts';
import { type ListSource, listInput, useList } from '../../shell/use-list.ts';
import {
  Button,
  type Column,
  counted,
  type ListStore,
  type Meaning,
  StatusBadge,
  showHidden,
  thinDash,
} from '../../ui/index.ts';
import { openNewLibrary } from './new-library.ts';

const source: ListSource<TapeLibrary> = {
  name: 'Tape libraries',
  kinds: ['library', 'pool'],
  pollMs: 30_000,
  idOf: (library) => library.id,
  load: (connectionId, request, signal) =>
    call(connectionId, 'tapeLibraries.list', listInput(request), signal),
};

const meanings: Readonly<Record<string, Meaning>> = { Online: 'ok', Sync: 'running', Error: 'error' };
const nameOf = (library: TapeLibrary): string =>
  `${library.vendor} ${library.model} (${library.serial}), pool ${library.pool}`;

const columns: readonly Column<TapeLibrary>[] = [
  {
    id: 'model',
    header: 'Library',
    widthPx: 220,
    cell: (library) => showHidden(`${library.vendor} ${library.model}`),
  },
  {
    id: 'status',
    header: 'Status',
    widthPx: 110,
    cell: (library) => (
      <StatusBadge meaning={meanings[library.status] ?? 'idle'} word={showHidden(library.status)} />
    ),
  },
  { id: 'pool', header: 'Pool', widthPx: 150, cell: (library) => showHidden(library.pool) },
  { id: 'serial', header: 'Serial number', widthPx: 150, cell: (library) => showHidden(library.serial) },
  { id: 'slots_count', header: 'Slots', widthPx: 80, align: 'right', cell: (library) => library.slots_count },
  {
    id: 'tape_drives',
    header: 'Drives',
    widthPx: 80,
    align: 'right',
    sortable: false,
    cell: (library) => library.tape_drives.length,
  },
  {
    id: 'media_server',
    header: 'Media server',
    widthPx: 150,
    cell: (library) => showHidden(library.media_server),
  },
  {
    id: 'last_sync',
    header: 'Last sync',
    widthPx: 170,
    cell: (library) => (library.last_sync === null ? thinDash : serverTime(library.last_sync)),
  },
];

export function TapeLibrariesScreen(props: { readonly connectionId: string }) {
  const { connectionId } = props;
  const list = useList(connectionId, source);
  const reasonFor = useRights(connectionId);
  return (
    <ListScreen
      title="Tape libraries"
      list={list}
      columns={columns}
      empty="There is no tape library. One is added with its robot and its drives to a pool of type Tape library."
      newAction={
        <NewButton
          connectionId={connectionId}
          permission="tape_libraries.write"
          label="New library"
          open={() => openNewLibrary(connectionId, list)}
        />
      }
      actionsLabel="Library actions"
      actions={
        <ResourceActions
          connectionId={connectionId}
          list={list}
          words={{ one: 'library', many: 'tape libraries' }}
          nameOf={nameOf}
          remove={{
            permission: 'tape_libraries.delete',
            run: (ids) => call(connectionId, 'tapeLibraries.deleteMany', { body: { ids } }),
            consequences: async () => ['Their cartridges are forgotten; nothing on tape is changed.'],
          }}
          more={(only) => (
            <Button
              onClick={() => only !== undefined && void sync(connectionId, only, list)}
              disabledBecause={
                (only === undefined ? 'Select one library' : null) ?? reasonFor('tape_libraries.run')
              }
            >
              Sync
            </Button>
          )}
        />
      }
      details={(library) => <LibraryDetails library={library} />}
    />
  );
}

/** Compares the barcodes; a cartridge that nobody registered stops it, and is named. */
async function sync(connectionId: string, library: TapeLibrary, list: ListStore<TapeLibrary>): Promise<void> {
  try {
    const found = await call(connectionId, 'tapeLibraries.sync', { params: { id: library.id } });
    const cartridges = counted(found.cartridges, 'cartridge');
    showNotice({ level: 'info', message: `${library.model}: ${cartridges} in ${found.slots_total} slots.` });
  } catch (error) {
    showNotice({ level: 'error', message: `${library.model}: ${problemOf(error).message}` });
  }
  await list.refresh();
}

function LibraryDetails(props: { readonly library: TapeLibrary }) {
  const { library } = props;
  return (
    <section aria-label="Library details" className="page-section">
      <div className="details-head">
        <h2>{showHidden(`${library.vendor} ${library.model}`)}</h2>
      </div>
      <Facts
        facts={[
          ['Status', showHidden(library.status)],
          ['Pool', showHidden(library.pool)],
          ['Media server', showHidden(library.media_server)],
          [
            'Robot',
            <span className="mono" key="robot">
              {showHidden(library.sg_path)}
            </span>,
          ],
          ['Serial number', showHidden(library.serial)],
          ['Slots', String(library.slots_count)],
          ['Last sync', library.last_sync === null ? null : serverTime(library.last_sync)],
          ['Description', library.description === null ? null : showHidden(library.description)],
        ]}
      />
      <h3>Drives</h3>
      <ul className="lines" aria-label="Drives">
        {library.tape_drives.map((drive) => (
          <li key={drive.id}>
            <span className="grow">
              {showHidden(drive.model)} <span className="caption mono">{showHidden(drive.sg_path)}</span>
            </span>
            <span>{drive.barcode === null ? null : showHidden(drive.barcode)}</span>
            <span>{showHidden(drive.status)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
