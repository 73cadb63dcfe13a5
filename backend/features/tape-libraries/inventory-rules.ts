import type { LibrarySlot } from '../../../contract/tape-libraries/tape-library.ts';
import { type ElementKind, elementKinds, type LibraryElement } from '../../engine/index.ts';

/** The most characters of a barcode that the field of a device holds. */
const longestBarcode = 32;

export type Barcode =
  | { readonly kind: 'none' }
  | { readonly kind: 'unreadable' }
  | { readonly kind: 'readable'; readonly text: string };

/** What can stand for a cartridge: printable ASCII. Anything else is noise of the reader, or an attempt at something. */
export function readBarcode(element: LibraryElement): Barcode {
  if (!element.full) return { kind: 'none' };
  const text = element.barcode?.trim() ?? '';
  const isReadable = text.length > 0 && text.length <= longestBarcode && /^[ -~]+$/.test(text);
  return isReadable ? { kind: 'readable', text } : { kind: 'unreadable' };
}

/** For people and in records: null when there is none or it cannot be read. */
export function barcodeText(element: LibraryElement): string | null {
  const barcode = readBarcode(element);
  return barcode.kind === 'readable' ? barcode.text : null;
}

/** Readers differ in case, cartridges do not. */
export const barcodeKey = (barcode: string): string => barcode.toUpperCase();

/** A cleaning cartridge holds no data and must never be written. */
export const isCleaning = (barcode: string): boolean => /^CLN/i.test(barcode);

export interface PlacedElement {
  readonly element: LibraryElement;
  /** Counts the places of one kind from 1: addresses begin anywhere and have gaps. */
  readonly number: number;
}

/** By kind, and within a kind by address, with a number for people. */
export function placeElements(elements: readonly LibraryElement[]): readonly PlacedElement[] {
  return elementKinds.flatMap((kind) =>
    elements
      .filter((element) => element.kind === kind)
      .sort((left, right) => left.address - right.address)
      .map((element, index) => ({ element, number: index + 1 })),
  );
}

/** The places that people know; the hand of the robot is none. */
export function slotsOf(elements: readonly LibraryElement[]): LibrarySlot[] {
  return placeElements(elements).flatMap(({ element, number }) => {
    const { kind, full } = element;
    return kind === 'robot' ? [] : [{ number, type: kind, barcode: barcodeText(element), full }];
  });
}

const placeNames: { readonly [K in ElementKind]: string } = {
  storage: 'storage slot',
  mail: 'mail slot',
  drive: 'drive',
  robot: 'robot arm',
};

export function placeName({ element, number }: PlacedElement): string {
  return element.kind === 'robot' ? 'the robot arm' : `${placeNames[element.kind]} ${number}`;
}

/** The places of cartridges whose barcode cannot be read. */
export function unreadableIn(elements: readonly LibraryElement[]): readonly string[] {
  return placeElements(elements)
    .filter(({ element }) => readBarcode(element).kind === 'unreadable')
    .map(placeName);
}

/** A cartridge that an inventory shows. */
export interface FoundCartridge {
  readonly barcode: string;
  readonly kind: ElementKind;
  readonly address: number;
}

export type Cartridges =
  | { readonly ok: true; readonly found: readonly FoundCartridge[]; readonly unreadable: readonly string[] }
  | { readonly ok: false; readonly barcode: string; readonly places: readonly string[] };

/**
 * All cartridges with a readable barcode. Two with the same one cannot be told apart, so that nothing may rely on
 * either of them: `ok` is false and names both places.
 */
export function cartridgesIn(elements: readonly LibraryElement[]): Cartridges {
  const byKey = new Map<string, { readonly found: FoundCartridge; readonly places: string[] }>();
  for (const placed of placeElements(elements)) {
    const barcode = readBarcode(placed.element);
    if (barcode.kind !== 'readable') continue;
    const known = byKey.get(barcodeKey(barcode.text));
    if (known) known.places.push(placeName(placed));
    else {
      const { kind, address } = placed.element;
      const found = { barcode: barcode.text, kind, address };
      byKey.set(barcodeKey(barcode.text), { found, places: [placeName(placed)] });
    }
  }
  const twice = [...byKey.values()].find(({ places }) => places.length > 1);
  if (twice) return { ok: false, barcode: twice.found.barcode, places: twice.places };
  return {
    ok: true,
    found: [...byKey.values()].map(({ found }) => found),
    unreadable: unreadableIn(elements),
  };
}

/** Cartridges with a readable barcode that nobody has registered, and where they are. */
export function unregisteredIn(
  elements: readonly LibraryElement[],
  registered: readonly string[],
): readonly { readonly barcode: string; readonly place: string }[] {
  const known = new Set(registered.map(barcodeKey));
  return placeElements(elements).flatMap((placed) => {
    const barcode = readBarcode(placed.element);
    if (barcode.kind !== 'readable' || known.has(barcodeKey(barcode.text))) return [];
    return [{ barcode: barcode.text, place: placeName(placed) }];
  });
}
