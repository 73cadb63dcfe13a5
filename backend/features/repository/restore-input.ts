/** What a restore is to do; kept with its task. */
export interface RestoreInput {
  /** Absolute path on the target client. */
  readonly destination: string;
  /** The name that the resource gets; null keeps its own. */
  readonly newName: string | null;
  /** The contents of the resource go straight into the destination. */
  readonly deployInto: boolean;
  /** Display paths, absolute or relative to the resource; empty = everything. */
  readonly selection: readonly string[];
}
