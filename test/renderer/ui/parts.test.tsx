import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { useState } from 'react';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  EmptyState,
  FailedState,
  LoadingRows,
  LogView,
  Progress,
  SearchBox,
  StaleBar,
  StatusBadge,
  Tabs,
} from '../../../renderer/ui/index.ts';
import { giveElementsASize } from '../support/drawn.tsx';

giveElementsASize();
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

describe('progress', () => {
  test('has a value between nothing and all', () => {
    render(<Progress label="Backup" percent={140.4} text="1 of 2" />);
    const bar = screen.getByRole('progressbar', { name: 'Backup' });
    expect(bar.getAttribute('aria-valuenow')).toBe('100');
    expect(bar.getAttribute('aria-valuetext')).toBe('1 of 2');
  });

  test('that cannot be told is marked indeterminate', () => {
    render(<Progress label="Backup" percent={null} />);
    expect(screen.getByRole('progressbar').hasAttribute('aria-valuenow')).toBe(false);
  });
});

describe('states of a list', () => {
  test('a short wait shows nothing, a longer one a skeleton', () => {
    vi.useFakeTimers();
    render(<LoadingRows />);
    expect(screen.queryByRole('status')).toBeNull();
    act(() => vi.advanceTimersByTime(160));
    expect(screen.getByRole('status', { name: 'Loading' })).toBeTruthy();
  });

  test('a failure says what, why, since when and when it is tried again', () => {
    vi.useFakeTimers({ now: new Date(2026, 0, 1, 14, 2, 0) });
    render(
      <FailedState
        what="The server does not answer"
        reason={'refused\u202E'}
        since={Date.now()}
        retryAt={Date.now() + 12_000}
        onRetry={() => undefined}
      />,
    );
    const alert = screen.getByRole('alert');
    expect(alert.textContent).toContain('refused\\u202e');
    expect(alert.textContent).toContain('Since 14:02. Next try in 12 s.');
    act(() => vi.advanceTimersByTime(12_000));
    expect(alert.textContent).toContain('Next try now.');
  });

  test('stale data say since when', async () => {
    const user = userEvent.setup();
    const onRetry = vi.fn();
    render(<StaleBar since={new Date(2026, 0, 1, 14, 2).getTime()} reason="No answer." onRetry={onRetry} />);
    expect(screen.getByRole('status').textContent).toContain('Not up to date since 14:02. No answer.');
    await user.click(screen.getByRole('button', { name: 'Retry' }));
    expect(onRetry).toHaveBeenCalledOnce();
  });

  test('an empty one offers what can be done', () => {
    render(<EmptyState text="No copies yet." action={<button type="button">New backup</button>} />);
    expect(screen.getByText('No copies yet.')).toBeTruthy();
    expect(screen.getByRole('button', { name: 'New backup' })).toBeTruthy();
  });
});

test('a status has a word and an icon beside its colour', () => {
  render(<StatusBadge meaning="error" word="Broken" />);
  const badge = screen.getByText('Broken');
  expect(badge.querySelector('svg')).not.toBeNull();
});

function Logs() {
  const [tab, setTab] = useState('client');
  return (
    <Tabs
      label="Logs"
      tabs={[
        { id: 'client', label: 'Client log' },
        { id: 'server', label: 'Server log' },
      ]}
      current={tab}
      onChange={setTab}
    >
      {tab} lines
    </Tabs>
  );
}

test('tabs and their panels are reached by keyboard (case 51)', async () => {
  const user = userEvent.setup();
  render(<Logs />);
  await user.tab();
  expect(document.activeElement?.textContent).toBe('Client log');
  await user.keyboard('{ArrowRight}');
  expect(document.activeElement?.textContent).toBe('Server log');
  expect(screen.getByRole('tab', { name: 'Server log' }).getAttribute('aria-selected')).toBe('true');
  expect(screen.getByRole('tabpanel', { name: 'Server log' }).textContent).toBe('server lines');
});

