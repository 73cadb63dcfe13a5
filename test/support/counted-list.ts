import { expect } from 'vitest';
import type { Session } from './backend.ts';

/** Ids of the rows that a list answers, and the number of all that match. */
export async function countedList(session: Session, path: string) {
  const answer = await session.send('GET', path);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return {
    ids: answer.data<{ id: number }[]>().map(({ id }) => id),
    total: answer.headers['x-total-count'],
  };
}
