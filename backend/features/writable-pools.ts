/** The types of pools that this server can write copies to: taken by backups, and as destinations of copies. */
export const writablePoolTypes: readonly string[] = ['File system', 'Block device', 'Tape library'];
