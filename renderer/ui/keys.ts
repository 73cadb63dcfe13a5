interface Pressed {
  readonly key: string;
  readonly code: string;
}

/**
 * The key of a shortcut in lower case. Where the layout has no Latin letter on it (`л` in place of `k`), the letter
 * that stands there on a Latin layout, so that shortcuts work in every layout; a Latin layout of another order keeps its own.
 */
export function shortcutKey({ key, code }: Pressed): string {
  const isForeign = key.length === 1 && key.charCodeAt(0) > 0x7f;
  if (!isForeign) return key.toLowerCase();
  const letter = /^Key([A-Z])$/.exec(code)?.[1];
  return letter?.toLowerCase() ?? places[code] ?? key;
}

const places: Readonly<Record<string, string>> = { Comma: ',', Slash: '/' };
