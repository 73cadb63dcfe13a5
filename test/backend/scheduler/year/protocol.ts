/** What the test of a year and the backend that it starts say to each other. */

export interface YearInput {
  readonly dataDir: string;
  /** What its clock shows at its start. */
  readonly startMs: number;
  readonly slowMs: readonly number[];
  /** The step of its first look at which it ends, as by `kill -9`; null: it lives on. */
  readonly fatalStep: number | null;
}

export interface LookOrder {
  readonly atMs: number;
  /** Tasks that looks of these times made take long, of some rules. */
  readonly slowMs: readonly number[];
  readonly fatalStep: number | null;
}

export type YearOrder =
  | { readonly kind: 'looks'; readonly looks: readonly LookOrder[] }
  /** All runs noted since, and all tasks since. */
  | { readonly kind: 'tell'; readonly afterRun: number; readonly afterTask: number };

export interface YearNote {
  readonly id: number;
  readonly ruleId: number;
  readonly dueMs: number;
  readonly kind: string;
  readonly outcome: string;
  readonly reason: string | null;
  readonly taskId: number | null;
  readonly notedMs: number;
}

export interface YearTask {
  readonly id: number;
  readonly ruleId: number;
  readonly kind: string;
  readonly createdMs: number;
}

export type YearAnswer =
  | { readonly kind: 'ready'; readonly url: string }
  | { readonly kind: 'looked' }
  | { readonly kind: 'told'; readonly notes: readonly YearNote[]; readonly tasks: readonly YearTask[] };

/** How long a slow task takes. */
export const slowTaskMs = 30 * 3_600_000;
/** Of so many rules one has slow tasks now and then. */
export const slowRules = 5;
