import { DeviceError, type DeviceErrorKind } from '../device-error.ts';
import { type Sense, senseKey } from './sense.ts';

const keyWords: readonly string[] = [
  'no sense',
  'recovered error',
  'not ready',
  'medium error',
  'hardware error',
  'illegal request',
  'unit attention',
  'write protected',
  'blank check',
  'vendor specific',
  'copy aborted',
  'command aborted',
  'reserved',
  'volume overflow',
  'miscompare',
  'completed',
];

/** Words for what administrators of libraries meet; `asc/ascq` in hexadecimal, `asc` alone for all the others of it. */
const words: Readonly<Record<string, string>> = {
  '00/01': 'a filemark was met',
  '00/02': 'the end of the tape is near or reached',
  '00/04': 'the beginning of the tape was met',
  '00/05': 'the end of the data was met',
  '00/17': 'the drive asks to be cleaned',
  '03': 'a write fault of the device',
  '04': 'the device is not ready',
  '04/01': 'the device is becoming ready',
  '04/02': 'the device has to be started first',
  '04/03': 'the device needs a person',
  '04/07': 'another operation is under way',
  '04/12': 'the device is off line',
  '04/13': 'the device is finding out what is in it',
  '09': 'the head cannot follow the track',
  '0C': 'writing failed',
  '11': 'reading failed',
  '14': 'what was looked for is not on the tape',
  '15': 'a mechanical positioning error',
  '1A': 'the length of the parameters is wrong',
  '20': 'the device does not know this command',
  '21': 'there is no such element or address',
  '24': 'the device refuses a field of the command',
  '25': 'there is no such logical unit',
  '26': 'the device refuses a parameter',
  '27': 'the cartridge is write-protected',
  '28': 'a cartridge may have been changed',
  '28/01': 'a mail slot was opened',
  '29': 'the device was reset or has started',
  '2A': 'settings of the device were changed',
  '30': 'the device cannot use this kind of cartridge',
  '30/03': 'a cleaning cartridge is in the drive',
  '30/07': 'cleaning failed',
  '31': 'the format of the tape is damaged',
  '37': 'a parameter was rounded',
  '3A': 'there is no cartridge in the drive',
  '3B': 'the tape could not be positioned',
  '3B/0D': 'the target place is full',
  '3B/0E': 'the source place is empty',
  '3B/11': 'the magazine is not accessible',
  '3B/12': 'the magazine is not there',
  '3B/14': 'the magazine is locked',
  '3B/18': 'the place is disabled',
  '3F': 'something of the device was changed',
  '44': 'an internal failure of the device',
  '51': 'erasing failed',
  '52': 'the cartridge is damaged',
  '53': 'the cartridge could not be loaded or ejected',
  '53/02': 'the drive does not release the cartridge; unload it first',
  '53/03': 'the cartridge could not be loaded',
  '5A': 'a person asked for it at the device',
  '83': 'the label of a cartridge cannot be read',
};

const hex = (byte: number): string => byte.toString(16).toUpperCase().padStart(2, '0');

/** Of an additional sense code; undefined for one that is not known here. */
function wordsOf(asc: number, ascq: number): string | undefined {
  return words[`${hex(asc)}/${hex(ascq)}`] ?? words[hex(asc)];
}

/** Why an element of a robot needs a person, by the code that the robot tells with it; null without one. */
export function describeException(asc: number, ascq: number): string | null {
  if (asc === 0 && ascq === 0) return null;
  const code = `(${hex(asc)}/${hex(ascq)})`;
  const about = wordsOf(asc, ascq);
  return about === undefined ? code : `${about} ${code}`;
}

/** `medium error: reading failed (3/11/00)`. */
export function describeSense(sense: Sense): string {
  const { key, asc, ascq } = sense;
  const about = wordsOf(asc, ascq);
  const code = `(${key.toString(16).toUpperCase()}/${hex(asc)}/${hex(ascq)})`;
  const name = keyWords[key] ?? 'unknown';
  const before = sense.deferred ? 'an earlier command failed: ' : '';
  return about === undefined || (asc === 0 && ascq === 0)
    ? `${before}${name} ${code}`
    : `${before}${name}: ${about} ${code}`;
}

/** Sense data as an error; what the command was about decides about blank check, filemarks and the like before. */
export function senseError(where: string, sense: Sense): DeviceError {
  const kind = kindOf(sense);
  // What else has this key (an encrypted tape, a barrier of WORM) may not be written either.
  const isWriteProtected = kind === 'permission' && sense.key === senseKey.dataProtect;
  return new DeviceError(kind, `${where}: ${describeSense(sense)}.`, { cause: sense, isWriteProtected });
}

/** The sense data of an error that `senseError` made. */
export function senseOf(error: unknown): Sense | null {
  if (!(error instanceof DeviceError)) return null;
  const { cause } = error;
  return typeof cause === 'object' && cause !== null && 'ascq' in cause ? (cause as Sense) : null;
}

function kindOf(sense: Sense): DeviceErrorKind {
  if (sense.deferred) return 'permanent';
  // A cartridge that the drive cannot use stays one, whichever key it is told with; one for cleaning is no damaged one.
  if (sense.asc === 0x30) return sense.ascq <= 0x02 ? 'corrupt' : 'permanent';
  switch (sense.key) {
    case senseKey.notReady:
      if (sense.asc === 0x3a) return 'notFound';
      return sense.asc === 0x04 ? 'busy' : 'transient';
    case senseKey.mediumError:
    case senseKey.blankCheck:
      return 'corrupt';
    case senseKey.illegalRequest:
      return isPlaceInUse(sense) ? 'busy' : 'permanent';
    case senseKey.unitAttention:
    case senseKey.abortedCommand:
      return 'transient';
    case senseKey.dataProtect:
      return 'permission';
    case senseKey.volumeOverflow:
      return 'noSpace';
    default:
      return 'permanent';
  }
}

/** Source empty, target full, magazine out, or the drive holds on to its cartridge: nothing has moved. */
function isPlaceInUse({ asc, ascq }: Sense): boolean {
  return (asc === 0x3b && [0x0d, 0x0e, 0x11, 0x12, 0x14, 0x18].includes(ascq)) || asc === 0x53;
}

/** The device does not know the command, or refuses a field that not all devices have. */
export function isUnsupported(sense: Sense | null): boolean {
  return (
    sense !== null && sense.key === senseKey.illegalRequest && (sense.asc === 0x20 || sense.asc === 0x24)
  );
}
