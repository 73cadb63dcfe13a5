export interface RestoreProblem {
  /** Display form, absolute, as it was in the resource. */
  readonly path: string;
  readonly code: string;
  /** What could not be brought back, and why; a sentence without its full stop. */
  readonly reason: string;
}

export const MOST_PROBLEMS = 1000;

/** What could not be brought back: all are counted, the first thousand are told one by one. */
export class Problems {
  readonly kept: RestoreProblem[] = [];
  total = 0;

  add(path: string, code: string, reason: string): void {
    this.total += 1;
    if (this.kept.length < MOST_PROBLEMS) this.kept.push({ path, code, reason });
  }
}
