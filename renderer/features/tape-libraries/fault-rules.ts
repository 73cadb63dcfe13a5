import type {
  VirtualFaults,
  VirtualFaultsDraft,
} from '../../../contract/virtual-libraries/virtual-library.ts';

export const faultIds = [
  'doorOpen',
  'robotStuck',
  'robotJams',
  'unreadableBarcode',
  'driveReserved',
  'becomingReady',
  'mediumChanged',
  'driveReset',
  'alert',
  'writeProtected',
  'earlyWarning',
  'endAt',
  'readError',
  'writeError',
  'pulled',
  'usedUp',
] as const;
export type FaultId = (typeof faultIds)[number];

/** What a fault is of, and what its number counts; `value` null: it is there or not. */
export interface FaultKind {
  readonly on: 'library' | 'drive' | 'cartridge';
  readonly value: 'times' | 'flag' | 'bytes' | 'block' | null;
  /** What a person would begin with. */
  readonly usual: number;
  /** What shows it: a synchronisation, reading a cartridge, or only a task that writes. */
  readonly trial: 'sync' | 'read' | 'write';
}

const kind = (
  on: FaultKind['on'],
  trial: FaultKind['trial'],
  value: FaultKind['value'] = null,
  usual = 0,
): FaultKind => ({ on, trial, value, usual });

export const faultKinds: { readonly [Id in FaultId]: FaultKind } = {
  doorOpen: kind('library', 'sync'),
  robotStuck: kind('library', 'read'),
  robotJams: kind('library', 'read'),
  unreadableBarcode: kind('cartridge', 'sync'),
  driveReserved: kind('drive', 'read'),
  becomingReady: kind('drive', 'read', 'times', 3),
  mediumChanged: kind('drive', 'read'),
  driveReset: kind('drive', 'read'),
  alert: kind('drive', 'read', 'flag', 20),
  writeProtected: kind('cartridge', 'write'),
  earlyWarning: kind('cartridge', 'write', 'bytes', 8_388_608),
  endAt: kind('cartridge', 'write', 'bytes', 16_777_216),
  readError: kind('cartridge', 'read', 'block', 0),
  writeError: kind('cartridge', 'write', 'block', 2),
  pulled: kind('cartridge', 'read', 'block', 2),
  usedUp: kind('cartridge', 'write'),
};

/** A fault that is armed: of the library, of a drive by its number, or of a cartridge by its barcode. */
export interface Armed {
  readonly id: FaultId;
  readonly target: string;
  readonly value: number | null;
}

/** All faults that are armed, in the order of `faultIds`. Pure. */
export function armedIn(faults: VirtualFaults): readonly Armed[] {
  const found: Armed[] = [];
  const add = (id: FaultId, target: string, value: number | null = null) => found.push({ id, target, value });
  if (faults.door_open) add('doorOpen', '');
  if (faults.robot === 'stuck') add('robotStuck', '');
  if (faults.robot === 'jams') add('robotJams', '');
  for (const barcode of faults.unreadable_barcodes) add('unreadableBarcode', barcode);
  for (const one of faults.drives) {
    const target = String(one.drive);
    if (one.reserved) add('driveReserved', target);
    if (one.becoming_ready > 0) add('becomingReady', target, one.becoming_ready);
    if (one.attention === 'medium_changed') add('mediumChanged', target);
    if (one.attention === 'reset') add('driveReset', target);
    for (const flag of one.alerts) add('alert', target, flag);
  }
  for (const one of faults.cartridges) {
    if (one.write_protected) add('writeProtected', one.barcode);
    if (one.early_warning_at !== null) add('earlyWarning', one.barcode, one.early_warning_at);
    if (one.end_at !== null) add('endAt', one.barcode, one.end_at);
    if (one.read_error_at !== null) add('readError', one.barcode, one.read_error_at);
    if (one.write_error_at !== null) add('writeError', one.barcode, one.write_error_at);
    if (typeof one.pulled_at === 'number') add('pulled', one.barcode, one.pulled_at);
    if (one.used_up) add('usedUp', one.barcode);
  }
  return found.sort((one, other) => faultIds.indexOf(one.id) - faultIds.indexOf(other.id));
}

/** The whole switchboard with exactly these faults armed, as it is sent. Pure. */
export function faultsOf(armed: readonly Armed[]): VirtualFaultsDraft {
  const of = (id: FaultId) => armed.filter((one) => one.id === id);
  const isOn = (id: FaultId, target = '') => of(id).some((one) => one.target === target);
  const value = (id: FaultId, target: string) => of(id).find((one) => one.target === target)?.value ?? null;
  const targets = (on: FaultKind['on'], except: readonly FaultId[] = []) => [
    ...new Set(
      armed.filter(({ id }) => faultKinds[id].on === on && !except.includes(id)).map(({ target }) => target),
    ),
  ];
  const robot = () => {
    if (isOn('robotStuck')) return 'stuck' as const;
    return isOn('robotJams') ? ('jams' as const) : ('works' as const);
  };
  const attention = (target: string) => {
    if (isOn('mediumChanged', target)) return 'medium_changed' as const;
    return isOn('driveReset', target) ? ('reset' as const) : null;
  };
  return {
    door_open: isOn('doorOpen'),
    robot: robot(),
    unreadable_barcodes: of('unreadableBarcode').map(({ target }) => target),
    drives: targets('drive').map((target) => ({
      drive: Number(target),
      reserved: isOn('driveReserved', target),
      becoming_ready: value('becomingReady', target) ?? 0,
      attention: attention(target),
      alerts: of('alert').flatMap((one) => (one.target === target && one.value !== null ? [one.value] : [])),
    })),
    cartridges: targets('cartridge', ['unreadableBarcode']).map((barcode) => ({
      barcode,
      write_protected: isOn('writeProtected', barcode),
      early_warning_at: value('earlyWarning', barcode),
      end_at: value('endAt', barcode),
      read_error_at: value('readError', barcode),
      write_error_at: value('writeError', barcode),
      // Servers that do not know it refuse the word.
      ...(isOn('pulled', barcode) ? { pulled_at: value('pulled', barcode) } : {}),
      used_up: isOn('usedUp', barcode),
    })),
  };
}

/** Two that cannot be armed at once: the later one takes the place of the earlier. */
const exclusive: readonly (readonly FaultId[])[] = [
  ['robotStuck', 'robotJams'],
  ['mediumChanged', 'driveReset'],
];

/** With this fault armed too. Pure. */
export function withFault(armed: readonly Armed[], fault: Armed): readonly Armed[] {
  const rivals = exclusive.find((ids) => ids.includes(fault.id)) ?? [fault.id];
  const isReplaced = (one: Armed) =>
    one.target === fault.target &&
    rivals.includes(one.id) &&
    (fault.id !== 'alert' || one.value === fault.value);
  return [...armed.filter((one) => !isReplaced(one)), fault];
}

/** With this fault disarmed. Pure. */
export const withoutFault = (armed: readonly Armed[], fault: Armed): readonly Armed[] =>
  armed.filter((one) => !(one.id === fault.id && one.target === fault.target && one.value === fault.value));
