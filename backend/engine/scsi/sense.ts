/** Why a device ended a command as it did, from either format of sense data. */
export interface Sense {
  /** It is about an earlier command: what was reported as done then is not. */
  readonly deferred: boolean;
  readonly key: number;
  readonly asc: number;
  readonly ascq: number;
  readonly filemark: boolean;
  readonly endOfMedium: boolean;
  /** The length of the block on the tape is not that which was asked for. */
  readonly incorrectLength: boolean;
  /** Signed; of a read, what was asked for less what is there. Null when the device says that it means nothing. */
  readonly information: number | null;
}

export const senseKey = {
  noSense: 0x0,
  recovered: 0x1,
  notReady: 0x2,
  mediumError: 0x3,
  hardwareError: 0x4,
  illegalRequest: 0x5,
  unitAttention: 0x6,
  dataProtect: 0x7,
  blankCheck: 0x8,
  abortedCommand: 0xb,
  volumeOverflow: 0xd,
} as const;

/** Null when the bytes are no sense data. What is cut off counts as zero. */
export function decodeSense(bytes: Uint8Array): Sense | null {
  const at = (index: number): number => bytes[index] ?? 0;
  const format = at(0) & 0x7f;
  if (bytes.length >= 3 && (format === 0x70 || format === 0x71)) return decodeFixed(bytes, format === 0x71);
  if (bytes.length >= 4 && (format === 0x72 || format === 0x73))
    return decodeDescriptors(bytes, format === 0x73);
  return null;
}

function decodeFixed(bytes: Uint8Array, deferred: boolean): Sense {
  const at = (index: number): number => bytes[index] ?? 0;
  const isValid = (at(0) & 0x80) !== 0 && bytes.length >= 7;
  return {
    deferred,
    key: at(2) & 0x0f,
    asc: at(12),
    ascq: at(13),
    filemark: (at(2) & 0x80) !== 0,
    endOfMedium: (at(2) & 0x40) !== 0,
    incorrectLength: (at(2) & 0x20) !== 0,
    information: isValid ? viewOf(bytes).getInt32(3) : null,
  };
}

const informationDescriptor = 0x00;
const streamDescriptor = 0x04;

function decodeDescriptors(bytes: Uint8Array, deferred: boolean): Sense {
  const at = (index: number): number => bytes[index] ?? 0;
  const end = Math.min(bytes.length, 8 + at(7));
  let flags = 0;
  let information: number | null = null;
  for (let start = 8; start + 2 <= end; start += 2 + at(start + 1)) {
    const next = start + 2 + at(start + 1);
    if (next > end) break;
    if (at(start) === streamDescriptor && next - start >= 4) flags = at(start + 3);
    if (at(start) === informationDescriptor && next - start >= 12 && (at(start + 2) & 0x80) !== 0) {
      information = Number(viewOf(bytes).getBigInt64(start + 4));
    }
  }
  return {
    deferred,
    key: at(1) & 0x0f,
    asc: at(2),
    ascq: at(3),
    filemark: (flags & 0x80) !== 0,
    endOfMedium: (flags & 0x40) !== 0,
    incorrectLength: (flags & 0x20) !== 0,
    information,
  };
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
