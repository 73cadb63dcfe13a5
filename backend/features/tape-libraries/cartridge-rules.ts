import { isAway } from '../../../contract/cartridges/cartridge.ts';
import type { CopyFacts, LabelFound } from '../../engine/index.ts';
import type { FoundFacts } from './tape-copy-store.ts';
import type { Cartridge } from './tape-store.ts';

/** How a cartridge can take the next part of a copy. */
export type Use = 'append' | 'label' | 'recycle';

/** Barcodes in one message. */
const mostNamed = 10;

export interface Candidate {
  readonly cartridge: Cartridge;
  readonly use: Use;
}

/** Inside its library, so that the robot reaches it. */
export const isInside = (cartridge: Pick<Cartridge, 'location'>): boolean => !isAway(cartridge);

/**
 * Cartridges that may take data, best first: those that are written already, then empty ones, then new ones, then those whose
 * copies are all gone; at the end of all, those which a person has to see to first. Only what the robot reaches is ever taken (a cartridge elsewhere is not written anew on paper), never a
 * cleaning cartridge, never one whose contents are not known. Pure.
 */
export function candidates(cartridges: readonly Cartridge[]): readonly Candidate[] {
  const inside = cartridges.filter(isInside);
  const isGone = ({ copies, openParts }: Cartridge): boolean => copies === 0 && openParts === 0;
  const begun = inside.filter((one) => one.state === 'labelled' && one.written > 0 && !isGone(one));
  const empty = inside.filter((one) => one.state === 'labelled' && one.written === 0);
  const fresh = inside.filter((one) => one.state === 'unlabelled');
  const old = inside.filter(
    (one) => (one.state === 'full' || one.state === 'labelled') && one.written > 0 && isGone(one),
  );
  const as = (use: Use) => (cartridge: Cartridge) => ({ cartridge, use });
  const all = [
    ...begun.map(as('append')),
    ...empty.map(as('append')),
    ...fresh.map(as('label')),
    ...old.map(as('recycle')),
  ];
  return [...all.filter((one) => !isDoubtful(one)), ...all.filter(isDoubtful)];
}

/** A person has to see to it first. Pure. */
export const isDoubtful = ({ cartridge }: Candidate): boolean =>
  cartridge.isWriteProtected === true || cartridge.moveFailure !== null;

/** Cartridges of one copy from which on a person is told: each of them can be the one that is lost. */
export const longSet = 10;

/**
 * What a person should know before so many bytes are written: that they make a long set, or need more cartridges than are there. Goes by
 * what full cartridges of the pool have taken; null while none has told, or when there is nothing to say. `usable` are those that may take
 * data, as `candidates` has them. Pure.
 */
export function whatSetTakes(
  bytes: number,
  cartridges: readonly Cartridge[],
  usable: readonly Candidate[] = candidates(cartridges),
): string | null {
  const known = cartridges
    .flatMap(({ capacity }) => (capacity === null ? [] : [capacity]))
    .sort((a, b) => a - b);
  const usual = known[Math.floor(known.length / 2)] ?? 0;
  if (usual <= 0) return null;
  const rooms = usable.map(({ cartridge, use }) =>
    use === 'append' ? Math.max(0, usual - cartridge.written) : usual,
  );
  let left = bytes;
  let here = 0;
  while (left > 0 && here < rooms.length) {
    left -= rooms[here] ?? 0;
    here += 1;
  }
  const missing = left > 0 ? Math.ceil(left / usual) : 0;
  const about = here + missing;
  const isLong = about >= longSet;
  if (!isLong && missing === 0) return null;
  const long = isLong
    ? ' Each restore needs all of them, in order, and one that is lost ends the copy there: larger cartridges, or several resources in place of one, make shorter sets.'
    : '';
  const short = missing > 0 ? ` The library has room on ${here}: have ${missing} more at hand.` : '';
  return `This copy will take about ${about} cartridges, going by those that are full.${short}${long}`;
}

/** Where a cartridge is, for a person at the library. Pure. */
export function whereIs({
  location,
  elementAddress,
}: Pick<Cartridge, 'location' | 'elementAddress'>): string {
  if (location === 'outside') return 'outside the library';
  if (elementAddress === null) return 'nobody knows where';
  const names: Readonly<Record<string, string>> = {
    storage: 'a storage slot',
    mail: 'a mail slot',
    drive: 'a drive',
    robot: 'the robot arm',
  };
  return `${names[location] ?? location}, element ${elementAddress}`;
}

/** What was in the way of a cartridge that would have taken data, and what a person can do about it. */
export interface Hindrance {
  readonly barcode: string;
  readonly why: 'protected' | 'unmoved';
  readonly where: string;
}

