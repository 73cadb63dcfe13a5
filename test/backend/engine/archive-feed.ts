import fs from 'node:fs';
import path from 'node:path';
import { ArchiveArrival, type ArrivingArchive } from '../../../backend/engine/index.ts';
import type { Copy } from './fixture.ts';

const blockBytes = 262_144;

/** Takes the archive of a copy away and brings it to another folder in blocks, as a tape does. */
export function feedArchive(
  copy: Copy,
  folder: string,
  windowBytes: number,
): { readonly arriving: ArrivingArchive; readonly fed: Promise<void> } {
  fs.mkdirSync(folder);
  const away = path.join(folder, 'away');
  fs.renameSync(path.join(copy.path, copy.archiveFile), away);
  const archive = fs.openSync(away, 'r');
  const file = fs.openSync(path.join(folder, copy.archiveFile), 'w');
  const { size } = fs.fstatSync(archive);
  const memory = ArchiveArrival.memory(windowBytes);
  const feed = async (): Promise<void> => {
    const arrival = new ArchiveArrival(memory);
    for (let at = 0; at < size; at += blockBytes) {
      const block = Buffer.alloc(Math.min(blockBytes, size - at));
      fs.readSync(archive, block, 0, block.length, at);
      await new Promise((resolve) => setImmediate(resolve));
      await arrival.put(block, at, async (data, offset) => {
        fs.writeSync(file, data, 0, data.length, offset);
      });
    }
    arrival.end();
    fs.closeSync(archive);
    fs.closeSync(file);
    fs.renameSync(away, path.join(copy.path, copy.archiveFile));
  };
  return { arriving: { memory, folder, bytes: size }, fed: feed() };
}
