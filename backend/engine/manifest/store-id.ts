import { setImmediate as turn } from 'node:timers/promises';
import { readNamesHead } from '../blocks/block-names.ts';
import { ManifestFile } from './manifest-file.ts';

/**
 * The uuid of the store in which a copy's blocks lie; null when its data lie in its own archive. Throws DeviceError
 * when that cannot be read. Needs no key.
 */
export async function readStoreId(copyPath: string): Promise<string | null> {
  await turn();
  const names = readNamesHead(copyPath);
  if (names !== null) return names.store;
  const file = new ManifestFile(copyPath);
  file.close();
  return file.header.blocks?.store ?? null;
}
