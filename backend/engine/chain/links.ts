import path from 'node:path';
import type { ManifestHeader } from '../archive/manifest-format.ts';
import type { ClientKey } from '../crypto/client-key.ts';
import { unlockCopy } from '../crypto/copy-lock.ts';
import type { CopySecret } from '../crypto/copy-secret.ts';
import { DeviceError } from '../device-error.ts';

/** A copy that another one builds on, and the storage in which its folder lies. */
export interface ChainPlace {
  readonly copyId: string;
  readonly storagePath: string;
}

/** The same, ready for a worker. */
export interface ChainLink {
  readonly copyId: string;
  readonly copyPath: string;
  /** Opens it; null when it is not encrypted, or is not there. */
  readonly secret: CopySecret | null;
  /** Why it cannot be opened although its key is the right one. */
  readonly fault: string | null;
}

/**
 * The copies that a copy builds on, in the order of its header (null: it cannot be read, and there are none): where `given` says, else in the same storage. Throws
 * `permission` when one is encrypted with another key, before any work; one that is not there is for the worker to tell.
 */
export async function linksOf(
  copy: { readonly storagePath: string; readonly header: ManifestHeader | null },
  given: readonly ChainPlace[],
  key: ClientKey | null,
): Promise<readonly ChainLink[]> {
  const links: ChainLink[] = [];
  for (const { copyId } of copy.header?.chain ?? []) {
    const place = given.find((each) => each.copyId === copyId);
    links.push(await openLink({ copyId, storagePath: place?.storagePath ?? copy.storagePath }, key));
  }
  return links;
}

export async function openLink(place: ChainPlace, key: ClientKey | null): Promise<ChainLink> {
  const { copyId } = place;
  const copyPath = path.join(place.storagePath, copyId);
  try {
    return { copyId, copyPath, secret: await unlockCopy(copyPath, key), fault: null };
  } catch (error) {
    if (!(error instanceof DeviceError) || error.kind !== 'corrupt') throw error;
    return { copyId, copyPath, secret: null, fault: error.message };
  }
}