describe('a log', () => {
  const lines = [
    { id: 1, time: '2026-03-01T10:00:00', level: 'info', message: 'began' },
    { id: 2, time: '2026-03-01T10:00:01', level: 'error', message: 'bad\u001b[31m name' },
  ];

  test('shows hostile lines as text and copies them as they are', async () => {
    const user = userEvent.setup();
    const onCopy = vi.fn();
    render(<LogView label="Client log" lines={lines} onCopy={onCopy} />);
    const log = screen.getByRole('log', { name: 'Client log' });
    expect(log.textContent).toContain('bad\\u001b[31m name');
    await user.click(screen.getByRole('button', { name: 'Copy all' }));
    expect(onCopy).toHaveBeenLastCalledWith(
      '2026-03-01T10:00:00 info began\n2026-03-01T10:00:01 error bad\u001b[31m name',
    );
    await user.click(screen.getAllByRole('button', { name: 'Copy line' })[0] as HTMLElement);
    expect(onCopy).toHaveBeenLastCalledWith('2026-03-01T10:00:00 info began');
  });

  test('is one tab stop whose own keys lead to its lines and back (case 51)', async () => {
    const user = userEvent.setup();
    const onCopy = vi.fn();
    render(<LogView label="Client log" lines={lines} onCopy={onCopy} />);
    const log = screen.getByRole('log', { name: 'Client log' });
    log.focus();
    await user.keyboard('{Enter}{ArrowDown}{Enter}');
    expect(onCopy).toHaveBeenLastCalledWith('2026-03-01T10:00:01 error bad\u001b[31m name');
    await user.keyboard('{ArrowDown}{ArrowUp}{Enter}');
    expect(onCopy).toHaveBeenLastCalledWith('2026-03-01T10:00:00 info began');
    await user.keyboard('{Escape}');
    expect(document.activeElement).toBe(log);
  });

  test('follows its end when it is at its most lines, and stays where somebody scrolled up', () => {
    Object.defineProperty(HTMLElement.prototype, 'offsetHeight', {
      configurable: true,
      get(this: HTMLElement) {
        return this.classList.contains('log-line') ? 20 : 600;
      },
    });
    const from = (first: number) =>
      Array.from({ length: 100 }, (_, at) => ({
        id: first + at,
        time: '2026-03-01T10:00:00',
        level: 'info',
        message: `line ${first + at}`,
      }));
    const drawn = (first: number) => <LogView label="Log" lines={from(first)} onCopy={() => undefined} />;
    const { rerender } = render(drawn(1));
    const log = screen.getByRole('log', { name: 'Log' });
    const scrolls = vi.spyOn(log, 'scrollTo');
    rerender(drawn(2));
    expect(scrolls).toHaveBeenCalled();
    Object.defineProperty(log, 'scrollHeight', { value: 2000 });
    log.scrollTop = 0;
    fireEvent.scroll(log);
    scrolls.mockClear();
    rerender(drawn(3));
    expect(scrolls).not.toHaveBeenCalled();
  });

  test('that is held in part says what is not, and asks for it by scrolling and by buttons', async () => {
    const user = userEvent.setup();
    const rest = {
      onOlder: vi.fn(),
      onNewer: vi.fn(),
      onBegin: vi.fn(),
      onEnd: vi.fn(),
      onFollow: vi.fn(),
    };
    const drawn = (before: number, behind: number) => (
      <LogView label="Log" lines={lines} onCopy={() => undefined} rest={{ before, behind, ...rest }} />
    );
    const { rerender } = render(drawn(0, 0));
    expect(screen.queryByText(/earlier|later/)).toBeNull();
    expect(screen.getByRole('button', { name: 'Copy all' })).toBeTruthy();
    rerender(drawn(21_234, 1));
    expect(screen.getByText('21,234 earlier lines · 1 later line')).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Copy these lines' })).toBeTruthy();
    const log = screen.getByRole('log', { name: 'Log' });
    Object.defineProperty(log, 'scrollHeight', { value: 9000 });
    log.scrollTop = 5000;
    fireEvent.scroll(log);
    expect(rest.onOlder).not.toHaveBeenCalled();
    expect(rest.onNewer).not.toHaveBeenCalled();
    expect(rest.onFollow).toHaveBeenLastCalledWith(false);
    log.scrollTop = 300;
    fireEvent.scroll(log);
    expect(rest.onOlder).toHaveBeenCalledTimes(1);
    log.scrollTop = 9000;
    fireEvent.scroll(log);
    expect(rest.onNewer).toHaveBeenCalledTimes(1);
    await user.click(screen.getByRole('button', { name: 'Show earlier lines' }));
    expect(rest.onOlder).toHaveBeenCalledTimes(2);
    await user.click(screen.getByRole('button', { name: 'To the beginning' }));
    expect(rest.onBegin).toHaveBeenCalledTimes(1);
    await user.click(screen.getByRole('button', { name: 'To the end' }));
    expect(rest.onEnd).toHaveBeenCalledTimes(1);
    expect(rest.onFollow).toHaveBeenLastCalledWith(true);
  });

  test('offers the first error only when there is one', () => {
    const { rerender } = render(<LogView label="Log" lines={lines} onCopy={() => undefined} />);
    expect(screen.getByRole('button', { name: 'First error' })).toBeTruthy();
    rerender(<LogView label="Log" lines={lines.slice(0, 1)} onCopy={() => undefined} />);
    expect(screen.queryByRole('button', { name: 'First error' })).toBeNull();
  });
});

test('Escape empties a search before it does anything else', async () => {
  const user = userEvent.setup();
  const onChange = vi.fn();
  const onOutside = vi.fn();
  document.addEventListener('keydown', onOutside);
  render(<SearchBox label="Search Tasks" value="abc" onChange={onChange} />);
  await user.click(screen.getByRole('searchbox', { name: 'Search Tasks' }));
  await user.keyboard('{Escape}');
  expect(onChange).toHaveBeenCalledWith('');
  expect(onOutside).not.toHaveBeenCalled();
  document.removeEventListener('keydown', onOutside);
});
