/** What a new copy can build on, of one resource: as the catalogue knows it. */
export interface BaseCandidate {
  readonly id: number;
  readonly backupType: string;
  readonly status: string;
  readonly storagePath: string | null;
  /** The copies that it builds on itself. */
  readonly predecessors: readonly BaseLink[];
}

export interface BaseLink {
  readonly status: string;
  readonly storagePath: string | null;
}

/** Nothing is built on what is known to be damaged. */
const bad: ReadonlySet<string> = new Set(['Broken', 'Suspicious']);

/** The first one that can be built on; `candidates` come newest first. A differential copy builds on full ones. */
export function chooseBase<T extends BaseCandidate>(kind: string, candidates: readonly T[]): T | null {
  const fitting = candidates.filter(({ backupType }) => kind !== 'differential' || backupType === 'full');
  return fitting.find((copy) => [copy, ...copy.predecessors].every(isGood)) ?? null;
}

function isGood({ status, storagePath }: BaseLink): boolean {
  return !bad.has(status) && storagePath !== null;
}
