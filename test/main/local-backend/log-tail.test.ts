import { expect, it } from 'vitest';
import { createLogTail } from '../../../main/local-backend/log-tail.ts';

it('answers what came after a line, and what is kept of it when that was long ago', () => {
  const tail = createLogTail(() => [], 3);
  expect(tail.after(0)).toEqual([]);
  for (const text of ['a', 'b', 'c', 'd', 'e']) tail.add(text);
  const texts = (id: number) => tail.after(id).map((line) => line.text);
  expect([texts(0), texts(3), texts(4), texts(5), texts(9)]).toEqual([
    ['c', 'd', 'e'],
    ['d', 'e'],
    ['e'],
    [],
    [],
  ]);
  expect(tail.after(4)).toEqual([{ id: 5, text: 'e' }]);
});

it('keeps a secret in none of them (case 4)', () => {
  const tail = createLogTail(() => ['hush']);
  tail.add('a hush b hush');
  expect(tail.after(0)).toEqual([{ id: 1, text: 'a [secret] b [secret]' }]);
  expect(tail.lines()).toEqual(['a [secret] b [secret]']);
});
