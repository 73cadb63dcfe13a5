/** The types of pools that this server can write copies to: taken by backups, offered and taken as destinations. */
export const writablePoolTypes: readonly string[] = ['File system', 'Block device', 'Tape library'];
