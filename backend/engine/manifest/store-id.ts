import { setImmediate as turn } from 'node:timers/promises';
import { ManifestFile } from './manifest-file.ts';

/**
 * The uuid of the store in which a copy's blocks lie; null when its data lie in its own archive. Throws DeviceError
 * when the file list cannot be read.
 */
export async function readStoreId(copyPath: string): Promise<string | null> {
  await turn();
  const file = new ManifestFile(copyPath);
  file.close();
  return file.header.blocks?.store ?? null;
}
