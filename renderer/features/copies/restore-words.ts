/** What the restore dialog asks for, by the type of the resource. */
export interface RestoreWords {
  /** Label of the field that says where to. */
  readonly place: string;
  readonly example: string;
  readonly help?: string;
  /** What is still to be done when that field is empty. */
  readonly todo: string;
  readonly isFolder: boolean;
  /** Files can be picked. */
  readonly hasFiles: boolean;
  /** Said in place of what is ticked. */
  readonly whole: string | null;
  readonly hasNewName: boolean;
  /** The choice of `data_deployment`; null: it is always so. */
  readonly deployment: { readonly label: string; readonly help: string } | null;
  /** What happens, in a sentence; null: it is told by the files. */
  readonly outcome: ((resource: string, where: string) => string) | null;
}

const files: RestoreWords = {
  place: 'Destination',
  example: '/home/me/restored',
  todo: 'Choose where the files go.',
  isFolder: true,
  hasFiles: true,
  whole: null,
  hasNewName: true,
  deployment: {
    label: 'Put the contents straight into the destination',
    help: 'Without it, everything goes into a folder of its own below the destination. Files of the same name are replaced.',
  },
  outcome: null,
};

const image: RestoreWords = {
  ...files,
  hasFiles: false,
  whole: 'The image is restored as a whole.',
  todo: 'Choose the folder in which the image becomes a file.',
  deployment: {
    label: 'Write the image onto a device',
    help: 'Without it, the image becomes a file. With it, all that is on the device is lost.',
  },
  outcome: (resource, where) => `The image of ${resource} becomes the file ${where}.`,
};

const ontoDevice: RestoreWords = {
  ...image,
  place: 'Device',
  example: '/dev/sdb1',
  help: 'As large as the image at least, and not mounted.',
  todo: 'Name the device to write the image onto.',
  isFolder: false,
  hasNewName: false,
  outcome: (resource, where) =>
    `The image of ${resource} is written onto ${where}. What is there now is lost.`,
};

const postgres: RestoreWords = {
  ...files,
  place: 'Data directory',
  example: '/var/lib/postgresql/15/restored',
  help: 'A new or an empty folder, on which a server of the same version can then be started.',
  todo: 'Choose the folder that becomes the data directory.',
  hasFiles: false,
  whole: 'The data directory of the server is restored as a whole.',
  hasNewName: false,
  deployment: null,
  outcome: (resource, where) => `The data directory of ${resource} goes to ${where}.`,
};

export function restoreWords(resourceType: string, isDeployed: boolean): RestoreWords {
  if (resourceType === 'Block device') return isDeployed ? ontoDevice : image;
  return resourceType === 'PostgreSQL universal' ? postgres : files;
}
