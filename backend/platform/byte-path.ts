/**
 * Names of files are bytes, not text. Inside the backend a path is a "byte string": a JavaScript string whose
 * every character is one byte (latin1), which is compact and loses nothing. People and the API see the display
 * form: UTF-8 text in which bytes that are no text, control characters, invisible direction marks and the
 * backslash itself are escaped (`\xNN` per byte, `\\`). The two forms convert into each other without loss.
 */
export type ByteString = string;

const PLAIN = /^[\x20-\x5b\x5d-\x7e]*$/;
// Control characters, and characters that could make a name look like another one.
const HIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/u;
const ESCAPE = /\\(?:\\|x([0-9a-fA-F]{2}))/g;

/** Bytes to the form shown to people. */
export function toDisplay(bytes: ByteString): string {
  if (PLAIN.test(bytes)) return bytes;
  const raw = Buffer.from(bytes, 'latin1');
  let shown = '';
  let at = 0;
  while (at < raw.length) {
    const length = sequenceLength(raw, at);
    shown += length === 0 ? escaped(raw, at, 1) : shownCharacter(raw, at, length);
    at += Math.max(length, 1);
  }
  return shown;
}

/** The shown form back to bytes. A backslash that begins no escape stands for itself. */
export function fromDisplay(display: string): ByteString {
  if (PLAIN.test(display)) return display;
  let bytes = '';
  let last = 0;
  for (const match of display.matchAll(ESCAPE)) {
    bytes += utf8Bytes(display.slice(last, match.index));
    bytes += match[1] === undefined ? '\\' : String.fromCharCode(Number.parseInt(match[1], 16));
    last = match.index + match[0].length;
  }
  return bytes + utf8Bytes(display.slice(last));
}

/** A byte string as the argument of a file call: plain text when that means the same, else a Buffer. */
export function fsPath(bytes: ByteString): string | Buffer {
  return PLAIN.test(bytes) ? bytes : Buffer.from(bytes, 'latin1');
}

/** Text (for example a path typed by a person, no escapes) as bytes. */
export function utf8Bytes(text: string): ByteString {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** True when the bytes are valid UTF-8. */
export function isUtf8Bytes(bytes: ByteString): boolean {
  if (PLAIN.test(bytes)) return true;
  const raw = Buffer.from(bytes, 'latin1');
  let at = 0;
  while (at < raw.length) {
    const length = sequenceLength(raw, at);
    if (length === 0) return false;
    at += length;
  }
  return true;
}

/** The last component of a path; empty for `/`. */
export function baseName(bytes: ByteString): ByteString {
  const trimmed = bytes.replace(/\/+$/, '');
  return trimmed.slice(trimmed.lastIndexOf('/') + 1);
}

function shownCharacter(raw: Buffer, at: number, length: number): string {
  const text = raw.toString('utf8', at, at + length);
  if (text === '\\') return '\\\\';
  return HIDDEN.test(text) ? escaped(raw, at, length) : text;
}

function escaped(raw: Buffer, at: number, length: number): string {
  let text = '';
  for (let i = at; i < at + length; i += 1) text += `\\x${raw.toString('hex', i, i + 1)}`;
  return text;
}

/** Length of the valid UTF-8 sequence at `at`, 0 when there is none (RFC 3629: no overlong forms, no surrogates). */
function sequenceLength(raw: Buffer, at: number): number {
  const first = raw[at] ?? 0;
  if (first < 0x80) return 1;
  const length = announcedLength(first);
  if (length === 0 || at + length > raw.length) return 0;
  const second = raw[at + 1] ?? 0;
  for (let i = 1; i < length; i += 1) {
    if (((raw[at + i] ?? 0) & 0xc0) !== 0x80) return 0;
  }
  if (first === 0xe0 && second < 0xa0) return 0;
  if (first === 0xed && second > 0x9f) return 0;
  if (first === 0xf0 && second < 0x90) return 0;
  if (first === 0xf4 && second > 0x8f) return 0;
  return length;
}

function announcedLength(first: number): number {
  if (first >= 0xc2 && first <= 0xdf) return 2;
  if (first >= 0xe0 && first <= 0xef) return 3;
  if (first >= 0xf0 && first <= 0xf4) return 4;
  return 0;
}

/** Whether a path is this folder or lies below it, by their names alone. Absolute, without slashes at their ends. */
export function isWithin(path: ByteString, folder: ByteString): boolean {
  return path === folder || folder === '/' || path.startsWith(`${folder}/`);
}
