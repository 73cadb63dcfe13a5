import { Notification } from 'electron';
import type { NewsPlace } from '../../contract/desktop/news.ts';
import type { News } from '../fleet/fleet-news.ts';

/** Notices of the desktop; a click leads to the place that explains them. Where the desktop has none, nothing is shown. */
export function createElectronNotices(onClick: (place: NewsPlace) => void): (news: News) => void {
  // One that nobody holds is collected, and its click is lost.
  const open = new Set<Notification>();
  return ({ words, place }) => {
    if (!Notification.isSupported()) return;
    const notice = new Notification(words());
    open.add(notice);
    const forget = (): void => {
      open.delete(notice);
    };
    notice.on('click', () => {
      forget();
      onClick(place);
    });
    notice.on('close', forget);
    notice.on('failed', forget);
    notice.show();
  };
}
