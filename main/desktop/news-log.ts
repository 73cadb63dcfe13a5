import type { NewsItem } from '../../contract/desktop/news.ts';
import type { News } from '../fleet/fleet-news.ts';
import { createSignal } from '../platform/signals.ts';

export interface NewsLog {
  readonly add: (news: News) => void;
  /** Oldest first. */
  readonly list: () => readonly NewsItem[];
  readonly onAdd: (listener: (item: NewsItem) => void) => () => void;
}

const mostKept = 200;

/** What was new since the start, whether the desktop told of it or not; a window that is loaded again asks for it. */
export function createNewsLog(now: () => number = Date.now): NewsLog {
  const items: NewsItem[] = [];
  const added = createSignal<NewsItem>();
  let number = 0;
  return {
    add: (news) => {
      number += 1;
      const item = { ...news, number, at: now() };
      items.push(item);
      if (items.length > mostKept) items.shift();
      added.tell(item);
    },
    list: () => items,
    onAdd: added.listen,
  };
}
