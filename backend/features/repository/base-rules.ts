/** What a new copy can build on, of one resource: as the catalogue knows it. */
export interface BaseCandidate {
  readonly backupType: string;
  readonly status: string;
  readonly storagePath: string | null;
  /** Types of the tasks that use it now. */
  readonly usedBy: readonly string[];
  /** The copies that it builds on itself. */
  readonly predecessors: readonly BaseLink[];
}

export interface BaseLink {
  readonly status: string;
  readonly storagePath: string | null;
}

/** Nothing is built on what is known to be damaged. */
const bad: ReadonlySet<string> = new Set(['Broken', 'Suspicious']);

/** A copy of this kind can build on it. A differential one builds on full ones. */
export function canBuildOn(kind: string, base: BaseCandidate): boolean {
  const isFitting = kind !== 'differential' || base.backupType === 'full';
  // A copy that is being moved is gone from where it is as soon as that ends.
  return isFitting && !base.usedBy.includes('move') && [base, ...base.predecessors].every(isGood);
}

function isGood({ status, storagePath }: BaseLink): boolean {
  return !bad.has(status) && storagePath !== null;
}
