import { expect, test } from 'vitest';
import { serverTimeOf } from '../../../renderer/shell/server-time-of.ts';

test.each([
  ['2030-01-31', '2030-01-31T23:59:59'],
  ['2030-01-31 12:00', '2030-01-31T12:00:00'],
  [' 2030-01-31 9:05 ', '2030-01-31T09:05:00'],
  ['2030-01-31T12:00', '2030-01-31T12:00:00'],
  ['2030-01-31T12:00:07', '2030-01-31T12:00:07'],
  ['2030-01-31 12:00:07', '2030-01-31T12:00:07'],
])('%s is %s in the local time of the server (case 125)', (text, wanted) => {
  expect(serverTimeOf(text)).toBe(wanted);
});

test.each(['31.1.2030', 'tomorrow', '2030-01-31T12:00:00Z', ''])(
  'the server says what is wrong with %j',
  (text) => {
    expect(serverTimeOf(text)).toBe(text);
  },
);
