import { stat } from 'node:fs/promises';
import { withinDeadline } from './within-deadline.ts';

/** For who only asks, or comes again. */
export const usualAnswerMs = 2_000;
/** Of work, which a host that has much to do must not take for one that hangs. */
export const patientAnswerMs = 15_000;
const lookEveryMs = 5_000;

/** Work on a path was not begun, or goes on without anybody who waits for it, since the path does not answer. */
export class NotAnswering extends Error {
  override readonly name = 'NotAnswering';
  constructor(path: string) {
    super(`${path} does not answer; see to its mount or its disk`);
  }
}

export type IsAnswering = (path: string, deadlineMs?: number) => Promise<boolean>;

/** Whether file calls on a path come back in time, whatever they say. */
export const isAnswering = createAnswering(stat);

/**
 * A file call on a mount that hangs holds one of the few threads that all file calls of the process share. So each path is
 * asked once: until that call has come back there is no second one, and who asks later waits only for what is left of the time.
 */
export function createAnswering(ask: (path: string) => Promise<unknown>): IsAnswering {
  const asked = new Map<string, { readonly answer: Promise<boolean>; readonly sinceMs: number }>();
  return async (path, deadlineMs = usualAnswerMs) => {
    const before = asked.get(path);
    const isHere = (): boolean => {
      asked.delete(path);
      return true;
    };
    const question = before ?? { answer: ask(path).then(isHere, isHere), sinceMs: performance.now() };
    if (before === undefined) asked.set(path, question);
    const leftMs = question.sinceMs + deadlineMs - performance.now();
    return leftMs > 0 && withinDeadline(question.answer, false, leftMs);
  };
}

/**
 * Work on a path, for as long as the path answers: it may take hours, so its own time says nothing. Throws `NotAnswering`.
 * `beginWithinMs`: how long the answer may take before the work begins.
 */
export async function whileAnswering<T>(
  path: string,
  work: () => Promise<T>,
  {
    isThere = isAnswering,
    everyMs = lookEveryMs,
    beginWithinMs = patientAnswerMs,
  }: { isThere?: IsAnswering; everyMs?: number; beginWithinMs?: number } = {},
): Promise<T> {
  if (!(await isThere(path, beginWithinMs))) throw new NotAnswering(path);
  const going = work();
  const isOver = going.then(
    () => true,
    // Thrown below; of work that nobody waits for any more there is nobody to tell.
    () => true,
  );
  while (!(await withinDeadline(isOver, false, everyMs))) {
    if (!(await isThere(path, patientAnswerMs))) throw new NotAnswering(path);
  }
  return going;
}
