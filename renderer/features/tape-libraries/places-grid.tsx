import type { DragEvent, KeyboardEvent, MouseEvent, SyntheticEvent } from 'react';
import { t } from '../../texts/index.ts';
import type { Place, PlaceKind } from './board-rules.ts';
import { PlaceTile } from './place-tile.tsx';

export const gridNames = {
  drive: 'tapeBoard.drives',
  mail: 'tapeBoard.mailSlots',
  storage: 'tapeBoard.slots',
} as const;

export interface PlacesGridProps {
  readonly kind: PlaceKind;
  readonly places: readonly Place[];
  readonly columns: number;
  readonly hintId: string;
  /** Address of the place that the Tab key reaches; without it the first one. */
  readonly stop: number | undefined;
  readonly selected: number | null;
  readonly carried: number | null;
  /** Between which addresses the robot moves. */
  readonly moving: readonly number[];
  readonly canMove: boolean;
  readonly isMailOpen: boolean;
  readonly onKey: (event: KeyboardEvent, place: Place) => void;
  readonly onChoose: (place: Place) => void;
  /** Answers whether the drag may begin. */
  readonly onDragStart: (place: Place) => boolean;
  readonly onDrop: (place: Place) => void;
  readonly onDragEnd: () => void;
}

/** All places of one kind, as lines of tiles. */
export function PlacesGrid(props: PlacesGridProps) {
  const { kind, places, columns, carried } = props;
  const stop = places.some(({ address }) => address === props.stop) ? props.stop : places[0]?.address;
  const lines = Array.from({ length: Math.ceil(places.length / columns) }, (_, line) =>
    places.slice(line * columns, (line + 1) * columns),
  );
  const placeOf = (event: SyntheticEvent): Place | undefined => {
    const tile = (event.target as HTMLElement).closest<HTMLElement>('[data-address]');
    return places.find(({ address }) => String(address) === tile?.dataset.address);
  };
  const withPlace =
    <E extends SyntheticEvent>(work: (event: E, place: Place) => void) =>
    (event: E) => {
      const place = placeOf(event);
      if (place !== undefined) work(event, place);
    };
  return (
    <section className="board-group">
      <h2>
        {t(gridNames[kind])}
        <span className="caption">
          {t('tapeBoard.fullOf', { full: places.filter(({ full }) => full).length, count: places.length })}
        </span>
        {kind === 'mail' && props.isMailOpen && (
          <span className="badge meaning-warning">{t('tapeBoard.doorOpen')}</span>
        )}
      </h2>
      {places.length === 0 ? (
        <p className="muted">{t('tapeBoard.noPlaces')}</p>
      ) : (
        <div
          role="grid"
          aria-label={t(gridNames[kind])}
          aria-describedby={props.hintId}
          className="board-grid"
          data-carrying={carried === null ? undefined : true}
          onKeyDown={withPlace(props.onKey)}
          onClick={withPlace((_: MouseEvent, place) => props.onChoose(place))}
          onDragStart={withPlace((event: DragEvent, place) => {
            event.dataTransfer.effectAllowed = 'move';
            event.dataTransfer.setData('text/plain', place.barcode ?? String(place.address));
            if (!props.onDragStart(place)) event.preventDefault();
          })}
          onDragOver={withPlace((event: DragEvent) => {
            if (carried === null) return;
            // Also over what is refused: the drop then tells the reason.
            event.preventDefault();
            event.dataTransfer.dropEffect = 'move';
          })}
          onDrop={withPlace((event: DragEvent, place) => {
            event.preventDefault();
            props.onDrop(place);
          })}
          onDragEnd={props.onDragEnd}
        >
          {lines.map((line) => (
            <div role="row" key={line[0]?.address} className="board-row" style={rowStyle(columns)}>
              {line.map((place) => (
                <PlaceTile
                  key={place.address}
                  place={place}
                  isTabStop={place.address === stop}
                  isSelected={place.address === props.selected}
                  isCarried={place.address === carried}
                  isMoving={props.moving.includes(place.address)}
                  canBeDragged={place.full && props.canMove}
                />
              ))}
            </div>
          ))}
        </div>
      )}
    </section>
  );
}

const rowStyle = (columns: number) => ({ gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` });
