/** What is compressed together must be larger than what travels at once, or likeness between files is lost. */
const BLOCKS_PER_FRAME = 4;

/** Bytes of the frames of a new copy whose data travel in blocks of `file_transfer_block_size`. */
export function frameBytesOf(transferBlockBytes: number): number {
  return BLOCKS_PER_FRAME * transferBlockBytes;
}
