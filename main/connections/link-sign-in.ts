import type { Session as LoginAnswer } from '../../contract/auth/auth.ts';
import { logIn } from '../api/login.ts';
import type { Transport } from '../api/transport.ts';
import { ProblemError, problemOf } from '../platform/problem-error.ts';
import { t } from '../texts/index.ts';

/** Where the bundled backend runs now and how the app signs in there. */
export interface LocalAccess {
  readonly url: string;
  readonly superuser: string;
  readonly launchSecret: string;
}

export async function logInLocally(transport: Transport, local: LocalAccess): Promise<LoginAnswer> {
  const account = {
    database: 'strongroom',
    userName: local.superuser,
    authType: 'database',
    domain: '',
  } as const;
  try {
    return await logIn(transport, account, local.launchSecret, 'five');
  } catch (error) {
    const problem = problemOf(error);
    if (problem?.kind !== 'refused') throw error;
    // Asked once; trying on would block the account.
    throw new ProblemError({ ...problem, kind: 'signIn' }, { cause: error });
  }
}

export function signInNeeded(): ProblemError {
  return new ProblemError({ kind: 'signIn', code: 'signIn', message: t('signIn.needed') });
}

export function keychainProblem(message: string, code: string): ProblemError {
  return new ProblemError({ kind: 'keychain', code, message });
}

export function notRunning(): ProblemError {
  return new ProblemError({
    kind: 'local',
    code: 'notRunning',
    message: t('backend.notRunning'),
  });
}
