import { Refusal } from '../../platform/errors.ts';

/** Why a login failed, for the audit log and never for the caller. Comes as the cause of the refusal. */
export class LoginFailure extends Error {
  override readonly name = 'LoginFailure';
}

export function loginBlocked(): Refusal {
  return new Refusal('auth.blocked', {
    message: 'The account is blocked after too many failed logins: wait, then try again.',
  });
}

/** One text for every cause, so that names and states of accounts stay unknown. */
export function loginFailed(reason: string): Refusal {
  return new Refusal('auth.failed', {
    message: 'The login failed: check database, user and password.',
    cause: new LoginFailure(reason),
  });
}
