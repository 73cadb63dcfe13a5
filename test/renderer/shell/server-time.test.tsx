import { cleanup, render } from '@testing-library/react';
import { afterEach, describe, expect, test } from 'vitest';
import { ServerTime, ServerZone } from '../../../renderer/shell/server-time.tsx';
import { shell } from '../../../renderer/shell/shell-store.ts';
import { localZone, momentIn, wallTimeIn } from '../../../renderer/shell/zone-times.ts';
import {
  fieldServerTime,
  formatServerTime,
  formatTimeOfDay,
  setTwelveHours,
} from '../../../renderer/ui/index.ts';
import '../support/patience.ts';

afterEach(() => {
  cleanup();
  setTwelveHours(false);
  shell.setState(shell.getInitialState(), true);
});

const utc = (text: string) => Date.parse(`${text}Z`);

describe('the moment of a time without a zone', () => {
  test.each([
    ['an ordinary day', 'Europe/Prague', '2030-01-15T14:00:00', '2030-01-15T13:00:00'],
    ['west of Greenwich', 'America/New_York', '2030-01-15T23:30:00', '2030-01-16T04:30:00'],
    ['just before the spring change', 'Europe/Prague', '2030-03-31T01:59:59', '2030-03-31T00:59:59'],
    ['the hour that is skipped', 'Europe/Prague', '2030-03-31T02:30:00', '2030-03-31T01:30:00'],
    ['just after it', 'Europe/Prague', '2030-03-31T03:00:00', '2030-03-31T01:00:00'],
    ['the hour that comes twice is the first', 'Europe/Prague', '2030-10-27T02:30:00', '2030-10-27T00:30:00'],
    ['after it', 'Europe/Prague', '2030-10-27T03:00:00', '2030-10-27T02:00:00'],
    ['half an hour of offset', 'Asia/Kolkata', '2030-01-15T05:30:00', '2030-01-15T00:00:00'],
  ])('%s', (_name, zone, text, expected) => {
    expect(momentIn(zone, text)).toBe(utc(expected));
  });

  test('is the way back from what the clocks show, all year, in both directions', () => {
    for (const zone of ['Europe/Prague', 'America/St_Johns', 'Australia/Lord_Howe', 'UTC']) {
      for (let hour = 0; hour < 366 * 24; hour += 5) {
        const moment = utc('2030-01-01T00:10:00') + hour * 3_600_000;
        const wall = wallTimeIn(zone, moment);
        const back = momentIn(zone, `${wall?.day}T${wall?.time}:00`) ?? 0;
        // In the repeated hour the first one is meant.
        expect([0, 1_800_000, 3_600_000], `${zone} ${new Date(moment).toISOString()}`).toContain(
          moment - back,
        );
        expect(wallTimeIn(zone, back)?.time).toBe(wall?.time);
      }
    }
  });

  test.each(['', 'soon', '2030-13-45T99:99:99'])('%j is none', (text) => {
    expect(momentIn('Europe/Prague', text)).toBeNull();
  });
  test('a zone that is none has none', () => expect(momentIn('Mars/Base', '2030-01-15T14:00:00')).toBeNull());
});

describe('the clock of the window', () => {
  test('has 24 or 12 hours; fields always take 24', () => {
    const times = ['00:00', '00:05', '11:59', '12:00', '12:30', '13:00:09', '23:59'];
    expect(times.map(formatTimeOfDay)).toEqual(times);
    setTwelveHours(true);
    expect(times.map(formatTimeOfDay)).toEqual([
      '12:00 AM',
      '12:05 AM',
      '11:59 AM',
      '12:00 PM',
      '12:30 PM',
      '1:00:09 PM',
      '11:59 PM',
    ]);
    expect(formatServerTime('2030-01-15T14:00:00.000')).toBe('2030-01-15 2:00:00 PM');
    expect(fieldServerTime('2030-01-15T14:00:00.000')).toBe('2030-01-15 14:00:00');
  });
});

describe('a time of a server', () => {
  const shown = (zone: string, text: string | null) =>
    render(
      <ServerZone.Provider value={zone}>
        <ServerTime text={text} />
      </ServerZone.Provider>,
    ).container;

  test('says that its zone is not known, or has both zones in the tooltip (case 61)', () => {
    expect(shown('', '2030-01-15T14:00:00').querySelector('span')?.title).toBe(
      '2030-01-15 14:00:00, local time of the server, whose zone is not known',
    );
    cleanup();
    const span = shown('Asia/Tokyo', '2030-01-15T14:00:00').querySelector('span');
    expect(span?.textContent).toBe('2030-01-15 14:00:00');
    const [server, here, universal] = span?.title.split('\n') ?? [];
    expect(server).toBe('2030-01-15 14:00:00 Asia/Tokyo, the server');
    expect(here).toMatch(new RegExp(`^2030-01-15 .* ${localZone()}, this computer$`));
    expect(universal).toBe('2030-01-15 05:00:00 UTC');
  });

  test('has the time of this computer beside it when that is wished and differs', () => {
    shell.setState(({ settings }) => ({ settings: { ...settings, localTimes: 'beside' } }));
    expect(shown(localZone(), '2030-01-15T14:00:00').textContent).toBe('2030-01-15 14:00:00');
    cleanup();
    const there = localZone() === 'Asia/Tokyo' ? 'UTC' : 'Asia/Tokyo';
    const wall = wallTimeIn(localZone(), momentIn(there, '2030-01-15T00:30:00') ?? 0);
    const day = wall?.day === '2030-01-15' ? '' : `${wall?.weekday} `;
    expect(shown(there, '2030-01-15T00:30:00').textContent).toBe(`2030-01-15 00:30:00 (${day}${wall?.time})`);
  });

  test('what is missing is a dash, what is no time stays as it is', () => {
    expect(shown('UTC', null).textContent).toBe('–');
    cleanup();
    expect(shown('UTC', 'soon\u202E').textContent).toBe('soon\\u202e');
  });
});
