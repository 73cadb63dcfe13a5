import { expect, it } from 'vitest';
import { createFarewell } from '../../../main/desktop/farewell.ts';

const never = 2 ** 30;

it('waits until the window has told all', async () => {
  const farewell = createFarewell(() => true, never);
  let isOver = false;
  const over = farewell.ask().then(() => {
    isOver = true;
  });
  await Promise.resolve();
  expect(isOver).toBe(false);
  farewell.answered();
  await over;
});

it('waits neither where nobody hears it nor for a page that hangs', async () => {
  await createFarewell(() => false, never).ask();
  await createFarewell(() => true, 1).ask();
});

it('takes an answer that nobody waits for', () => {
  expect(() => createFarewell(() => true).answered()).not.toThrow();
});
