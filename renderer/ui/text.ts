/** Text from a server, a disk or a tape can hold anything. What could deceive the eye is made visible. */
const hidden =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/gu;

export function showHidden(text: string): string {
  return text.replace(hidden, (character) => {
    if (character === '\n') return '⏎';
    if (character === '\t') return '⇥';
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/** The end of a path tells more than its middle: both ends stay. */
export function cutMiddle(text: string, most: number): string {
  if (text.length <= most) return text;
  const head = Math.ceil((most - 1) / 3);
  return `${text.slice(0, head)}…${text.slice(text.length - (most - 1 - head))}`;
}

/** A name within a sentence: as much of it as leaves the sentence one. Elsewhere it stands whole. */
export function nameInText(text: string): string {
  return cutMiddle(showHidden(text), 160);
}

/** What was thrown, in words. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
