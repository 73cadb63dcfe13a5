/** The types of pools that this server can write copies to: taken by backups, and as destinations of copies. */
export const writablePoolTypes: readonly string[] = ['File system', 'Block device', 'Tape library'];

/** Behind the field of a pool that is of another type. */
export function whyNotWritable(type: string): string {
  return `is of type ${type}, which this server cannot write yet; choose a pool of type ${writablePoolTypes.join(', ')}`;
}
