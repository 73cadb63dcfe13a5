import { t, textsOf } from '../../texts/index.ts';

/** What the restore dialog asks for, by the type of the resource. */
export interface RestoreWords {
  /** What the destination is where it is no folder to put files into, said after its label. */
  readonly note?: string;
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

const words = textsOf('restore');

const files: RestoreWords = {
  example: '/home/me/restored',
  todo: words.files.todo,
  isFolder: true,
  hasFiles: true,
  whole: null,
  hasNewName: true,
  deployment: { label: words.files.straight, help: words.files.straightHelp },
  outcome: null,
};

const image: RestoreWords = {
  ...files,
  hasFiles: false,
  whole: words.image.whole,
  todo: words.image.todo,
  deployment: { label: words.image.ontoDevice, help: words.image.ontoDeviceHelp },
  outcome: (resource, where) => t('restore.image.outcome', { resource, where }),
};

const ontoDevice: RestoreWords = {
  ...image,
  note: words.device.note,
  example: '/dev/sdb1',
  help: words.device.help,
  todo: words.device.todo,
  isFolder: false,
  hasNewName: false,
  outcome: (resource, where) => t('restore.device.outcome', { resource, where }),
};

const postgres: RestoreWords = {
  ...files,
  note: words.postgres.note,
  example: '/var/lib/postgresql/15/restored',
  help: words.postgres.help,
  todo: words.postgres.todo,
  hasFiles: false,
  whole: words.postgres.whole,
  hasNewName: false,
  deployment: null,
  outcome: (resource, where) => t('restore.postgres.outcome', { resource, where }),
};

export function restoreWords(resourceType: string, isDeployed: boolean): RestoreWords {
  if (resourceType === 'Block device') return isDeployed ? ontoDevice : image;
  return resourceType === 'PostgreSQL universal' ? postgres : files;
}
