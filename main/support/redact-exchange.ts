import { redactText } from '../platform/redact.ts';

const secretName =
  /token|passw|passphrase|secret|cookie|authorization|csrf|credential|private|(^|_)(key|pin|pwd|pass)$/i;
// Bounded on both sides: a text made for it would otherwise keep the search busy for minutes.
const secretWord =
  '[\\w-]{0,40}(?:passw|passphrase|pwd|token|secret|cookie|authorization|csrf|credential)[\\w-]{0,40}';
const written = `("[^"]*"|'[^']*'|[^\\s,;&}"']+)`;
/** `password: x`, `token="x"` and `--password x` inside a text, such as a line of a log or a script's arguments. */
const namedInText = new RegExp(
  `(\\b${secretWord}["']?\\s*[=:]\\s*|(?<!\\S)--?${secretWord}\\s+)${written}`,
  'gi',
);
const keyBlock = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)/g;
/** Where none of this stands there is nothing to blot out; most texts are told apart by this one look. */
const telling =
  /eyJ|bearer|basic|\/\/|-----BEGIN|passw|passphrase|pwd|token|secret|cookie|authorization|csrf|credential/i;
const mostDepth = 16;
const mostTextChars = 4_000;
const mostItems = 1_000;
const mostNames = 5_000;
const longestKeptName = 100;

export const blotted = '[secret]';

/**
 * A value as it may be kept: fields that hold secrets are blotted out by name, whatever they hold; so is the value of a
 * pair like `{ name: 'password', value }`, and in texts what looks like a token or is introduced as a secret. What holds
 * nothing of the kind is the answer itself, not a copy.
 */
export function redactExchange(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return redactTextOf(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= mostDepth) return '…';
  return Array.isArray(value) ? redactList(value, depth) : redactRecord(value, depth);
}

function redactList(list: readonly unknown[], depth: number): readonly unknown[] {
  const items = list.length > mostItems ? list.slice(0, mostItems) : list;
  let changed: unknown[] | null = null;
  for (let index = 0; index < items.length; index += 1) {
    const item = redactExchange(items[index], depth + 1);
    if (item === items[index]) continue;
    changed ??= items.slice();
    changed[index] = item;
  }
  return changed ?? items;
}

function redactRecord(record: object, depth: number): object {
  const entries = Object.entries(record);
  const isSecretPair = entries.some(
    ([name, item]) => kindOf(name).isPairName && typeof item === 'string' && secretName.test(item),
  );
  let isChanged = false;
  const redacted = entries.map(([name, item]): [string, unknown] => {
    const kind = kindOf(name);
    const isSecret =
      (kind.isSecret && !isNothing(item) && !(kind.isMeasure && typeof item === 'number')) ||
      (isSecretPair && kind.isPairValue && !isNothing(item));
    const kept = isSecret ? blotted : redactExchange(item, depth + 1);
    if (kept !== item) isChanged = true;
    return [name, kept];
  });
  return isChanged ? Object.fromEntries(redacted) : record;
}

interface NameKind {
  readonly isSecret: boolean;
  readonly isPairName: boolean;
  readonly isPairValue: boolean;
  /** `password_min_length: 8` is no secret; `pin: 1234` is one. */
  readonly isMeasure: boolean;
}

const kinds = new Map<string, NameKind>();

/** The few names of a server's fields come again with each row. */
function kindOf(name: string): NameKind {
  const known = kinds.get(name);
  if (known) return known;
  const kind = {
    isSecret: secretName.test(name),
    isPairName: /^(name|key|parameter|field)$/i.test(name),
    isPairValue: /^(value|values|default|new|old|data)$/i.test(name),
    isMeasure: /(length|seconds|minutes|hours|days|lifetime|count|attempts|period|ids?)$/i.test(name),
  };
  if (name.length > longestKeptName) return kind;
  if (kinds.size >= mostNames) kinds.clear();
  kinds.set(name, kind);
  return kind;
}

function redactTextOf(text: string): string {
  const short = text.length > mostTextChars ? `${text.slice(0, mostTextChars)}…` : text;
  if (!telling.test(short)) return short;
  return redactText(short.replace(keyBlock, blotted)).replace(namedInText, `$1${blotted}`);
}

/** That there is no secret may be known; a screen shows it. */
function isNothing(value: unknown): boolean {
  return value === null || value === undefined || value === '' || typeof value === 'boolean';
}
