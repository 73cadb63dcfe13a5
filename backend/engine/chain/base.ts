import { setImmediate as turn } from 'node:timers/promises';
import { archiveName, COMPRESSIONS } from '../archive/codec.ts';
import { MANIFEST_NAME } from '../archive/manifest-format.ts';
import type { ClientKey } from '../crypto/client-key.ts';
import { openStored } from '../crypto/copy-secret.ts';
import { DeviceError, toDeviceError } from '../device-error.ts';
import { listState } from '../manifest/list-state.ts';
import { ManifestFile } from '../manifest/manifest-file.ts';
import { type ChainLink, type ChainPlace, openLink } from './links.ts';

/** The copies that a new one builds on, oldest first; the last one is the copy before. */
export interface Base {
  readonly copies: readonly ChainPlace[];
  /** As `lookAtBase` has opened them; without it they are opened, and looked at, when the backup begins. */
  readonly links?: readonly ChainLink[];
}

export type BaseLook =
  | { readonly kind: 'open'; readonly links: readonly ChainLink[] }
  | { readonly kind: 'refused'; readonly reason: string };

/**
 * Opens a base for a backup. Throws DeviceError when nothing may be built on it: a copy of it is not there, has not the
 * size that was written, cannot be opened with the key, or the last one's file list is not what was written.
 */
export async function openBase(base: Base, key: ClientKey | null): Promise<readonly ChainLink[]> {
  const links: ChainLink[] = [];
  for (const [index, place] of base.copies.entries()) {
    const link = await refusing(place, async () => {
      const opened = await openLink(place, key);
      if (opened.fault !== null) throw new DeviceError('corrupt', opened.fault);
      checkLink(opened, links);
      if (index === base.copies.length - 1) await checkList(opened);
      return opened;
    });
    links.push(link);
  }
  return links;
}

/** The same for who has another way when nothing may be built on it. */
export async function lookAtBase(base: Base, key: ClientKey | null): Promise<BaseLook> {
  try {
    return { kind: 'open', links: await openBase(base, key) };
  } catch (error) {
    if (error instanceof DeviceError) return { kind: 'refused', reason: error.message };
    throw error;
  }
}

function checkLink(link: ChainLink, before: readonly ChainLink[]): void {
  const file = new ManifestFile(link.copyPath, link.secret);
  const { chain = [], archiveBytes, compression, blocks } = file.header;
  file.close();
  const isNext =
    chain.length === before.length && chain.every(({ copyId }, at) => copyId === before[at]?.copyId);
  if (!isNext)
    throw new DeviceError('permanent', 'It does not build on the copies that are named before it.');
  // Whether its blocks are there is asked for each file.
  if (blocks !== undefined) return;
  const known = COMPRESSIONS.find((each) => each === compression);
  if (known === undefined) throw new DeviceError('permanent', `Its compression ${compression} is not known.`);
  const archive = openStored(link.copyPath, archiveName(known), 'archive', link.secret);
  const { size } = archive;
  archive.close();
  if (size !== archiveBytes)
    throw new DeviceError('corrupt', 'Its archive has not the size that was written.');
}

/** All of the file list against the hash at its end; other work gets its turn meanwhile. */
async function checkList(link: ChainLink): Promise<void> {
  const file = openStored(link.copyPath, MANIFEST_NAME, 'manifest', link.secret);
  try {
    if ((await listState(file, turn)) === 'good') return;
    throw new DeviceError('corrupt', 'Its file list is not what was written.');
  } finally {
    file.close();
  }
}

async function refusing<R>(place: ChainPlace, look: () => Promise<R>): Promise<R> {
  try {
    return await look();
  } catch (error) {
    const refused = toDeviceError(error, 'It cannot be read');
    if (!(refused instanceof DeviceError)) throw refused;
    const message = `The copy ${place.copyId} cannot be built on. ${refused.message}`;
    throw new DeviceError(refused.kind, message, { cause: error });
  }
}
