import { type ByteString, fromDisplay, toDisplay } from '../../platform/byte-path.ts';
import { DeviceError } from '../device-error.ts';

export function parseLine(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw damagedList(error);
  }
}

export function parseLines(text: string): readonly unknown[] {
  return parseLine(`[${text.trimEnd().replaceAll('\n', ',')}]`) as readonly unknown[];
}

export function checkedNumber(value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) throw damagedList();
  return value;
}

/** A name that could leave its folder is damage or an attack, never a file. */
export function isSafeName(name: ByteString): boolean {
  return name !== '' && name !== '.' && name !== '..' && !name.includes('/') && !name.includes('\0');
}

export function damagedList(cause?: unknown): DeviceError {
  return new DeviceError('corrupt', 'The file list of this copy is damaged.', { cause });
}

/** One folder's children begin: its own number, its parent's, its name, and where its header is in the tar stream. */
export interface BlockLine {
  readonly folderId: number;
  readonly parentId: number;
  readonly name: ByteString;
  readonly headerOffset: number;
  readonly headerLength: number;
  /** The block began in an earlier segment. */
  readonly continued: boolean;
}

export function encodeBlock(block: BlockLine): string {
  const { folderId, parentId, name, headerOffset, headerLength, continued } = block;
  return `${JSON.stringify({ b: [folderId, parentId, toDisplay(name), headerOffset, headerLength, continued ? 1 : 0] })}\n`;
}

/** Null when the line is a row. */
export function decodeBlock(line: unknown): BlockLine | null {
  if (line === null || typeof line !== 'object' || !('b' in line)) return null;
  const parts = line.b;
  if (!Array.isArray(parts) || parts.length !== 6) throw damagedList();
  return {
    folderId: checkedNumber(parts[0]),
    parentId: checkedNumber(parts[1]),
    name: fromDisplay(String(parts[2])),
    headerOffset: checkedNumber(parts[3]),
    headerLength: checkedNumber(parts[4]),
    continued: parts[5] === 1,
  };
}
