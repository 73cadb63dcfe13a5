import type { CopyTotals, SkippedItem } from '../archive/entry.ts';
import type { ChainMember } from '../archive/manifest-format.ts';

/** What the reader knows at the end of a backup; travels through the ring as the last slot. */
export interface ReaderTotals {
  readonly tarBytes: number;
  readonly source: string;
  readonly createdAtMs: number;
  readonly totals: CopyTotals;
  readonly users: Readonly<Record<string, string>>;
  readonly groups: Readonly<Record<string, string>>;
  /** Device number of the resource. */
  readonly device: string;
  readonly chain: readonly ChainMember[];
  readonly reuse: Reuse;
  /** As in the manifest's header. */
  readonly headerBytes?: number;
  /** As in the manifest's header. */
  readonly order?: 'arrival';
}

/** What the reader tells its owner. */
export interface ReaderResult {
  /** The first ones; the manifest has all of them. */
  readonly skipped: readonly SkippedItem[];
  readonly changed: readonly string[];
}

/** What was taken from the copies before. */
export interface Reuse {
  /** Files whose content was not stored again. */
  readonly files: number;
  readonly bytes: number;
  /** Items that could not be read now; what the copy before has of them is kept. */
  readonly unread: number;
}
