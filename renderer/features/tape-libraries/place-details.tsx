import { useState } from 'react';
import type { Cartridge } from '../../../contract/cartridges/cartridge.ts';
import { DetailsHead, Facts } from '../../shell/facts.tsx';
import { useRights } from '../../shell/rights.ts';
import { serverTime } from '../../shell/server-time.tsx';
import { openDialog } from '../../shell/shell-store.ts';
import { tellFailure } from '../../shell/tell.ts';
import { t } from '../../texts/index.ts';
import { Button, formatBytes, SelectField, StatusBadge, showHidden } from '../../ui/index.ts';
import { type LibraryBoard, moveCartridge } from './board-data.ts';
import { type Place, placesOf, whyNotDropped } from './board-rules.ts';
import { CartridgeButtons } from './cartridge-buttons.tsx';
import { mediaSetOf, placeName, placeState } from './place-words.ts';
import { UnregisteredDialog } from './sync-library.tsx';

/** The chosen place: the cartridge in it, what is known of it, and what can be done with it. */
export function PlaceDetails(props: {
  readonly connectionId: string;
  readonly value: LibraryBoard;
  readonly place: Place;
  readonly onChanged: () => void;
}) {
  const { place } = props;
  const { cartridge } = place;
  return (
    <section aria-label={t('tapeBoard.details')} className="page-section">
      <DetailsHead>{placeName(place)}</DetailsHead>
      <Facts
        facts={[
          ...(place.full
            ? [
                [
                  t('tapeLibraries.barcode'),
                  <span className="mono" key="barcode">
                    {showHidden(place.barcode ?? t('tapeBoard.noBarcode'))}
                  </span>,
                ] as const,
              ]
            : []),
          [t('tapeLibraries.state'), stateOf(place)],
          ...(place.reason === null ? [] : [[t('tapeBoard.reason'), showHidden(place.reason)] as const]),
          [t('tapeBoard.address'), String(place.address)],
          ...(place.isWriteProtected
            ? [[t('tapeBoard.writeProtection'), t('tapeBoard.writeProtected')] as const]
            : []),
          ...(place.isCleaning ? [[t('tapeBoard.kind'), t('tapeBoard.cleaningCartridge')] as const] : []),
          ...(cartridge === null ? [] : cartridgeFacts(cartridge)),
        ]}
      />
      {cartridge !== null && <CartridgeOffer cartridge={cartridge} />}
      {place.full && <Acts {...props} />}
    </section>
  );
}

function stateOf(place: Place): React.ReactNode {
  const state = placeState(place);
  if (state !== null) return <StatusBadge meaning={state.meaning} word={state.word} />;
  return place.full ? null : t('tapeBoard.empty');
}

export function cartridgeFacts(cartridge: Cartridge): readonly (readonly [string, React.ReactNode])[] {
  const { capacity, written } = cartridge;
  if (cartridge.state === 'cleaning') {
    return [
      [t('common.pool'), showHidden(cartridge.pool)],
      [t('tapeBoard.cleanings'), String(cartridge.cleanings)],
      [t('tapeLibraries.registered'), serverTime(cartridge.created)],
    ];
  }
  return [
    [t('common.pool'), showHidden(cartridge.pool)],
    [
      t('tapeLibraries.labelName'),
      cartridge.label_uuid === null ? null : (
        <span className="mono" key="label">
          {showHidden(cartridge.label_uuid)}
        </span>
      ),
    ],
    [t('tapeLibraries.copies'), String(cartridge.copies)],
    [
      t('tapeLibraries.mediaSet'),
      cartridge.media_set_name == null ? null : showHidden(cartridge.media_set_name),
    ],
    [t('tapeLibraries.together'), mediaSetOf(cartridge).map(showHidden).join(', ') || null],
    [t('tapeLibraries.written'), formatBytes(written)],
    [t('tapeLibraries.free'), capacity === null ? null : formatBytes(Math.max(0, capacity - written))],
    [t('tapeLibraries.expires'), cartridge.expires === null ? null : serverTime(cartridge.expires)],
    [t('tapeLibraries.registered'), serverTime(cartridge.created)],
  ];
}

/** What can be made of a cartridge from elsewhere, by the buttons that are there. */
export function CartridgeOffer(props: { readonly cartridge: Cartridge }) {
  if (props.cartridge.state !== 'foreign') return null;
  return <p className="muted">{t('tapeLibraries.foreignOffer')}</p>;
}

function Acts(props: {
  readonly connectionId: string;
  readonly value: LibraryBoard;
  readonly place: Place;
  readonly onChanged: () => void;
}) {
  const { connectionId, value, place, onChanged } = props;
  const { cartridge } = place;
  const reasonFor = useRights(connectionId);
  const [target, setTarget] = useState('');
  const free = placesOf(value.board).filter((to) => whyNotDropped(place, to) === null);
  const to = free.find(({ address }) => String(address) === target) ?? free[0];
  const move = () => {
    if (to === undefined) return;
    const wish = { from: place.address, to: to.address, barcode: place.barcode };
    tellFailure(moveCartridge(connectionId, value.library.id, wish).then(onChanged));
  };
  const register = () =>
    openDialog({
      kind: 'own',
      draw: (close) => (
        <UnregisteredDialog
          connectionId={connectionId}
          library={value.library}
          places={[place]}
          reason={null}
          onClose={() => {
            close();
            onChanged();
          }}
        />
      ),
    });
  return (
    <>
      <SelectField
        label={t('tapeBoard.moveTo')}
        value={String(to?.address ?? '')}
        onChange={setTarget}
        choices={free.map((one) => ({ value: String(one.address), label: placeName(one) }))}
      />
      <div className="acts">
        <Button
          onClick={move}
          disabledBecause={to === undefined ? t('tapeBoard.noTarget') : reasonFor('tape_libraries.run')}
        >
          {t('tapeBoard.move')}
        </Button>
        {cartridge === null ? (
          <Button
            onClick={register}
            disabledBecause={
              place.barcode === null ? t('tapeBoard.unreadableHelp') : reasonFor('tape_libraries.write')
            }
          >
            {t('tapeLibraries.registerAsk')}
          </Button>
        ) : (
          <CartridgeButtons connectionId={connectionId} cartridges={[cartridge]} />
        )}
      </div>
    </>
  );
}
