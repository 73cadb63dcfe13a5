import type { ReactNode } from 'react';
import { useStore } from 'zustand';
import type { Cartridge } from '../../../contract/cartridges/cartridge.ts';
import { call } from '../../bridge.ts';
import { DetailsHead, Facts } from '../../shell/facts.tsx';
import { ListScreen } from '../../shell/list-screen.tsx';
import { serverTime } from '../../shell/server-time.tsx';
import { type ListSource, listInput, useList } from '../../shell/use-list.ts';
import { t } from '../../texts/index.ts';
import {
  type Column,
  formatBytes,
  formatExactBytes,
  type ListStore,
  StatusBadge,
  showHidden,
  thinDash,
} from '../../ui/index.ts';
import { CartridgeButtons } from './cartridge-buttons.tsx';
import { CartridgeOffer, cartridgeFacts } from './place-details.tsx';
import { cartridgeState, locationName, mediaSetOf } from './place-words.ts';

const source: ListSource<Cartridge> = {
  name: 'Cartridges',
  kinds: ['library', 'repository', 'pool'],
  pollMs: 30_000,
  idOf: (cartridge) => cartridge.id,
  load: (connectionId, request, signal) => call(connectionId, 'cartridges.list', listInput(request), signal),
};

const state = (cartridge: Cartridge): ReactNode => <StatusBadge {...cartridgeState(cartridge)} />;

const columns: readonly Column<Cartridge>[] = [
  {
    id: 'barcode',
    header: t('tapeLibraries.barcode'),
    widthPx: 130,
    cell: (cartridge) => <span className="mono">{showHidden(cartridge.barcode)}</span>,
  },
  { id: 'state', header: t('tapeLibraries.state'), widthPx: 130, cell: state },
  {
    id: 'location',
    header: t('tapeLibraries.location'),
    widthPx: 130,
    cell: (cartridge) => showHidden(locationName(cartridge.location)),
  },
  { id: 'pool', header: t('common.pool'), widthPx: 140, cell: (cartridge) => showHidden(cartridge.pool) },
  {
    id: 'media_set_name',
    header: t('tapeLibraries.mediaSet'),
    widthPx: 130,
    cell: ({ media_set_name: name }) => (name == null ? thinDash : showHidden(name)),
    title: () => t('tapeLibraries.mediaSetHelp'),
  },
  {
    id: 'copies',
    header: t('tapeLibraries.copies'),
    widthPx: 80,
    align: 'right',
    cell: (cartridge) => cartridge.copies,
  },
  {
    id: 'written',
    header: t('tapeLibraries.written'),
    widthPx: 100,
    align: 'right',
    cell: (cartridge) => formatBytes(cartridge.written),
    title: (cartridge) => formatExactBytes(cartridge.written),
  },
  {
    id: 'capacity',
    header: t('tapeLibraries.capacity'),
    widthPx: 100,
    align: 'right',
    cell: (cartridge) => formatBytes(cartridge.capacity),
    title: () => t('tapeLibraries.capacityHelp'),
  },
  {
    id: 'media_set',
    header: t('tapeLibraries.together'),
    widthPx: 150,
    cell: (cartridge) => showHidden(mediaSetOf(cartridge).join(', ')) || thinDash,
    title: () => t('tapeLibraries.togetherHelp'),
  },
  {
    id: 'expires',
    header: t('tapeLibraries.expires'),
    widthPx: 150,
    cell: (cartridge) => (cartridge.expires === null ? thinDash : serverTime(cartridge.expires)),
  },
  {
    id: 'label_uuid',
    header: t('tapeLibraries.labelName'),
    widthPx: 180,
    cell: (cartridge) =>
      cartridge.label_uuid === null ? (
        thinDash
      ) : (
        <span className="mono">{showHidden(cartridge.label_uuid)}</span>
      ),
  },
];

/** What is registered, also what lies outside of its library. */
export function CartridgesView(props: { readonly connectionId: string }) {
  const { connectionId } = props;
  const list = useList(connectionId, source);
  return (
    <ListScreen
      title={t('tapeLibraries.cartridges')}
      list={list}
      columns={columns}
      empty={t('tapeLibraries.noCartridges')}
      actionsLabel={t('tapeLibraries.cartridgeActions')}
      actions={<Acts connectionId={connectionId} list={list} />}
      details={(cartridge) => <CartridgeDetails cartridge={cartridge} />}
    />
  );
}

function Acts(props: { readonly connectionId: string; readonly list: ListStore<Cartridge> }) {
  useStore(props.list.store);
  return <CartridgeButtons connectionId={props.connectionId} cartridges={props.list.selectedRows()} />;
}

function CartridgeDetails(props: { readonly cartridge: Cartridge }) {
  const { cartridge } = props;
  return (
    <section aria-label={t('tapeLibraries.cartridgeDetails')} className="page-section">
      <DetailsHead isMono>{showHidden(cartridge.barcode)}</DetailsHead>
      <Facts
        facts={[
          [t('tapeLibraries.state'), state(cartridge)],
          [t('tapeLibraries.location'), showHidden(locationName(cartridge.location))],
          [
            t('tapeBoard.address'),
            cartridge.element_address === null ? null : String(cartridge.element_address),
          ],
          ...cartridgeFacts(cartridge),
        ]}
      />
      <CartridgeOffer cartridge={cartridge} />
    </section>
  );
}
