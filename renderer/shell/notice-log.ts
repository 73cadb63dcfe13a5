import { createStore } from 'zustand/vanilla';
import type { NewsItem } from '../../contract/desktop/news.ts';
import { command, on, problemOf } from '../bridge.ts';
import { t } from '../texts/index.ts';
import { shell, showNotice, type WindowNotice } from './shell-store.ts';
import { showPlace } from './tell.ts';

export interface KeptNotice extends WindowNotice {
  /** Epoch milliseconds of the last time that it was told. */
  readonly atMs: number;
  readonly isUnread: boolean;
}

const mostKept = 200;

/** Everything that was told since the window was opened, newest first. */
export const noticeLog = createStore<{ readonly notices: readonly KeptNotice[] }>(() => ({ notices: [] }));

/**
 * Keeps what the window shows at its bottom right, and what is new on the servers. Information fades by itself and is no
 * debt: only warnings and failures are unread, until they are dismissed, marked, or their cause is gone.
 */
export function keepNotices(): () => void {
  const offs = [
    shell.subscribe(({ notices }, before) => {
      if (notices === before.notices) return;
      const added = notices.filter((notice) => !before.notices.includes(notice));
      for (const notice of added) keep(notice, Date.now(), notice.level !== 'info');
      // One that makes room for a newer one was not read.
      if (added.length > 0) return;
      for (const { id } of before.notices) if (!notices.some((one) => one.id === id)) markRead(id);
    }),
    on('news', keepNews),
  ];
  command('news.list').then(
    (all) => {
      for (const item of all) keepNews(item);
    },
    (error: unknown) => showNotice({ level: 'error', message: problemOf(error).message }),
  );
  return () => {
    for (const off of offs) off();
    noticeLog.setState({ notices: [] });
  };
}

export function markRead(id: string): void {
  change((notice) => (notice.id === id ? { ...notice, isUnread: false } : notice));
}

export function markAllRead(): void {
  change((notice) => ({ ...notice, isUnread: false }));
}

function change(how: (notice: KeptNotice) => KeptNotice): void {
  noticeLog.setState(({ notices }) => ({ notices: notices.map(how) }));
}

function keep(notice: WindowNotice, atMs: number, isUnread: boolean): void {
  noticeLog.setState(({ notices }) => ({
    notices: [{ ...notice, atMs, isUnread }, ...notices.filter(({ id }) => id !== notice.id)]
      .sort((a, b) => b.atMs - a.atMs)
      .slice(0, mostKept),
  }));
}

const levels = {
  taskFailed: 'error',
  runOverdue: 'warning',
  poolNearlyFull: 'warning',
  serverUnreachable: 'error',
} as const;

function keepNews({ number, at, kind, title, body, place }: NewsItem): void {
  const id = `news-${number}`;
  const isKnown = noticeLog.getState().notices.some((notice) => notice.id === id);
  if (isKnown) return;
  const action = { label: t('notices.show'), run: () => showPlace(place) };
  keep({ id, level: levels[kind] ?? 'warning', message: `${title}: ${body}`, action }, at, true);
}
