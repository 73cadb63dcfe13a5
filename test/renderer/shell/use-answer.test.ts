import { act, cleanup, renderHook, waitFor } from '@testing-library/react';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { EventPayload } from '../../../contract/bridge.ts';
import { useAnswer } from '../../../renderer/shell/use-answer.ts';
import { installBridge } from '../support/fake-bridge.ts';
import '../support/patience.ts';

afterEach(cleanup);

const watch = { kinds: ['task'], pollMs: 1_000_000, settleMs: 1 } as const;
const event = (kind: string, connectionId = 'here') =>
  ({ connectionId, kind, action: 'changed', id: 1, record: null }) as unknown as EventPayload<'server.event'>;

/** An answer that the test gives when it likes. */
function asked() {
  const waiting: { readonly resolve: (value: string) => void; readonly reject: (error: Error) => void }[] =
    [];
  const load = vi.fn(
    (_signal: AbortSignal) => new Promise<string>((resolve, reject) => waiting.push({ resolve, reject })),
  );
  const next = async (act_: (one: (typeof waiting)[number]) => void) => {
    await waitFor(() => expect(waiting.length).toBeGreaterThan(0));
    await act(async () => act_(waiting.shift() as (typeof waiting)[number]));
  };
  return { load, next };
}

describe('an answer that is kept up to date', () => {
  test('is asked again after events of its kinds and of its connection only', async () => {
    const bridge = installBridge();
    const { load, next } = asked();
    const { result } = renderHook(() => useAnswer('here', load, watch));
    await next((one) => one.resolve('first'));
    expect(result.current.value).toBe('first');
    bridge.tell('server.event', event('pool'));
    bridge.tell('server.event', event('task', 'elsewhere'));
    bridge.tell('server.event', event('task'));
    bridge.tell('server.event', event('task'));
    await next((one) => one.resolve('second'));
    expect(result.current.value).toBe('second');
    bridge.tell('server.event', event('reset'));
    await next((one) => one.resolve('third'));
    expect(result.current.value).toBe('third');
    expect(load).toHaveBeenCalledTimes(3);
  });

  test('asks once more when something happened while it was asked', async () => {
    installBridge();
    const { load, next } = asked();
    const { result } = renderHook(() => useAnswer('here', load, watch));
    act(() => result.current.reload());
    act(() => result.current.reload());
    expect(load).toHaveBeenCalledTimes(1);
    await next((one) => one.resolve('old'));
    await next((one) => one.resolve('new'));
    expect(result.current.value).toBe('new');
    expect(load).toHaveBeenCalledTimes(2);
  });

  test('keeps the last value when a later try fails, with the time of the first failure', async () => {
    installBridge();
    const { load, next } = asked();
    const { result } = renderHook(() => useAnswer('here', load, watch));
    await next((one) => one.resolve('value'));
    act(() => result.current.reload());
    await next((one) => one.reject(new Error('away')));
    const first = result.current.problem;
    expect(result.current.value).toBe('value');
    expect(first?.reason).toBe('away');
    act(() => result.current.reload());
    await next((one) => one.reject(new Error('still away')));
    expect(result.current.problem).toEqual({ reason: 'still away', since: first?.since });
    act(() => result.current.reload());
    await next((one) => one.resolve('back'));
    expect(result.current).toMatchObject({ value: 'back', problem: null });
  });

  test('shows nothing of another question, and drops its late answer', async () => {
    installBridge();
    const before = asked();
    const after = asked();
    const { result, rerender } = renderHook(({ load }) => useAnswer('here', load, watch), {
      initialProps: { load: before.load },
    });
    rerender({ load: after.load });
    expect(before.load.mock.calls[0]?.[0].aborted).toBe(true);
    await before.next((one) => one.resolve('late'));
    expect(result.current.value).toBeNull();
    await after.next((one) => one.resolve('right'));
    expect(result.current.value).toBe('right');
  });

  test('of no question is none', () => {
    installBridge();
    const { result } = renderHook(() => useAnswer('here', null, watch));
    act(() => result.current.reload());
    expect(result.current).toMatchObject({ value: null, problem: null });
  });
});
