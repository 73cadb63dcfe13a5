import { act, screen, within } from '@testing-library/react';
import { describe, expect, test, vi } from 'vitest';
import type { NewsItem } from '../../../contract/desktop/news.ts';
import { shell } from '../../../renderer/shell/shell-store.ts';
import { giveElementsASize } from '../support/drawn.tsx';
import { connection } from '../support/fake-bridge.ts';
import { dialog, openWindow, windowTests } from '../support/window.tsx';

giveElementsASize();
windowTests();

const emptyList = () => ({ items: [], total: 0 });
const server = {
  'connections.list': () => [connection()],
  'taskQueue.list': emptyList,
  'repository.list': emptyList,
  'pools.list': emptyList,
};
const bell = (name: string) => screen.getByRole('button', { name });
const notice = { level: 'error', connectionId: null, action: 'none' } as const;
const news: NewsItem = {
  number: 1,
  at: Date.now() - 120_000,
  kind: 'taskFailed',
  title: 'Task failed on Prague',
  body: 'Backup of /srv: the disk is full.',
  place: { connectionId: 'prague', section: 'Tasks', id: 7, status: 'error' },
};

describe('the bell', () => {
  test('counts failures until they are read, and keeps what faded', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    try {
      const { tell, user } = await openWindow(server);
      expect(bell('Notices')).toBeTruthy();
      act(() => {
        tell('notice', { ...notice, id: 'a', level: 'info', message: 'The backup has begun.' });
        tell('notice', { ...notice, id: 'b', message: 'Lost \u202Ename' });
        tell('notice', { ...notice, id: 'c', level: 'warning', message: 'The keychain is locked.' });
      });
      act(() => vi.advanceTimersByTime(9000));
      expect(screen.queryByText('The backup has begun.')).toBeNull();
      await user.click(bell('Notices, 2 unread'));
      const centre = await dialog('Notices');
      expect(document.activeElement).toBe(centre);
      const lines = within(centre).getAllByRole('listitem');
      expect(lines).toHaveLength(3);
      expect(centre.textContent).toContain('The backup has begun.');
      const lost = lines.find((line) => line.textContent?.includes('Lost \\u202ename'));
      if (lost === undefined) throw new Error('the failure is not in the list');
      await user.click(within(lost).getByRole('button', { name: 'Mark read' }));
      expect(bell('Notices, 1 unread')).toBeTruthy();
      await user.click(within(centre).getByRole('button', { name: 'Mark all read' }));
      await user.keyboard('{Escape}');
      expect(screen.queryByRole('dialog')).toBeNull();
      expect(document.activeElement).toBe(bell('Notices'));
    } finally {
      vi.useRealTimers();
    }
  });

  test('takes what was dismissed, or taken back by main, for read; told again it is unread once more', async () => {
    const { tell, user } = await openWindow(server);
    act(() => tell('notice', { ...notice, id: 'b', message: 'It failed.' }));
    await user.click(within(screen.getByRole('alert')).getByRole('button', { name: 'Dismiss' }));
    expect(bell('Notices')).toBeTruthy();
    act(() => tell('notice', { ...notice, id: 'b', message: 'It failed again.' }));
    expect(bell('Notices, 1 unread')).toBeTruthy();
    act(() => tell('notice.gone', { id: 'b' }));
    await user.click(bell('Notices'));
    expect(within(await dialog('Notices')).getAllByRole('listitem')).toHaveLength(1);
  });

  test('does not take for read what only made room for newer ones', async () => {
    const { tell } = await openWindow(server);
    act(() => {
      for (let index = 0; index < 7; index += 1)
        tell('notice', { ...notice, id: `n${index}`, message: `Failure ${index}` });
    });
    expect(screen.getAllByRole('alert')).toHaveLength(5);
    expect(bell('Notices, 7 unread')).toBeTruthy();
  });

  test('holds what is new on the servers, also from before the window was loaded, with the way there', async () => {
    const { tell, user } = await openWindow({ ...server, 'news.list': () => [news] });
    expect(await screen.findByRole('button', { name: 'Notices, 1 unread' })).toBeTruthy();
    act(() => {
      tell('news', news);
      tell('news', { ...news, number: 2, kind: 'poolNearlyFull', title: 'Pool nearly full on Prague' });
    });
    await user.click(bell('Notices, 2 unread'));
    const centre = await dialog('Notices');
    expect(centre.textContent).toContain('2 min ago');
    const failed = within(centre).getAllByRole('listitem')[1];
    if (failed === undefined) throw new Error('there is no second line');
    await user.click(within(failed).getByRole('button', { name: 'Show' }));
    expect(shell.getState().place).toEqual({ connectionId: 'prague', section: 'Tasks' });
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(bell('Notices, 1 unread')).toBeTruthy();
  });
});
