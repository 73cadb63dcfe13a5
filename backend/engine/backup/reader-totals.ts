import type { CopyTotals, SkippedItem } from '../archive/entry.ts';

/** What the reader knows at the end of a backup; travels through the ring as the last slot. */
export interface ReaderTotals {
  readonly tarBytes: number;
  readonly source: string;
  readonly createdAtMs: number;
  readonly totals: CopyTotals;
  readonly users: Readonly<Record<string, string>>;
  readonly groups: Readonly<Record<string, string>>;
}

/** What the reader tells its owner. */
export interface ReaderResult {
  /** The first ones; the manifest has all of them. */
  readonly skipped: readonly SkippedItem[];
  readonly changed: readonly string[];
}
