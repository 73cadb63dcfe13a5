import { useMemo, useState } from 'react';
import { useStore } from 'zustand';
import type { VirtualLibrary } from '../../../contract/virtual-libraries/virtual-library.ts';
import { call } from '../../bridge.ts';
import { DetailsHead, Facts } from '../../shell/facts.tsx';
import { ListScreen } from '../../shell/list-screen.tsx';
import { NewButton } from '../../shell/new-button.tsx';
import { useRights } from '../../shell/rights.ts';
import { openDialog } from '../../shell/shell-store.ts';
import { useAnswer } from '../../shell/use-answer.ts';
import { type ListSource, listInput, useList } from '../../shell/use-list.ts';
import { useSubmit } from '../../shell/use-submit.ts';
import { t } from '../../texts/index.ts';
import {
  Button,
  type Column,
  formatBytes,
  type ListStore,
  StatusBadge,
  showHidden,
  TextArea,
} from '../../ui/index.ts';
import { typedBarcodes } from './add-library-data.ts';
import { armedIn } from './fault-rules.ts';
import { FireDrill } from './fire-drill.tsx';
import { Line } from './found-line.tsx';
import { openAddLibrary } from './open-add-library.tsx';

const source: ListSource<VirtualLibrary> = {
  name: 'Virtual libraries',
  kinds: ['library'],
  pollMs: 15_000,
  idOf: (library) => library.id,
  load: (connectionId, request, signal) =>
    call(connectionId, 'virtualLibraries.list', listInput(request), signal),
};
const watch = { kinds: ['library'], pollMs: 30_000, settleMs: 500 } as const;

const columns: readonly Column<VirtualLibrary>[] = [
  { id: 'name', header: t('common.name'), widthPx: 160, cell: (library) => showHidden(library.name) },
  {
    id: 'status',
    header: t('common.status'),
    widthPx: 110,
    cell: (library) => (
      <StatusBadge
        meaning={library.status === 'Online' ? 'ok' : 'error'}
        word={t(
          library.status === 'Online' ? 'tapeLibraries.statuses.Online' : 'tapeLibraries.statuses.Error',
        )}
      />
    ),
  },
  {
    id: 'faults',
    header: t('tapeBoard.drill.count'),
    widthPx: 120,
    sortable: false,
    cell: (library) => {
      const count = armedIn(library.faults).length;
      if (count === 0) return t('common.none');
      return <StatusBadge meaning="warning" word={String(count)} />;
    },
  },
  {
    id: 'slots',
    header: t('tapeLibraries.slots'),
    widthPx: 80,
    align: 'right',
    cell: (library) => library.slots,
  },
  {
    id: 'drives',
    header: t('tapeLibraries.drives'),
    widthPx: 80,
    align: 'right',
    cell: (library) => library.drives,
  },
  {
    id: 'cartridges',
    header: t('tapeLibraries.cartridges'),
    widthPx: 90,
    align: 'right',
    sortable: false,
    cell: (library) => library.cartridges.length,
  },
  {
    id: 'media_server',
    header: t('tapeLibraries.mediaServer'),
    widthPx: 150,
    cell: (library) => showHidden(library.media_server),
  },
];

/** Simulated libraries, and what they shall do wrong. */
export function VirtualView(props: { readonly connectionId: string }) {
  const { connectionId } = props;
  const list = useList(connectionId, source);
  return (
    <ListScreen
      title={t('tapeBoard.virtual.title')}
      list={list}
      columns={columns}
      empty={t('tapeBoard.virtual.empty')}
      newAction={
        <NewButton
          connectionId={connectionId}
          permission="tape_libraries.write"
          label={t('tapeLibraries.newLibrary')}
          open={() => openAddLibrary(connectionId, 'virtual')}
        />
      }
      actionsLabel={t('tapeBoard.virtual.actions')}
      actions={<Acts connectionId={connectionId} list={list} />}
      details={(library) => (
        <Details key={library.id} connectionId={connectionId} library={library} list={list} />
      )}
    />
  );
}

