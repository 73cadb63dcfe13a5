/** What a slot of the backup's ring carries. */
export const KIND_ARCHIVE = 0;
export const KIND_ROWS = 1;
export const KIND_FOLDERS = 2;
export const KIND_SKIPPED = 3;
/** The last one: the totals as JSON. */
export const KIND_END = 4;
/** Several frames that become blocks of a store: see `BlockBatch`. */
export const KIND_BLOCKS = 5;

/** What became of a frame that was read. */
export const FRAME_GOOD = 0;
/** Its bytes are there, but they are other bytes. */
export const FRAME_DAMAGED = 1;
/** Its bytes cannot be read: the file is too short, or the disk refuses. */
export const FRAME_MISSING = 2;
