import { textsOf, wordFor } from '../texts/index.ts';
import { showHidden } from '../ui/index.ts';

/** How a resource is asked for in dialogs, by its type. */
export interface ResourceWords {
  /** What the field that names it may hold beside a folder, said after its label. */
  readonly note?: string;
  readonly example: string;
  readonly help?: string;
  /** What is still to be done when the field is empty. */
  readonly todo: string;
  /** It is a folder, which can be picked. */
  readonly isFolder: boolean;
}

const { resources, resourceTypes } = textsOf('status');

/** Name of the field that says what is backed up, whatever type it is of. */
export const resourceLabel = resources.label;

const known: Readonly<Record<string, ResourceWords>> = {
  'File system': { ...resources.folder, example: '/home/me/documents', isFolder: true },
  'Block device': { ...resources.device, example: '/dev/sdb1', isFolder: false },
  'PostgreSQL universal': {
    ...resources.postgresql,
    example: 'postgresql://backup@db.example.com:5432',
    isFolder: false,
  },
};

const other: ResourceWords = { ...resources.other, example: '', isFolder: false };

/** What a type of resources is called. */
export function resourceTypeWord(resourceType: string): string {
  return showHidden(wordFor(resourceTypes, resourceType));
}

/** Types that are not known here, which other servers have, get words that fit all. */
export function resourceWords(resourceType: string): ResourceWords {
  return Object.hasOwn(known, resourceType) ? (known[resourceType] ?? other) : other;
}

export const knownResourceTypes: readonly string[] = Object.keys(known);
