import { InvalidCredentialsError, ResultCodeError } from 'ldapts';

/** Why the controller could not be asked, or would not let an account in. For the log, never for the caller. */
export type DirectoryFailure =
  /** Wrong name or password; controllers do not say which. */
  | 'wrongPassword'
  | 'disabled'
  | 'accountExpired'
  | 'passwordExpired'
  | 'mustChangePassword'
  | 'locked'
  | 'hours'
  | 'workstation'
  | 'unknownUser'
  | 'ambiguousUser'
  | 'noRole'
  /** Not tried at all: too many failed logins at this server. */
  | 'blocked'
  | 'wrongDomain'
  /** The account that looks users up is not let in. */
  | 'serviceLogin'
  | 'notConfigured'
  | 'unreachable'
  | 'certificate'
  | 'refused';

export class DirectoryError extends Error {
  override readonly name = 'DirectoryError';
  readonly failure: DirectoryFailure;

  constructor(failure: DirectoryFailure, message: string, cause?: unknown) {
    super(message, { cause });
    this.failure = failure;
  }
}

/** What the controller adds to "invalid credentials", as hexadecimal `data`. */
const reasons: Readonly<Record<string, readonly [DirectoryFailure, string]>> = {
  '525': ['unknownUser', 'there is no such user'],
  '52e': ['wrongPassword', 'name or password are wrong'],
  '530': ['hours', 'the account may not log in at this time'],
  '531': ['workstation', 'the account may not log in from this host'],
  '532': ['passwordExpired', 'the password has expired'],
  '533': ['disabled', 'the account is disabled'],
  '701': ['accountExpired', 'the account has expired'],
  '773': ['mustChangePassword', 'the password must be changed first'],
  '775': ['locked', 'the account is locked after too many failed logins'],
};

/** Codes of Node for a certificate that is not trusted, not this host's, or out of date. */
const certificateCodes =
  /^(CERT_|ERR_TLS_CERT|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO|HOSTNAME_MISMATCH|ERR_SSL|EPROTO)/;

/** Any error of the library in our words. */
export function directoryErrorOf(error: unknown): DirectoryError {
  if (error instanceof DirectoryError) return error;
  const text = error instanceof Error ? error.message : String(error);
  if (error instanceof InvalidCredentialsError) {
    const [failure, message] = reasons[/data ([0-9a-f]+)/i.exec(text)?.[1]?.toLowerCase() ?? ''] ?? [
      'wrongPassword',
      'name or password are wrong',
    ];
    return new DirectoryError(failure, message, error);
  }
  if (error instanceof ResultCodeError) {
    return new DirectoryError(
      'refused',
      `the controller refuses the request (${error.name}: ${text})`,
      error,
    );
  }
  const { code } = (error ?? {}) as { readonly code?: unknown };
  if (typeof code === 'string' && certificateCodes.test(code)) {
    return new DirectoryError('certificate', `its certificate is not accepted (${code}: ${text})`, error);
  }
  if (/alert|certificate required|handshake/i.test(text)) {
    return new DirectoryError('certificate', `it refuses the encrypted connection (${text})`, error);
  }
  return new DirectoryError('unreachable', `it cannot be reached (${text})`, error);
}
