import { type ByteString, toDisplay } from '../../platform/byte-path.ts';

/** The absolute path of an item, for people: the resource as it was asked for, and what follows below it. */
export function shownPath(source: string, pathFromTop: ByteString): string {
  const slash = pathFromTop.indexOf('/');
  if (slash < 0) return source;
  return `${source === '/' ? '' : source}/${toDisplay(pathFromTop.slice(slash + 1))}`;
}
