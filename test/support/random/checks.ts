import fs from 'node:fs';
import path from 'node:path';
import { readBlockNames, readNamesHead } from '../../../backend/engine/blocks/block-names.ts';
import { ManifestReader } from '../../../backend/engine/manifest/manifest-reader.ts';
import type { BlockDevice } from '../../../contract/block-devices/block-device.ts';
import type { Copy } from '../../../contract/repository/copy.ts';
import { countingRecords, type LaidRecord, readBlockLayout } from '../block-layout.ts';
import { type Lab, type PoolName, poolNames, pools } from './lab.ts';

/**
 * Folders on the storages that no copy owns, and copies without one. `cutOff`: copies and moves that may be begun again, and
 * of which what has arrived is kept.
 */
export function strayFolders(lab: Lab, listed: readonly Copy[], cutOff: number): readonly string[] {
  const all = lookAtFolders(lab, listed);
  const arrived = all.filter((line) => line.includes('.partial '));
  return arrived.length > cutOff ? all : all.filter((line) => !arrived.includes(line));
}

function lookAtFolders(lab: Lab, listed: readonly Copy[]): readonly string[] {
  return poolNames.flatMap((pool) => {
    const owned = new Set(listed.filter((copy) => copy.pool === pool).map((copy) => String(copy.path)));
    const found = fs.readdirSync(lab.storageOf(pool)).map((name) => path.join(lab.storageOf(pool), name));
    const stray = found
      .filter((folder) => !owned.has(folder))
      .map((folder) => `${folder} belongs to no copy`);
    const lost = [...owned]
      .filter((folder) => !found.includes(folder))
      .map((folder) => `${folder} is not there`);
    return [...stray, ...lost];
  });
}

/**
 * Counts anew, from the file lists and the device itself, which blocks are needed: all of them must be there, and after a
 * cleaning no segment may be in use that lives to no more than a half, other than the newest.
 */
export async function recountBlocks(lab: Lab, listed: readonly Copy[]): Promise<readonly string[]> {
  const devices = await lab.queue.good<BlockDevice[]>('GET', '/storage_block_devices');
  return poolNames
    .filter((pool) => pools[pool].kind === 'blocks')
    .flatMap((pool) => {
      const copies = listed.filter((copy) => copy.pool === pool);
      const used = devices.find((device) => device.device === lab.deviceOf(pool))?.used ?? -1;
      return used === 0 && copies.length === 0 ? [] : recountPool(lab, pool, copies, used);
    });
}

function recountPool(lab: Lab, pool: PoolName, copies: readonly Copy[], used: number): readonly string[] {
  const layout = readBlockLayout(lab.deviceOf(pool));
  const records = countingRecords(layout);
  const problems: string[] = [];
  const live = new Map<string, LaidRecord>();
  for (const copy of copies) {
    for (const hash of blocksOf(String(copy.path))) {
      const record = records.get(hash);
      if (record === undefined) problems.push(`copy ${copy.id} needs block ${hash}, which is not in ${pool}`);
      else live.set(hash, record);
    }
  }
  const liveBytes = new Map<number, number>();
  for (const { segment, storedBytes } of live.values()) {
    liveBytes.set(segment, (liveBytes.get(segment) ?? 0) + storedBytes);
  }
  const newest = Math.max(...layout.segments.map(({ sequence }) => sequence));
  for (const { number, sequence } of layout.segments) {
    if (sequence === newest) continue;
    const share = (liveBytes.get(number) ?? 0) / layout.segmentBytes;
    if (share <= 0.5) problems.push(`segment ${number} of ${pool} lives to ${share} and was not freed`);
  }
  const usedHere = copies.length === 0 ? 0 : layout.segments.length * layout.segmentBytes;
  if (used !== usedHere) problems.push(`${pool} says that ${used} bytes are used, not ${usedHere}`);
  return problems;
}

function blocksOf(copyPath: string): readonly string[] {
  if (readNamesHead(copyPath) !== null) return [...readBlockNames(copyPath)].flat();
  const reader = new ManifestReader(copyPath);
  try {
    return [...reader.frames.blockHashes()].flat();
  } finally {
    reader.close();
  }
}
