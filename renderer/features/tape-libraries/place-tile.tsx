import { Brush, Lock } from 'lucide-react';
import { memo } from 'react';
import { t } from '../../texts/index.ts';
import { StatusBadge, showHidden } from '../../ui/index.ts';
import type { Place } from './board-rules.ts';
import { placeName, placeState } from './place-words.ts';

export interface TileProps {
  readonly place: Place;
  readonly isTabStop: boolean;
  readonly isSelected: boolean;
  /** Its cartridge is carried. */
  readonly isCarried: boolean;
  /** The robot is bringing a cartridge from or to here. */
  readonly isMoving: boolean;
  readonly canBeDragged: boolean;
}

/** One place of the board: a cell that can hold a cartridge. The board has its events, since there may be thousands. */
export const PlaceTile = memo(function PlaceTile(props: TileProps) {
  const { place } = props;
  const state = placeState(place);
  // What only an icon, or nothing, tells to the eye.
  const spoken = [
    place.isWriteProtected ? t('tapeBoard.writeProtected') : null,
    place.cartridge === null ? null : t('tapeBoard.inPool', { pool: showHidden(place.cartridge.pool) }),
  ].filter((fact) => fact !== null);
  const classes = [
    'place',
    place.full ? 'place-full' : 'place-empty',
    place.full || place.needsPerson ? '' : 'place-free',
    props.isCarried ? 'place-carried' : '',
    props.isMoving ? 'place-moving' : '',
  ];
  return (
    <div
      role="gridcell"
      className={classes.filter(Boolean).join(' ')}
      data-address={place.address}
      tabIndex={props.isTabStop ? 0 : -1}
      aria-selected={props.isSelected}
      draggable={props.canBeDragged}
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
}, isDrawnAlike);

/** Each look at the robot makes new objects; most of them say the same. */
function isDrawnAlike(before: TileProps, now: TileProps): boolean {
  const { place: was, ...flagsBefore } = before;
  const { place: is, ...flags } = now;
  return (
    isSame(flagsBefore, flags) &&
    isSame({ ...was, cartridge: null }, { ...is, cartridge: null }) &&
    was.cartridge?.state === is.cartridge?.state &&
    was.cartridge?.pool === is.cartridge?.pool &&
    was.cartridge?.used_up === is.cartridge?.used_up
  );
}

function isSame<T extends object>(one: T, other: T): boolean {
  return (Object.keys(one) as (keyof T)[]).every((name) => one[name] === other[name]);
}
