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
const mostDepth = 16;
const mostTextChars = 4_000;
const mostItems = 1_000;

export const blotted = '[secret]';

/**
 * A value as it may be kept: fields that hold secrets are blotted out by name, whatever they hold; so is the value of a
 * pair like `{ name: 'password', value }`, and in texts what looks like a token or is introduced as a secret.
 */
export function redactExchange(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return redactTextOf(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= mostDepth) return '…';
  if (Array.isArray(value)) return value.slice(0, mostItems).map((item) => redactExchange(item, depth + 1));
  const isSecretPair = Object.entries(value).some(
    ([name, item]) =>
      /^(name|key|parameter|field)$/i.test(name) && typeof item === 'string' && secretName.test(item),
  );
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      if (secretName.test(name) && !isNothing(item) && !isMeasure(name, item)) return [name, blotted];
      if (isSecretPair && /^(value|values|default|new|old|data)$/i.test(name) && !isNothing(item))
        return [name, blotted];
      return [name, redactExchange(item, depth + 1)];
    }),
  );
}

function redactTextOf(text: string): string {
  const short = text.length > mostTextChars ? `${text.slice(0, mostTextChars)}…` : text;
  return redactText(short.replace(keyBlock, blotted)).replace(namedInText, `$1${blotted}`);
}

/** `password_min_length: 8` is no secret; `pin: 1234` is one. */
function isMeasure(name: string, value: unknown): boolean {
  return (
    typeof value === 'number' &&
    /(length|seconds|minutes|hours|days|lifetime|count|attempts|period|ids?)$/i.test(name)
  );
}

/** That there is no secret may be known; a screen shows it. */
function isNothing(value: unknown): boolean {
  return value === null || value === undefined || value === '' || typeof value === 'boolean';
}
