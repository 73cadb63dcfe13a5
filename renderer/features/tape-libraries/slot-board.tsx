import { CircleAlert } from 'lucide-react';
import { type KeyboardEvent, useId, useRef, useState } from 'react';
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
import { cartridgeName, placeName, refusedWhy } from './place-words.ts';
import { PlacesGrid } from './places-grid.tsx';
import { useColumns } from './use-columns.ts';

const tilePx = 148;
const steps: Readonly<Record<string, Step>> = {
  ArrowRight: 'next',
  ArrowLeft: 'previous',
  ArrowDown: 'below',
  ArrowUp: 'above',
};

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

  const onChoose = (place: Place) => {
    if (from !== undefined && place.address !== from.address) return void drop(from, place);
    focusOn(place);
    props.onSelect(place.address);
  };
  /** What was dropped nowhere stays; why it was refused stands. */
  const onDragEnd = () => {
    if (from === undefined) return;
    setCarried(null);
    const stays = t('tapeBoard.putBack', { cartridge: cartridgeName(from), place: placeName(from) });
    setSaid((before) => (before?.isRefusal ? before : { text: stays, isRefusal: false }));
  };
  const onKey = (event: KeyboardEvent, here: Place) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { address } = here;
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

  return (
    <div className="board">
      {move?.problem != null && (
        <div className="banner banner-error" role="alert">
          <CircleAlert size={16} aria-hidden />
          <span className="board-reason selectable">
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
        {said?.isRefusal === true && (
          <span role="alert" className="meaning-error">
            {said.text}
          </span>
        )}
        {/* Always there: what is put into an element that a screen reader knows is told. */}
        <span role="status" className="muted">
          {said?.isRefusal !== true && (said?.text ?? t('tapeBoard.hint'))}
        </span>
        <span id={hintId} className="visually-hidden">
          {t('tapeBoard.hint')}
        </span>
      </div>
      <div ref={area} className="board-groups">
        {placeKinds.map((kind) => (
          <PlacesGrid
            key={kind}
            kind={kind}
            places={board[kind]}
            columns={columns}
            hintId={hintId}
            stop={stops[kind]}
            selected={selected}
            carried={carried}
            moving={isMoving ? [move.from, move.to] : []}
            canMove={whyNotAllowed === null && !isMoving && !board.isMailOpen}
            isMailOpen={board.isMailOpen}
            onKey={onKey}
            onChoose={onChoose}
            onDragStart={pickUp}
            onDrop={(place) => from !== undefined && void drop(from, place)}
            onDragEnd={onDragEnd}
          />
        ))}
      </div>
    </div>
  );
}

const isGrip = (key: string): boolean => key === 'Enter' || key === ' ' || key.toLowerCase() === 'm';
