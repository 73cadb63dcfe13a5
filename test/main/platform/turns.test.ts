import { expect, it } from 'vitest';
import { createTurns } from '../../../main/platform/turns.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('one alone has its turn at once, more at once one after the other', async () => {
  const turns = createTurns();
  const had: string[] = [];
  for (const name of ['a', 'b', 'c']) turns.take(() => had.push(name));
  expect(had).toEqual(['a']);
  await turn();
  expect(had).toEqual(['a', 'b']);
  await turn();
  expect(had).toEqual(['a', 'b', 'c']);
  await turn();
  turns.take(() => had.push('d'));
  expect(had.at(-1)).toBe('d');
});

it('whoever asks for another turn within their own waits for it', async () => {
  const turns = createTurns();
  const had: string[] = [];
  turns.take(() => {
    had.push('first');
    turns.take(() => had.push('second'));
  });
  expect(had).toEqual(['first']);
  await turn();
  expect(had).toEqual(['first', 'second']);
});

it('closed, nobody has a turn any more', async () => {
  const turns = createTurns();
  const had: string[] = [];
  for (const name of ['a', 'b']) turns.take(() => had.push(name));
  turns.close();
  await turn();
  await turn();
  expect(had).toEqual(['a']);
});
