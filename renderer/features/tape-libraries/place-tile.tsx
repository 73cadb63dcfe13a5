import { Brush, Lock } from 'lucide-react';
import type { DragEvent } from 'react';
import { t } from '../../texts/index.ts';
import { StatusBadge, showHidden } from '../../ui/index.ts';
import type { Place } from './board-rules.ts';
import { placeName, placeState } from './place-words.ts';

export interface TileLook {
  readonly isTabStop: boolean;
  readonly isSelected: boolean;
  /** Its cartridge is carried. */
  readonly isCarried: boolean;
  /** While something is carried: whether it could be dropped here. */
  readonly isTarget: boolean | null;
  /** The robot is bringing a cartridge from or to here. */
  readonly isMoving: boolean;
  readonly canBeDragged: boolean;
}

export interface TileActs {
  readonly onChoose: () => void;
  readonly onDragStart: (event: DragEvent) => void;
  readonly onDragOver: (event: DragEvent) => void;
  readonly onDrop: (event: DragEvent) => void;
  readonly onDragEnd: () => void;
}

/** One place of the board: a cell that can hold a cartridge. */
export function PlaceTile(props: {
  readonly place: Place;
  readonly look: TileLook;
  readonly acts: TileActs;
}) {
  const { place, look, acts } = props;
  const state = placeState(place);
  // What only an icon, or nothing, tells to the eye.
  const spoken = [
    place.isWriteProtected ? t('tapeBoard.writeProtected') : null,
    place.cartridge === null ? null : t('tapeBoard.inPool', { pool: showHidden(place.cartridge.pool) }),
  ].filter((fact) => fact !== null);
  const classes = [
    'place',
    place.full ? 'place-full' : 'place-empty',
    look.isCarried ? 'place-carried' : '',
    look.isTarget === true ? 'place-target' : '',
    look.isTarget === false ? 'place-refused' : '',
    look.isMoving ? 'place-moving' : '',
  ];
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the board has the keyboard
    <div
      role="gridcell"
      className={classes.filter(Boolean).join(' ')}
      data-address={place.address}
      tabIndex={look.isTabStop ? 0 : -1}
      aria-selected={look.isSelected}
      draggable={look.canBeDragged}
      onClick={acts.onChoose}
      onDragStart={acts.onDragStart}
      onDragOver={acts.onDragOver}
      onDrop={acts.onDrop}
      onDragEnd={acts.onDragEnd}
    >
      <span className="place-head caption">
        <span className="grow">{placeName(place)}</span>
        {place.isWriteProtected && <Lock size={12} aria-hidden />}
        {place.isCleaning && <Brush size={12} aria-hidden />}
      </span>
      <span className={`place-barcode${place.full ? ' mono' : ''}`}>
        {place.full ? showHidden(place.barcode ?? t('tapeBoard.noBarcode')) : t('tapeBoard.empty')}
      </span>
      <span className="place-state">
        {state !== null && <StatusBadge meaning={state.meaning} word={state.word} />}
      </span>
      {spoken.length > 0 && <span className="visually-hidden">{spoken.join(', ')}</span>}
    </div>
  );
}
