import { describe, expect, test } from 'vitest';
import { logLineOf, ofSeverity } from '../../../renderer/shell/backend-log.ts';

const line = (text: string) => logLineOf({ id: 1, text });

describe('a line of the local backend', () => {
  test('is taken apart: level, message and what stands behind it, at the time of this computer', () => {
    const at = new Date(2030, 0, 15, 14, 2, 9);
    const facts = { time: at.toISOString(), level: 'warn', message: 'lost', code: 7, where: { id: 1 } };
    expect(line(JSON.stringify(facts))).toEqual({
      id: 1,
      time: '2030-01-15T14:02:09',
      level: 'warning',
      message: 'lost code=7 where={"id":1}',
    });
  });

  test.each(['Segmentation fault', '{"time":"2030-01', '', '{ not JSON }'])(
    '%j is shown as it is',
    (text) => {
      expect(line(text)).toMatchObject({ message: text, level: 'info', time: '' });
    },
  );

  test('of a strange form does not break the log', () => {
    expect(line('{"time":7,"level":null,"message":{"a":1}}')).toMatchObject({ level: 'info' });
    expect(line('{"time":"never","message":"x"}')).toMatchObject({ time: 'never', message: 'x' });
  });

  test('is left out by its severity', () => {
    const lines = ['info', 'warn', 'error'].map((level) => line(JSON.stringify({ level })));
    const levels = (severity: 'all' | 'warning' | 'error') =>
      ofSeverity(lines, severity).map((one) => one.level);
    expect([levels('all').length, levels('warning'), levels('error')]).toEqual([
      3,
      ['warning', 'error'],
      ['error'],
    ]);
  });
});
