import type { Outcome, Problem } from '../../contract/problem.ts';
import { t } from '../texts/index.ts';

/** A failure that is meant for the person: `problem` travels to the window as it is. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly problem: Problem;

  constructor(problem: Problem, options?: ErrorOptions) {
    super(problem.message, options);
    this.problem = problem;
  }
}

export function problemOf(error: unknown): Problem | undefined {
  return error instanceof ProblemError ? error.problem : undefined;
}

export function cancelled(): ProblemError {
  return new ProblemError({ kind: 'cancelled', message: t('calls.cancelled'), code: 'cancelled' });
}

/** One line of text of whatever was thrown, for logs and for the facts of a problem. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return messageOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}

/** Node's `code` of an error or of what caused it. */
export function codeOf(error: unknown): string | undefined {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 5; depth++) {
    if ('code' in at && typeof at.code === 'string') return at.code;
    at = at instanceof AggregateError ? at.errors[0] : at.cause;
  }
  return undefined;
}

export function failed(problem: Problem): Outcome<never> {
  return { ok: false, problem };
}
