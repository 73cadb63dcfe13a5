/** How a resource is asked for in dialogs, by its type. */
export interface ResourceWords {
  /** Label of the field that names it. */
  readonly place: string;
  readonly example: string;
  readonly help?: string;
  /** What is still to be done when the field is empty. */
  readonly todo: string;
  /** It is a folder, which can be picked. */
  readonly isFolder: boolean;
}

const known: Readonly<Record<string, ResourceWords>> = {
  'File system': {
    place: 'Folder',
    example: '/home/me/documents',
    todo: 'Choose the folder to back up.',
    isFolder: true,
  },
  'Block device': {
    place: 'Device',
    example: '/dev/sdb1',
    help: 'Absolute path of a disk, a partition or a volume; a file is read like one.',
    todo: 'Name the device to make an image of.',
    isFolder: false,
  },
  'PostgreSQL universal': {
    place: 'Server',
    example: 'postgresql://backup@db.example.com:5432',
    help: 'User, host and port, without a password; or the folder of its socket.',
    todo: 'Name the server to back up.',
    isFolder: false,
  },
};

const other: ResourceWords = {
  place: 'Resource',
  example: '',
  help: 'As the module of the client names it.',
  todo: 'Name what is to be backed up.',
  isFolder: false,
};

/** Types that are not known here, which other servers have, get words that fit all. */
export function resourceWords(resourceType: string): ResourceWords {
  return Object.hasOwn(known, resourceType) ? (known[resourceType] ?? other) : other;
}

export const knownResourceTypes: readonly string[] = Object.keys(known);
