import { rm } from 'node:fs/promises';
import path from 'node:path';
import { PARTIAL_SUFFIX } from '../backup/backup.ts';

export interface CopyPlace {
  readonly storagePath: string;
  /** Name of the copy's folder. */
  readonly copyId: string;
}

export function copyPathOf({ storagePath, copyId }: CopyPlace): string {
  return path.join(storagePath, copyId);
}

/** Where a copy lies until it is known to be whole. */
export function partialPathOf(place: CopyPlace): string {
  return `${copyPathOf(place)}${PARTIAL_SUFFIX}`;
}

/** After a failure, which is what is to be told: a storage that gives nothing up either is cleaned later. */
export async function removePartial(partialPath: string): Promise<void> {
  await rm(partialPath, { recursive: true, force: true }).catch(() => undefined);
}
