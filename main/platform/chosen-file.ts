import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { t } from '../texts/index.ts';
import { messageOf, ProblemError } from './problem-error.ts';

/** Text of a file that a person chose. `tooLarge`: why one that is larger is refused. */
export async function readChosenFile(path: string, mostBytes: number, tooLarge: string): Promise<string> {
  try {
    const facts = await stat(resolve(path));
    // Opening a pipe waits for its writer, and a device may have no end.
    if (!facts.isFile()) throw new Error(t('files.noFile'));
    if (facts.size > mostBytes) throw new Error(tooLarge);
    return await readFile(resolve(path), 'utf8');
  } catch (error) {
    throw new ProblemError(
      {
        kind: 'local',
        code: 'read',
        message: t('files.notRead', { reason: messageOf(error) }),
        errors: { path: t('files.notReadField') },
      },
      { cause: error },
    );
  }
}