/** Pure; empty when nothing was in the way. */
export function whatToMend(hindrances: readonly Hindrance[]): string {
  const of = (why: Hindrance['why']): string =>
    hindrances
      .filter((one) => one.why === why)
      .slice(0, mostNamed)
      .map(({ barcode, where }) => `${barcode} (${where})`)
      .join(', ');
  const locked = of('protected');
  const unmoved = of('unmoved');
  return [
    ...(locked === '' ? [] : [`Write-protected: ${locked}; unlock them at their write-protect tabs.`]),
    ...(unmoved === ''
      ? []
      : [`The robot could not bring: ${unmoved}; look at the robot and at these places, then synchronise.`]),
  ].join(' ');
}

/** What a person can do when no cartridge takes the rest; `mediaSet`: where only those of a named set may. Pure. */
export function whatToBring(
  pool: string,
  cartridges: readonly Cartridge[],
  mediaSet: string | null = null,
): string {
  const outside = cartridges.filter(
    (one) => !isInside(one) && (one.state === 'labelled' || one.state === 'unlabelled') && one.copies === 0,
  );
  const known = outside.map(({ barcode }) => barcode).slice(0, mostNamed);
  const bring =
    known.length === 0
      ? 'put new cartridges into the library and register them'
      : `put ${known.join(' or ')} back into the library and synchronise it, or register new cartridges`;
  const of = mediaSet === null ? '' : ` of the media set ${mediaSet}`;
  return `No cartridge${of} in the library of pool ${pool} has room; ${bring}.`;
}

/** Why a cartridge cannot be labelled at all, with the field; null = it can, if the tape allows it. Pure. */
export function whyNotLabelled(
  cartridge: Cartridge,
): { readonly field: string; readonly reason: string } | null {
  const { barcode, copies, state } = cartridge;
  if (state === 'cleaning') {
    return { field: 'label', reason: `cannot be: ${barcode} is a cleaning cartridge, which holds no data` };
  }
  if (copies > 0) {
    return { field: 'label', reason: `cannot be: ${barcode} holds ${copies} copies; delete them first` };
  }
  if (!isInside(cartridge)) {
    const where = cartridge.location === 'unknown' ? 'at a place that is not known' : 'outside';
    return {
      field: 'label',
      reason: `cannot be: ${barcode} is ${where}; put it into the library and synchronise it`,
    };
  }
  return null;
}

/** Pure; a tape comes from anywhere, so that what is missing or wrong gets a value that says nothing. */
export function foundFacts(facts: CopyFacts): FoundFacts {
  const text = (key: string): string => (typeof facts[key] === 'string' ? facts[key] : '');
  const count = (key: string): number | null => {
    const value = facts[key];
    return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
  };
  return {
    resourceType: text('resource_type'),
    resource: text('resource'),
    clientText: text('client_text'),
    clientHwid: text('client_hwid'),
    crypto: text('crypto') || 'nocrypt',
    size: count('size') ?? 0,
    storedBytes: count('real_size') ?? 0,
    createdMs: count('created_ms') ?? 0,
    isFileListAvailable: count('file_list_available') === 1,
    description: typeof facts.description === 'string' ? facts.description : null,
    skippedItems: count('skipped_items'),
    filesCount: count('files_count'),
  };
}

/** Nothing is on the tape. A label that was only about to be written is missed by nobody. Pure. */
export function stateOfBlank({
  labelUuid,
  nextLabelUuid,
  state,
}: Pick<Cartridge, 'labelUuid' | 'nextLabelUuid' | 'state'>): 'unlabelled' | 'suspect' {
  return labelUuid === null || nextLabelUuid !== null || state === 'unlabelled' ? 'unlabelled' : 'suspect';
}

/**
 * Whose label a tape has: `known` is the one it was given, `begun` one that was being written when a process ended. Pure.
 */
export function whoseLabel(
  { labelUuid, nextLabelUuid, barcode }: Pick<Cartridge, 'labelUuid' | 'nextLabelUuid' | 'barcode'>,
  found: LabelFound,
): 'known' | 'begun' | 'other' {
  if (found.kind !== 'ours' || found.label.barcode !== barcode) return 'other';
  if (found.label.uuid === nextLabelUuid) return 'begun';
  return found.label.uuid === labelUuid ? 'known' : 'other';
}

/** Whether the tape in the drive may be written as it was chosen for. Pure. */
export function mayWrite({ cartridge, use }: Candidate, found: LabelFound): boolean {
  const whose = whoseLabel(cartridge, found);
  if (whose === 'known') return true;
  if (use === 'append') return false;
  if (whose === 'begun') return true;
  // A tape that was about to be labelled anew may have lost what it held, and have nothing yet.
  return found.kind === 'blank' && (use === 'label' || cartridge.nextLabelUuid !== null);
}
