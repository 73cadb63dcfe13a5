import fs from 'node:fs';
import { setPriority } from 'node:os';
import { workerData } from 'node:worker_threads';
import { type ByteString, baseName, fsPath } from '../../platform/byte-path.ts';
import { Control } from '../job/control.ts';
import { Ring } from '../job/ring.ts';
import { finishWorker, runWorker } from '../job/worker-side.ts';
import { isOwnSnapshot } from '../snapshot/snapshot-name.ts';
import { ExcludedItems } from './excluded-items.ts';
import { type DeviceAlias, type ItemStat, lstatItem, takeDevicesAs } from './source-item.ts';

/**
 * Counts files and bytes while the reader is already at work, so that a share can be told. Nothing depends on
 * the figures: what cannot be counted here is left out, and the reader says why.
 */
export interface CountInput {
  readonly control: SharedArrayBuffer;
  readonly ring: SharedArrayBuffer;
  readonly slotCount: number;
  readonly source: ByteString;
  /** Device and inode of what is left out. */
  readonly excludedKeys: readonly string[];
  readonly snapshot: DeviceAlias | null;
}

const input = workerData as CountInput;
const control = new Control(input.control);
const ring = new Ring(input.ring, input.slotCount, control);
const excluded = new ExcludedItems(input.excludedKeys);
const linked = new Set<string>();
let bytes = 0;
let files = 0;

/** Of 19 steps of niceness: the work itself comes first. */
const NICENESS = 10;

runWorker(control, () => {
  stepBack();
  takeDevicesAs(input.snapshot);
  const folders: ByteString[] = [];
  count(input.source, folders);
  for (let folder = folders.pop(); folder !== undefined && !ring.isClosed(); folder = folders.pop()) {
    control.check();
    for (const name of namesIn(folder)) count(`${folder === '/' ? '' : folder}/${name}`, folders);
  }
  if (!ring.isClosed()) {
    control.set('bytesTotal', bytes);
    control.set('filesTotal', files);
  }
  finishWorker(null);
});

/** On Linux this is of the thread alone; elsewhere it would be of the whole server. */
function stepBack(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(NICENESS);
  } catch {
    // Whoever forbids it gets the figures at the usual priority.
  }
}

function count(path: ByteString, folders: ByteString[]): void {
  const stat = statOf(path);
  if (stat === null || excluded.has(stat)) return;
  if (stat.type === 'd') {
    if (isOwnSnapshot(baseName(path), stat.inode)) return;
    folders.push(path);
    return;
  }
  if (stat.type === 'socket') return;
  files += 1;
  if (stat.hasLinks) {
    if (linked.has(stat.key)) return;
    linked.add(stat.key);
  }
  bytes += stat.sizeBytes;
}

function statOf(path: ByteString): ItemStat | null {
  try {
    return lstatItem(path);
  } catch {
    // Vanished, forbidden or too deep for a plain path: the total is a little low then, and progress stays honest.
    return null;
  }
}

function namesIn(folder: ByteString): readonly ByteString[] {
  try {
    return fs.readdirSync(fsPath(folder), { encoding: 'latin1' });
  } catch {
    // The reader meets the same folder and lists it among the skipped items.
    return [];
  }
}
