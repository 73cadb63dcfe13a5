import { act, renderHook, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { useRetry } from '../../../renderer/shell/use-retry.ts';
import { giveElementsASize } from '../support/drawn.tsx';
import { connection, Refused } from '../support/fake-bridge.ts';
import { openWindow, windowTests } from '../support/window.tsx';

describe('what failed', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('is tried again by itself, less and less often, and says when; what is well is left alone', () => {
    const retry = vi.fn();
    const { result, rerender } = renderHook(({ failure }) => useRetry(failure, retry), {
      initialProps: { failure: null as object | null },
    });
    expect(result.current).toBeNull();
    for (const waitMs of [5_000, 10_000, 20_000, 40_000, 60_000, 60_000]) {
      rerender({ failure: {} });
      expect(result.current).toBe(Date.now() + waitMs);
      act(() => vi.advanceTimersByTime(waitMs - 1));
      expect(retry).not.toHaveBeenCalled();
      act(() => vi.advanceTimersByTime(1));
      expect(retry).toHaveBeenCalledOnce();
      retry.mockClear();
    }
    rerender({ failure: null });
    expect(result.current).toBeNull();
    act(() => vi.advanceTimersByTime(600_000));
    expect(retry).not.toHaveBeenCalled();
    rerender({ failure: {} });
    expect(result.current).toBe(Date.now() + 5_000);
  });
});

describe('a list', () => {
  giveElementsASize();
  windowTests();

  test('that a server refused says when it is asked for again, though the server tells of its changes', async () => {
    const { user } = await openWindow({
      'connections.list': () => [connection({}, { live: true })],
      'taskQueue.list': () => {
        throw new Refused({ message: 'The database is locked.' });
      },
      'repository.list': () => ({ items: [], total: 0 }),
    });
    await user.click(screen.getByRole('link', { name: 'Tasks' }));
    const told = await screen.findByRole('heading', { name: 'Tasks cannot be shown' });
    await waitFor(() => expect(told.parentElement?.textContent).toMatch(/Next try in \d+ s\./));
  });
});
