import type { FieldErrors, RefusalCode } from '../../contract/problem.ts';

/**
 * "No" with a reason: the caller's fault or the state of the world. The HTTP status follows from the code
 * (`refusalStatus`), so nobody who throws one chooses a number.
 *
 * `message` is one sentence for a person; `errors` gives the reason with the remedy per field, the field spelled
 * as the caller sent it.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: RefusalCode;
  readonly errors: FieldErrors;

  constructor(
    code: RefusalCode,
    details: { readonly message: string; readonly errors?: FieldErrors; readonly cause?: unknown },
  ) {
    super(details.message, { cause: details.cause });
    this.code = code;
    this.errors = details.errors ?? {};
  }
}

/** A 400 that names one field. */
export function invalidField(field: string, reason: string): Refusal {
  return new Refusal('request.invalid', { message: `${field} ${reason}.`, errors: { [field]: reason } });
}

/** A 404 for an object, e.g. `notFound('Pool', 7)`. */
export function notFound(what: string, id: number | string): Refusal {
  return new Refusal('object.notFound', {
    message: `${what} ${id} does not exist.`,
    errors: { id: 'not found' },
  });
}

/** Closes a switch over a union: a forgotten case does not compile. */
export function assertNever(value: never): never {
  throw new Error(`unexpected value: ${String(value)}`);
}

/** The text of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