function Acts(props: { readonly connectionId: string; readonly list: ListStore<VirtualLibrary> }) {
  const { connectionId, list } = props;
  useStore(list.store);
  const reasonFor = useRights(connectionId);
  const rows = list.selectedRows();
  const remove = () =>
    openDialog({
      kind: 'remove',
      title: t('tapeBoard.virtual.removeTitle'),
      removal: {
        items: rows.map(({ name }) => name),
        consequences: async () => [t('tapeBoard.virtual.removeConsequence')],
        remove: async () => {
          const ids = rows.map(({ id }) => id);
          await call(connectionId, 'virtualLibraries.deleteMany', { body: { ids } });
          list.forget(ids);
          await list.refresh();
          return [];
        },
      },
    });
  return (
    <Button
      onClick={remove}
      disabledBecause={rows.length === 0 ? t('tapeBoard.virtual.select') : reasonFor('tape_libraries.delete')}
    >
      {t('common.deleteAsk')}
    </Button>
  );
}

function Details(props: {
  readonly connectionId: string;
  readonly library: VirtualLibrary;
  readonly list: ListStore<VirtualLibrary>;
}) {
  const { connectionId, library, list } = props;
  const load = useMemo(
    () => (signal: AbortSignal) => call(connectionId, 'tapeLibraries.list', { query: {} }, signal),
    [connectionId],
  );
  const { value } = useAnswer(connectionId, load, watch);
  const user = value?.items.find(({ sg_path: path }) => path === library.sg_path) ?? null;
  const refresh = () => void list.refresh();
  return (
    <section aria-label={t('tapeBoard.virtual.details')} className="page-section">
      <DetailsHead>{showHidden(library.name)}</DetailsHead>
      <Facts
        facts={[
          [t('tapeBoard.virtual.usedBy'), user === null ? null : showHidden(`${user.model}, ${user.pool}`)],
          [
            t('tapeLibraries.robot'),
            <span className="mono" key="path">
              {showHidden(library.sg_path)}
            </span>,
          ],
          [t('tapeBoard.virtual.cartridgeSize'), formatBytes(library.cartridge_size)],
        ]}
      />
      <FireDrill connectionId={connectionId} library={library} user={user} onChanged={refresh} />
      <Door connectionId={connectionId} library={library} onChanged={refresh} />
    </section>
  );
}

/** What a person does at the door of a library: put cartridges in, take some out. */
function Door(props: {
  readonly connectionId: string;
  readonly library: VirtualLibrary;
  readonly onChanged: () => void;
}) {
  const { connectionId, library } = props;
  const whyNot = useRights(connectionId)('tape_libraries.write');
  const inside = library.cartridges.join('\n');
  const [typed, setTyped] = useState<string | null>(null);
  const { isBusy, problem, errors, submit } = useSubmit(
    async () => {
      const cartridges = typedBarcodes(typed ?? inside);
      await call(connectionId, 'virtualLibraries.update', {
        params: { id: library.id },
        body: { cartridges },
      });
      props.onChanged();
    },
    () => setTyped(null),
    ['cartridges'],
  );
  return (
    <>
      <h3>{t('tapeBoard.virtual.door')}</h3>
      {problem !== null && <Line meaning="error" text={showHidden(problem)} isAlert />}
      <TextArea
        label={t('tapeBoard.virtual.inside')}
        value={typed ?? inside}
        onChange={setTyped}
        error={errors.cartridges}
        help={t('tapeBoard.virtual.insideHelp')}
      />
      <div>
        <Button
          onClick={submit}
          disabledBecause={whyNot ?? (typed === null || isBusy ? t('tapeBoard.virtual.unchanged') : null)}
        >
          {t('tapeBoard.virtual.atTheDoor')}
        </Button>
      </div>
    </>
  );
}
