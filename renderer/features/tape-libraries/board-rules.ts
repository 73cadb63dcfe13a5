import type { Cartridge, LibraryElementRecord } from '../../../contract/cartridges/cartridge.ts';
import type { VirtualLibrary } from '../../../contract/virtual-libraries/virtual-library.ts';

export const placeKinds = ['drive', 'mail', 'storage'] as const;
export type PlaceKind = (typeof placeKinds)[number];

/** One place for a cartridge, with what is known of the cartridge in it. */
export interface Place {
  readonly address: number;
  /** Counts the places of its kind from 1. */
  readonly number: number;
  readonly kind: PlaceKind;
  readonly full: boolean;
  /** Null: empty, or the barcode cannot be read. */
  readonly barcode: string | null;
  /** The device asks for a person to look. */
  readonly needsPerson: boolean;
  /** The registered cartridge; null: none, or it is not registered. */
  readonly cartridge: Cartridge | null;
  readonly isCleaning: boolean;
  readonly isWriteProtected: boolean;
  /** Why it needs a person, in the device's words; null when it does not, or does not tell. */
  readonly reason: string | null;
}

export interface Board {
  readonly drive: readonly Place[];
  readonly mail: readonly Place[];
  readonly storage: readonly Place[];
  /** What hangs in the hand of the robot; null where nothing does. */
  readonly hand: { readonly barcode: string | null } | null;
  /** The door of import/export is open: the robot does not get at its places. */
  readonly isMailOpen: boolean;
}

/** The places that the robot has told, by kind, with their cartridges. Pure. */
export function boardOf(
  elements: readonly LibraryElementRecord[],
  cartridges: readonly Cartridge[],
  simulated: VirtualLibrary | null,
): Board {
  const protectedOnes = new Set(
    (simulated?.faults.cartridges ?? []).filter((one) => one.write_protected).map((one) => one.barcode),
  );
  const places = elements.flatMap((element): Place[] => {
    const kind = placeKinds.find((one) => one === element.type);
    if (kind === undefined) return [];
    const { address, number, full, barcode } = element;
    const cartridge = cartridges.find(({ id }) => id === element.cartridge) ?? null;
    return [
      {
        address,
        number,
        kind,
        full,
        barcode,
        needsPerson: element.needs_person,
        cartridge,
        isCleaning: cartridge?.state === 'cleaning' || (barcode !== null && /^CLN/i.test(barcode)),
        // A drive tells of it only once it has loaded the cartridge; a simulated library at once.
        isWriteProtected:
          (barcode !== null && protectedOnes.has(barcode)) || cartridge?.write_protected === true,
        reason: element.reason ?? null,
      },
    ];
  });
  const of = (kind: PlaceKind) =>
    places.filter((place) => place.kind === kind).sort((one, other) => one.address - other.address);
  const hand = elements.find(({ type, full }) => type === 'robot' && full);
  return {
    drive: of('drive'),
    mail: of('mail'),
    storage: of('storage'),
    hand: hand === undefined ? null : { barcode: hand.barcode },
    isMailOpen:
      (simulated?.faults.door_open ?? false) ||
      elements.some(({ type, reachable }) => type === 'mail' && reachable === false),
  };
}

export const placesOf = (board: Board): readonly Place[] => placeKinds.flatMap((kind) => board[kind]);

export const placeAt = (board: Board, address: number | null): Place | undefined =>
  address === null ? undefined : placesOf(board).find((place) => place.address === address);

/** Cartridges in the library that nobody has registered; without a readable barcode they cannot be. */
export const unregisteredOn = (board: Board): readonly Place[] =>
  placesOf(board).filter((place) => place.full && place.barcode !== null && place.cartridge === null);

export type Refused = 'empty' | 'full' | 'same' | 'needsPerson' | 'doorOpen' | 'moving';

/** Why the cartridge of a place cannot be picked up; null: it can. Pure. */
export function whyNotPickedUp(board: Board, place: Place, isMoving: boolean): Refused | null {
  if (isMoving) return 'moving';
  if (!place.full) return 'empty';
  return board.isMailOpen ? 'doorOpen' : null;
}

/** Why a place cannot take the cartridge that is carried; null: it can. Pure. */
export function whyNotDropped(from: Place, to: Place): Refused | null {
  if (from.address === to.address) return 'same';
  if (to.needsPerson) return 'needsPerson';
  return to.full ? 'full' : null;
}

export type Step = 'next' | 'previous' | 'below' | 'above';

/**
 * Where the choice of a target goes from `at`: next and previous run through all free places of the board, below and
 * above stay in the column where there is one, else they go to the next kind of place. Pure.
 */
export function nextTarget(
  board: Board,
  move: { readonly from: Place; readonly at: number; readonly step: Step; readonly columns: number },
): Place | undefined {
  const { from, step, columns } = move;
  const all = placesOf(board);
  const isFree = (place: Place) => whyNotDropped(from, place) === null;
  const index = all.findIndex(({ address }) => address === move.at);
  const here = all[index];
  if (here === undefined) return all.find(isFree);
  const after = all.slice(index + 1);
  const before = all.slice(0, Math.max(0, index)).reverse();
  if (step === 'next') return after.find(isFree) ?? all.find(isFree);
  if (step === 'previous') return before.find(isFree) ?? [...all].reverse().find(isFree);
  const line = board[here.kind];
  const column = line.indexOf(here) % columns;
  const candidates = step === 'below' ? after : before;
  const inColumn = candidates.find(
    (place) => place.kind === here.kind && line.indexOf(place) % columns === column && isFree(place),
  );
  return inColumn ?? candidates.find((place) => place.kind !== here.kind && isFree(place));
}

/** Where arrows go while nothing is carried: within the places of one kind. Pure. */
export function neighbourPlace(
  places: readonly Place[],
  at: number,
  key: string,
  columns: number,
): Place | undefined {
  const index = Math.max(
    0,
    places.findIndex(({ address }) => address === at),
  );
  const steps: Readonly<Record<string, number>> = {
    ArrowRight: 1,
    ArrowLeft: -1,
    ArrowDown: columns,
    ArrowUp: -columns,
  };
  if (key === 'Home') return places[0];
  if (key === 'End') return places.at(-1);
  const step = steps[key];
  return step === undefined ? undefined : (places[index + step] ?? places[index]);
}
