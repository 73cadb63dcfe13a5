import { describe, expect, test } from 'vitest';
import { clockChangeBetween, clockNote, wallTimeIn } from '../../../renderer/shell/zone-times.ts';

const at = (iso: string): number => Date.parse(iso);
const paris = 'Europe/Paris';

describe('times of a zone', () => {
  test('are what its clocks show', () => {
    expect(wallTimeIn(paris, at('2030-03-30T01:30:00Z'))).toMatchObject({
      day: '2030-03-30',
      time: '02:30',
      weekday: 'Sat',
      minuteOfDay: 150,
      offsetMs: 3_600_000,
    });
    expect(wallTimeIn('Asia/Kathmandu', at('2029-12-31T18:15:07Z'))).toMatchObject({
      day: '2030-01-01',
      time: '00:00:07',
      offsetMs: 20_700_000,
    });
    expect(wallTimeIn('America/New_York', at('1969-12-31T23:59:59Z'))?.time).toBe('18:59:59');
  });

  test('are none of a zone that this computer does not know, nor of no moment', () => {
    expect(wallTimeIn('Mars/Olympus', 0)).toBeNull();
    expect(wallTimeIn('', 0)).toBeNull();
    expect(wallTimeIn(paris, Number.NaN)).toBeNull();
    expect(clockNote('<b>', 0)).toBeNull();
    expect(clockChangeBetween('<b>', 0, 1)).toBeNull();
  });

  test('say when the clocks jump to a moment (case 54)', () => {
    expect(clockNote(paris, at('2030-03-31T01:00:00Z'))).toEqual({ kind: 'gap', from: '02:00', to: '03:00' });
    expect(clockNote(paris, at('2030-03-31T00:59:00Z'))).toBeNull();
    expect(clockNote(paris, at('2030-03-31T01:01:00Z'))).toBeNull();
    // Half an hour only.
    expect(clockNote('Australia/Lord_Howe', at('2030-10-05T15:30:00Z'))).toEqual({
      kind: 'gap',
      from: '02:00',
      to: '02:30',
    });
  });

  test('say which of two equal times a moment is (case 54)', () => {
    const first = { kind: 'repeat', time: '02:30', turn: 'first' };
    expect(clockNote(paris, at('2030-10-27T00:30:00Z'))).toEqual(first);
    expect(clockNote(paris, at('2030-10-27T01:30:00Z'))).toEqual({ ...first, turn: 'second' });
    expect(clockNote(paris, at('2030-10-26T23:59:00Z'))).toBeNull();
    expect(clockNote(paris, at('2030-10-27T02:00:00Z'))).toBeNull();
  });

  test('know the change of the clocks between two moments', () => {
    const summer = clockChangeBetween(paris, at('2030-03-20T00:00:00Z'), at('2030-04-20T00:00:00Z'));
    expect(summer).toEqual({
      atMs: at('2030-03-31T01:00:00Z'),
      day: '2030-03-31',
      from: '02:00',
      to: '03:00',
    });
    const winter = clockChangeBetween(paris, at('2030-10-26T00:30:00Z'), at('2030-10-28T00:30:00Z'));
    expect(winter).toEqual({
      atMs: at('2030-10-27T01:00:00Z'),
      day: '2030-10-27',
      from: '03:00',
      to: '02:00',
    });
    expect(clockChangeBetween(paris, at('2030-05-01T00:00:00Z'), at('2030-06-01T00:00:00Z'))).toBeNull();
  });
});
