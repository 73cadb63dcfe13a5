import type { Client } from 'ldapts';
import { type DirectoryCheck, directorySteps } from '../../../contract/directory/directory-check.ts';
import { DirectoryError, directoryErrorOf } from './directory-errors.ts';
import { countGroups, countUsers, isDomainName } from './directory-search.ts';
import { type DirectorySettings, withDirectory } from './directory-session.ts';

type Step = (typeof directorySteps)[number];
interface Done {
  readonly reason: string | null;
  readonly found: number | null;
}

/**
 * Tries the settings as a login would use them and answers what worked, all within the deadline of one question to the
 * directory. Steps that do not need each other are all tried, so that one visit names every mistake.
 */
export async function checkDirectory(settings: DirectorySettings): Promise<DirectoryCheck> {
  const done = new Map<Step, Done>();
  const passed = (step: Step, found: number | null = null) => done.set(step, { reason: null, found });
  const failed = (step: Step, error: unknown) =>
    done.set(step, { reason: directoryErrorOf(error).message, found: null });
  let current: Step = 'connect';

  const tryCount = async (step: Step, work: () => Promise<number>): Promise<void> => {
    current = step;
    try {
      passed(step, await work());
    } catch (error) {
      const found = directoryErrorOf(error);
      // Nothing more is to be had from a controller that went away.
      if (found.failure === 'unreachable') throw found;
      failed(step, found);
    }
  };

  const work = async (client: Client): Promise<void> => {
    await signIn(client, settings, () => {
      passed('connect');
      current = 'sign_in';
    });
    passed('connect');
    passed('sign_in');
    current = 'domain';
    if (await isDomainName(client, settings.domain)) passed('domain');
    else
      failed('domain', new DirectoryError('wrongDomain', 'it is no name of the domain of this controller'));
    await tryCount('users', () => countUsers(client, settings));
    await tryCount('groups', () => countGroups(client, settings));
  };

  try {
    await withDirectory(settings, work);
  } catch (error) {
    failed(current, error);
  }
  const steps = directorySteps.map((step) => {
    const one = done.get(step);
    if (one === undefined) return { step, outcome: 'not_tried', reason: null, found: null };
    return { step, outcome: one.reason === null ? 'ok' : 'failed', ...one };
  });
  return { works: steps.every(({ outcome }) => outcome === 'ok'), steps };
}

/** `onAnswered` is called when it is known that the controller was reached, though it refuses the account. */
async function signIn(client: Client, settings: DirectorySettings, onAnswered: () => void): Promise<void> {
  try {
    await client.bind(settings.login, settings.password);
  } catch (error) {
    const found = directoryErrorOf(error);
    // The library connects with the first request, so a failure here may be one of the connection.
    if (found.failure !== 'unreachable' && found.failure !== 'certificate') onAnswered();
    throw found;
  }
}
