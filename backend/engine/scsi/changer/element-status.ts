import type { ElementKind, LibraryElement } from '../../device.ts';
import { printable } from '../inquiry.ts';
import { describeException } from '../sense-words.ts';
import { elementTypes } from './element-addresses.ts';

const headerBytes = 8;
const pageHeaderBytes = 8;
const tagBytes = 36;
const labelBytes = 32;

/** One answer of READ ELEMENT STATUS. */
export interface ElementPage {
  readonly elements: readonly LibraryElement[];
  /** Bytes that the device says all of its answer has. */
  readonly wholeBytes: number;
}

const kinds = new Map<number, ElementKind>(
  Object.entries(elementTypes).map(([kind, type]) => [type, kind as ElementKind]),
);

/**
 * Reads what is there and no more: answers that are cut off, also in the middle of an element, are usual. An element counts when
 * its address, its flags and its barcode have come whole.
 */
export function parseElementStatus(answer: Buffer): ElementPage {
  if (answer.length < headerBytes) return { elements: [], wholeBytes: 0 };
  const elements: LibraryElement[] = [];
  const wholeBytes = headerBytes + answer.readUIntBE(5, 3);
  // Some devices forget a header when they count, so what has come is what is read.
  for (let at = headerBytes; at + pageHeaderBytes <= answer.length; ) {
    const kind = kinds.get(answer.readUInt8(at));
    const flags = answer.readUInt8(at + 1);
    const stride = answer.readUInt16BE(at + 2);
    const bytes = answer.readUIntBE(at + 5, 3);
    if (kind === undefined || stride < 9) break;
    const end = at + pageHeaderBytes + bytes;
    for (let from = at + pageHeaderBytes; from < Math.min(end, answer.length); from += stride) {
      const element = parseElement(answer.subarray(from, Math.min(from + stride, end)), kind, flags);
      if (element) elements.push(element);
    }
    at = end;
  }
  return { elements, wholeBytes };
}

function parseElement(bytes: Buffer, kind: ElementKind, pageFlags: number): LibraryElement | null {
  const hasTag = (pageFlags & 0x80) !== 0;
  const hasAlternateTag = (pageFlags & 0x40) !== 0;
  if (bytes.length < (hasTag ? 12 + labelBytes : 6)) return null;
  const flags = bytes.readUInt8(2);
  const full = (flags & 0x01) !== 0;
  const exception = (flags & 0x04) !== 0;
  const label = hasTag ? readLabel(bytes.subarray(12, 12 + labelBytes)) : '';
  const identifierAt = 12 + (hasTag ? tagBytes : 0) + (hasAlternateTag ? tagBytes : 0);
  return {
    address: bytes.readUInt16BE(0),
    kind,
    full,
    barcode: full && label !== '' ? label : null,
    exception,
    reason: exception ? describeException(bytes.readUInt8(4), bytes.readUInt8(5)) : null,
    // Of the robot itself the bit is reserved.
    reachable: kind === 'robot' ? null : (flags & 0x08) !== 0,
    fromOutside: kind === 'mail' && full && (flags & 0x02) !== 0,
    driveSerial: kind === 'drive' ? readDriveSerial(bytes.subarray(identifierAt)) : null,
  };
}

/** Fixed up with blanks or zero bytes; what is between them is told as it is. */
function readLabel(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replace(/[\0 ]+$/, '')
    .replace(/^ +/, '');
}

/**
 * Identifier of the drive: the serial number alone, or after vendor and model (8 and 16 characters, identifier of the T10 kind).
 * Null when none has come, or not whole.
 */
function readDriveSerial(bytes: Buffer): string | null {
  if (bytes.length < 4) return null;
  const isText = (bytes.readUInt8(0) & 0x0f) === 2;
  const type = bytes.readUInt8(1) & 0x0f;
  const length = bytes.readUInt8(3);
  if (!isText || length === 0 || bytes.length < 4 + length) return null;
  const text = bytes.subarray(4, 4 + length);
  const serial = printable(type === 1 && length > 24 ? text.subarray(24) : text);
  return serial === '' ? null : serial;
}
