/**
 * What can go wrong between the rooms, as data. `Refusal` codes are a closed union named `area.reason`;
 * one table maps each to its HTTP status, so that a handler never chooses a number.
 */
export const refusalStatus = {
  'request.invalid': 400,
  'request.tooLarge': 400,
  'auth.failed': 401,
  'auth.blocked': 401,
  'auth.required': 401,
  'auth.csrf': 401,
  'permission.denied': 403,
  'object.notFound': 404,
  'path.unknown': 404,
  'reference.unknown': 400,
  'state.notAllowed': 400,
  'object.inUse': 400,
  'object.protected': 400,
  'name.taken': 400,
  'feature.notAvailable': 400,
  'sync.unregisteredCartridge': 422,
  'server.busy': 503,
} as const satisfies Record<string, number>;

export type RefusalCode = keyof typeof refusalStatus;

/** Reasons by field name; the field is spelled as the caller sent it (`data.` is never part of it). */
export type FieldErrors = Readonly<Record<string, string>>;

/**
 * A failure as the desktop sees it. `kind` tells what the person can do about it:
 * - `refused`: the server understood and said no (status, message and field errors are the server's)
 * - `signIn`: the session is over; a sign-in is needed for that connection
 * - `unreachable`: no answer (refused, reset, name not found, deadline)
 * - `certificate`: the server's certificate is unknown, changed or not acceptable; nothing was sent
 * - `cancelled`: the caller gave up
 * - `badAnswer`: the server answered something that the contract does not know
 * - `keychain`: the keychain of the operating system failed
 * - `local`: this computer failed (file, process)
 * - `bug`: anything else; `incident` is in the log
 */
export type ProblemKind =
  | 'refused'
  | 'signIn'
  | 'unreachable'
  | 'certificate'
  | 'cancelled'
  | 'badAnswer'
  | 'keychain'
  | 'local'
  | 'bug';

export interface Problem {
  readonly kind: ProblemKind;
  /** One plain sentence for a person, with the remedy where there is one. */
  readonly message: string;
  /** HTTP status, when the server answered. */
  readonly status?: number;
  readonly errors?: FieldErrors;
  /** Short machine word (`ECONNREFUSED`, `deadline`, `changed`, …) for logs and tests. */
  readonly code?: string;
  /** Facts for a dialog, e.g. both fingerprints of a changed certificate. Shown escaped. */
  readonly facts?: Readonly<Record<string, string>>;
  readonly incident?: string;
}

export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: Problem };
