import { cleanup, render } from '@testing-library/react';
import { afterEach, describe, expect, test } from 'vitest';
import { StatusBar } from '../../../renderer/shell/status-bar.tsx';
import { connection } from '../support/fake-bridge.ts';
import '../support/patience.ts';

afterEach(cleanup);

const clocks = /The clocks differ: (\S+ \S+) UTC on the server, (\S+ \S+) UTC here(.*?)$/;
/** What the status bar says of a server whose clock differs; nothing of it is asked of the server. */
function told(skewMs: number): RegExpMatchArray | null {
  const away = { phase: 'unreachable', clockSkewMs: skewMs, user: null, serverVersion: null } as const;
  const bar = render(<StatusBar connection={connection({}, away)} />).container;
  const text = bar.querySelector('.meaning-warning')?.textContent ?? '';
  cleanup();
  return text.match(clocks);
}

describe('clocks that differ (case 62)', () => {
  test('by seconds are nothing to tell', () => {
    expect(told(6_000)).toBeNull();
  });

  test.each([
    [6 * 60_000, ''],
    [-6 * 60_000, ''],
    [8 * 86_400_000, '; no copy is deleted until they agree'],
  ])('by %d ms are told with both times', (skewMs, effect) => {
    const [, there = '', here = '', more] = told(skewMs) ?? [];
    const utc = (text: string): number => Date.parse(`${text.replace(' ', 'T')}Z`);
    expect(Math.abs(utc(there) - utc(here) - skewMs)).toBeLessThan(120_000);
    expect(more).toBe(effect);
  });
});
