import { CircleAlert } from 'lucide-react';
import { type DragEvent, type KeyboardEvent, useId, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { useRights } from '../../shell/rights.ts';
import { t } from '../../texts/index.ts';
import { Button, Progress, showHidden } from '../../ui/index.ts';
import { forgetMove, type LibraryBoard, moveCartridge, moveKey, moves } from './board-data.ts';
import {
  neighbourPlace,
  nextTarget,
  type Place,
  type PlaceKind,
  placeAt,
  placeKinds,
  type Step,
  whyNotDropped,
  whyNotPickedUp,
} from './board-rules.ts';
import { PlaceTile } from './place-tile.tsx';
import { cartridgeName, placeName, refusedWhy } from './place-words.ts';
import { useColumns } from './use-columns.ts';

const tilePx = 148;
const steps: Readonly<Record<string, Step>> = {
  ArrowRight: 'next',
  ArrowLeft: 'previous',
  ArrowDown: 'below',
  ArrowUp: 'above',
};
const gridNames = {
  drive: 'tapeBoard.drives',
  mail: 'tapeBoard.mailSlots',
  storage: 'tapeBoard.slots',
} as const;

/** What was said last; a refusal is marked as one. */
interface Said {
  readonly text: string;
  readonly isRefusal: boolean;
}

/** Drives, import/export and slots. A cartridge is moved by dragging it, or by the keyboard. */
export function SlotBoard(props: {
  readonly connectionId: string;
  readonly value: LibraryBoard;
  readonly selected: number | null;
  readonly onSelect: (address: number) => void;
  readonly onMoved: () => void;
}) {
  const { connectionId, value, selected } = props;
  const { board, library } = value;
  const move = useStore(moves, ({ running }) => running[moveKey(connectionId, library.id)]);
  const isMoving = move !== undefined && move.problem === null;
  const whyNotAllowed = useRights(connectionId)('tape_libraries.run');
  const [carried, setCarried] = useState<number | null>(null);
  const [stops, setStops] = useState<Partial<Record<PlaceKind, number>>>({});
  const [said, setSaid] = useState<Said | null>(null);
  const area = useRef<HTMLDivElement>(null);
  const hintId = useId();
  const columns = useColumns(area, tilePx);
  const from = placeAt(board, carried);

  const alerts = library.tape_drives.flatMap((drive) =>
    drive.alerts
      .filter(({ severity }) => severity !== 'information')
      .map(({ message }) =>
        t('tapeBoard.alertOf', { drive: showHidden(drive.serial), message: showHidden(message) }),
      ),
  );

  const say = (text: string) => setSaid({ text, isRefusal: false });
  const refuse = (text: string) => setSaid({ text, isRefusal: true });
  const focusOn = (place: Place) => {
    setStops((before) => ({ ...before, [place.kind]: place.address }));
    area.current?.querySelector<HTMLElement>(`[data-address="${place.address}"]`)?.focus();
  };
  /** Why this cartridge stays where it is, in words; null: it can be picked up. */
  const whyStays = (place: Place): string | null => {
    if (whyNotAllowed !== null) return whyNotAllowed;
    const refused = whyNotPickedUp(board, place, isMoving);
    return refused === null ? null : refusedWhy(refused, place);
  };
  const pickUp = (place: Place): boolean => {
    const refused = whyStays(place);
    if (refused !== null) {
      refuse(refused);
      return false;
    }
    setCarried(place.address);
    say(t('tapeBoard.pickedUp', { cartridge: cartridgeName(place), place: placeName(place) }));
    return true;
  };
  const putBack = () => {
    if (from === undefined) return;
    setCarried(null);
    say(t('tapeBoard.putBack', { cartridge: cartridgeName(from), place: placeName(from) }));
    focusOn(from);
  };
  const drop = async (source: Place, to: Place) => {
    const refused = whyNotDropped(source, to);
    if (refused !== null) return refuse(refusedWhy(refused, to));
    setCarried(null);
    const words = { cartridge: cartridgeName(source), place: placeName(to) };
    say(t('tapeBoard.moving', words));
    const wish = { from: source.address, to: to.address, barcode: source.barcode };
    const isDone = await moveCartridge(connectionId, library.id, wish);
    if (isDone) {
      say(t('tapeBoard.moved', words));
      props.onSelect(to.address);
    } else setSaid(null);
    props.onMoved();
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const address = Number((event.target as HTMLElement).dataset.address ?? Number.NaN);
    const here = placeAt(board, address);
    if (here === undefined) return;
    if (from !== undefined) {
      const step = steps[event.key];
      if (step !== undefined) {
        const to = nextTarget(board, { from, at: address, step, columns });
        if (to === undefined) refuse(t('tapeBoard.noTarget'));
        else focusOn(to);
      } else if (event.key === 'Escape') putBack();
      else if (isGrip(event.key)) void drop(from, here);
      else return;
      event.preventDefault();
      return;
    }
    if (isGrip(event.key)) {
      event.preventDefault();
      if (!pickUp(here)) return;
      props.onSelect(address);
      return;
    }
    const to = neighbourPlace(board[here.kind], address, event.key, columns);
    if (to === undefined) return;
    event.preventDefault();
    focusOn(to);
    props.onSelect(to.address);
  };

  const actsOf = (place: Place) => ({
    onChoose: () => {
      if (from !== undefined && place.address !== from.address) return void drop(from, place);
      focusOn(place);
      props.onSelect(place.address);
    },
    onDragStart: (event: DragEvent) => {
      event.dataTransfer.effectAllowed = 'move';
      event.dataTransfer.setData('text/plain', place.barcode ?? placeName(place));
      if (!pickUp(place)) event.preventDefault();
    },
    onDragOver: (event: DragEvent) => {
      if (from === undefined) return;
      // Also over what is refused: the drop then tells the reason.
      event.preventDefault();
      event.dataTransfer.dropEffect = 'move';
    },
    onDrop: (event: DragEvent) => {
      event.preventDefault();
      if (from !== undefined) void drop(from, place);
    },
    onDragEnd: () => setCarried(null),
  });

  const grid = (kind: PlaceKind) => {
    const places = board[kind];
    const stop = places.some(({ address }) => address === stops[kind]) ? stops[kind] : places[0]?.address;
    const lines = Array.from({ length: Math.ceil(places.length / columns) }, (_, line) =>
      places.slice(line * columns, (line + 1) * columns),
    );
    const full = places.filter((place) => place.full).length;
    return (
      <section key={kind} className="board-group">
        <h2>
          {t(gridNames[kind])}
          <span className="caption">{t('tapeBoard.fullOf', { full, count: places.length })}</span>
          {kind === 'mail' && board.isMailOpen && (
            <span className="badge meaning-warning">{t('tapeBoard.doorOpen')}</span>
          )}
        </h2>
        {places.length === 0 ? (
          <p className="muted">{t('tapeBoard.noPlaces')}</p>
        ) : (
          <div
            role="grid"
            aria-label={t(gridNames[kind])}
            aria-describedby={hintId}
            className="board-grid"
            onKeyDown={onKeyDown}
          >
            {lines.map((line) => (
              <div role="row" key={line[0]?.address} className="board-row" style={rowStyle(columns)}>
                {line.map((place) => (
                  <PlaceTile
                    key={place.address}
                    place={place}
                    acts={actsOf(place)}
                    look={{
                      isTabStop: place.address === stop,
                      isSelected: place.address === selected,
                      isCarried: place.address === carried,
                      isTarget: from === undefined ? null : whyNotDropped(from, place) === null,
                      isMoving: isMoving && (place.address === move.from || place.address === move.to),
                      canBeDragged: place.full && whyStays(place) === null,
                    }}
                  />
                ))}
              </div>
            ))}
          </div>
        )}
      </section>
    );
  };

  return (
    <div className="board">
      {move?.problem != null && (
        <div className="banner banner-error" role="alert">
          <CircleAlert size={16} aria-hidden />
          <span className="grow selectable">
            {t('tapeBoard.notMoved', { cartridge: cartridgeName(move), reason: showHidden(move.problem) })}
          </span>
          <Button kind="quiet" onClick={() => forgetMove(connectionId, library.id)}>
            {t('tapeBoard.dismiss')}
          </Button>
        </div>
      )}
      {alerts.length > 0 && (
        <ul className="banner banner-warning board-alerts" aria-label={t('tapeBoard.alerts')}>
          {alerts.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
      {board.hand !== null && !isMoving && (
        <p className="banner banner-warning" role="alert">
          {t('tapeBoard.inHand', { cartridge: cartridgeName(board.hand) })}
        </p>
      )}
      <div className="board-said">
        {isMoving && <Progress label={t('tapeBoard.moveProgress')} percent={null} />}
        <span role="status" className={said?.isRefusal ? 'meaning-error' : 'muted'}>
          {said?.text ?? t('tapeBoard.hint')}
        </span>
        <span id={hintId} className="visually-hidden">
          {t('tapeBoard.hint')}
        </span>
      </div>
      <div ref={area} className="board-groups">
        {placeKinds.map(grid)}
      </div>
    </div>
  );
}

const isGrip = (key: string): boolean => key === 'Enter' || key === ' ' || key.toLowerCase() === 'm';
const rowStyle = (columns: number) => ({ gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` });
