import {
  isAway,
  type LibraryElementRecord,
  type WantedCartridge,
} from '../../../contract/cartridges/cartridge.ts';

/** What a person has to do for one wanted cartridge. */
export type PickTodo = 'nothing' | 'inDrive' | 'bring' | 'bringByHand';

export interface PickLine {
  /** In the order in which the restore reads them, from 1. */
  readonly order: number;
  readonly barcode: string;
  readonly bytes: number;
  /** Where it is now: kind and number of the place; null outside. */
  readonly place: { readonly type: string; readonly number: number } | null;
  readonly isThere: boolean;
  /** Not seen, and the server does not know whether it is outside. */
  readonly isPlaceUnknown: boolean;
  readonly todo: PickTodo;
}

export interface PickPlan {
  readonly lines: readonly PickLine[];
  readonly missing: readonly string[];
  /** How many can be put in at a time: free places of import/export, or free slots where there is none. */
  readonly room: number;
  /** How often a person has to go there; null: there is no room. */
  readonly rounds: number | null;
  readonly isByHand: boolean;
}

const key = (barcode: string): string => barcode.toUpperCase();

/**
 * Which of the wanted cartridges have to be brought, and in how few rounds. What is in the library stays where it is: the
 * robot takes it from a slot and from import/export alike. `elements` null: what is in the library cannot be read now, and
 * the last inventory counts. Pure.
 */
export function pickPlan(
  wanted: readonly WantedCartridge[],
  elements: readonly LibraryElementRecord[] | null,
): PickPlan {
  const free = (type: string) =>
    (elements ?? []).filter((one) => one.type === type && !one.full && !one.needs_person).length;
  const isByHand = elements !== null && !elements.some(({ type }) => type === 'mail');
  const freeSlots = free('storage');
  const room = isByHand ? freeSlots : free('mail');
  const lines = wanted.map(({ cartridge, bytes }, index): PickLine => {
    const at = elements?.find(
      ({ full, barcode }) => full && barcode !== null && key(barcode) === key(cartridge.barcode),
    );
    const isThere = elements === null ? !isAway(cartridge) : at !== undefined;
    const isInDrive = (at?.type ?? cartridge.location) === 'drive';
    return {
      order: index + 1,
      barcode: cartridge.barcode,
      bytes,
      place: at === undefined ? null : { type: at.type, number: at.number },
      isThere,
      isPlaceUnknown: !isThere && cartridge.location === 'unknown',
      todo: todoOf(isThere, isInDrive, isByHand),
    };
  });
  const missing = lines.filter(({ isThere }) => !isThere).map(({ barcode }) => barcode);
  return { lines, missing, room, rounds: roundsFor(missing.length, room, elements === null), isByHand };
}

function todoOf(isThere: boolean, isInDrive: boolean, isByHand: boolean): PickTodo {
  if (isThere) return isInDrive ? 'inDrive' : 'nothing';
  return isByHand ? 'bringByHand' : 'bring';
}

/** After each round the robot can bring what lies in import/export to slots, so its places are free again. */
function roundsFor(missing: number, room: number, isUnknown: boolean): number | null {
  if (missing === 0) return 0;
  if (room > 0) return Math.ceil(missing / room);
  return isUnknown ? missing : null;
}
