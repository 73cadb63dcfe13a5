import type { NewsItem } from '../../contract/desktop/news.ts';
import type { News } from '../fleet/fleet-news.ts';
import { createSignal } from '../platform/signals.ts';

export interface NewsLog {
  readonly add: (news: News) => void;
  /** Oldest first, in the language of the moment. */
  readonly list: () => readonly NewsItem[];
  readonly onAdd: (listener: (item: NewsItem) => void) => () => void;
}

const mostKept = 200;

/** What was new since the start, whether the desktop told of it or not; a window that is loaded again asks for it. */
export function createNewsLog(now: () => number = Date.now): NewsLog {
  const kept: (Pick<NewsItem, 'number' | 'at'> & News)[] = [];
  const added = createSignal<NewsItem>();
  let number = 0;
  return {
    add: (news) => {
      number += 1;
      const one = { ...news, number, at: now() };
      kept.push(one);
      if (kept.length > mostKept) kept.shift();
      added.tell(inWords(one));
    },
    list: () => kept.map(inWords),
    onAdd: added.listen,
  };
}

function inWords({ words, ...rest }: Pick<NewsItem, 'number' | 'at'> & News): NewsItem {
  return { ...rest, ...words() };
}
