import type { Cartridge } from '../../../contract/cartridges/cartridge.ts';
import { t, textsOf, wordFor } from '../../texts/index.ts';
import type { Meaning } from '../../ui/index.ts';
import { showHidden } from '../../ui/index.ts';
import type { Place, PlaceKind, Refused } from './board-rules.ts';

// Taken once: thousands of places ask for their words.
const words = textsOf('tapeBoard');
const placeNames = { drive: 'tapeBoard.drive', mail: 'tapeBoard.mail', storage: 'tapeBoard.slot' } as const;

export const placeName = ({ kind, number }: { readonly kind: PlaceKind; readonly number: number }): string =>
  t(placeNames[kind], { number });

/** A place as the API names its type; the hand of the robot, and what is outside, have no number. */
export function locationName(location: string): string {
  return showHidden(wordFor(words.locations, location));
}

const meanings: Readonly<Record<string, Meaning>> = {
  labelled: 'ok',
  full: 'ok',
  unlabelled: 'idle',
  suspect: 'error',
  foreign: 'warning',
  cleaning: 'idle',
};

export const stateMeaning = (state: string): Meaning => meanings[state] ?? 'idle';
export const stateWord = (state: string): string => showHidden(wordFor(words.states, state));

/** Barcodes of the cartridges that copies go on over; a server that does not know them tells null. */
export function mediaSetOf({ media_set: set }: Cartridge): readonly string[] {
  return (set as readonly string[] | null) ?? [];
}

/** A cleaning cartridge that cleans no more says so. */
export function cartridgeState(cartridge: Cartridge): { readonly meaning: Meaning; readonly word: string } {
  if (cartridge.used_up) return { meaning: 'warning', word: t('tapeBoard.usedUp') };
  return { meaning: stateMeaning(cartridge.state), word: stateWord(cartridge.state) };
}

/** State of what lies in a place, as icon and word; null: it is empty. */
export function placeState(place: Place): { readonly meaning: Meaning; readonly word: string } | null {
  if (place.needsPerson) return { meaning: 'error', word: t('tapeBoard.needsPerson') };
  if (!place.full) return null;
  if (place.cartridge !== null) return cartridgeState(place.cartridge);
  return {
    meaning: 'warning',
    word: place.barcode === null ? t('tapeBoard.unreadable') : t('tapeBoard.unregistered'),
  };
}

export const refusedWhy = (refused: Refused, place: Place): string =>
  t(`tapeBoard.refused.${refused}`, { place: placeName(place) });

export const cartridgeName = (place: { readonly barcode: string | null }): string =>
  place.barcode === null ? t('tapeBoard.someCartridge') : showHidden(place.barcode);
