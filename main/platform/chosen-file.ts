import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { messageOf, ProblemError } from './problem-error.ts';

/** Text of a file that a person chose. `what` it is meant to be stands in the refusal of one that is too large. */
export async function readChosenFile(path: string, mostBytes: number, what: string): Promise<string> {
  try {
    const facts = await stat(resolve(path));
    // Opening a pipe waits for its writer, and a device may have no end.
    if (!facts.isFile()) throw new Error('it is no file');
    if (facts.size > mostBytes) throw new Error(`it is too large to be ${what}`);
    return await readFile(resolve(path), 'utf8');
  } catch (error) {
    throw new ProblemError(
      {
        kind: 'local',
        code: 'read',
        message: `The file could not be read: ${messageOf(error)}`,
        errors: { path: 'cannot be read' },
      },
      { cause: error },
    );
  }
}
