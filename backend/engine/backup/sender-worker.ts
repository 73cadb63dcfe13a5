import fs from 'node:fs';
import { workerData } from 'node:worker_threads';
import { writeAllSync } from '../../platform/files.ts';
import { Control } from '../job/control.ts';
import { Ring, type Slot } from '../job/ring.ts';
import { finishWorker, runWorker } from '../job/worker-side.ts';
import { refusedWrite } from './refused-write.ts';

/** Writes frames of the archive to the places that the writer gave them, beside other senders. */
export interface SenderInput {
  readonly control: SharedArrayBuffer;
  readonly ring: SharedArrayBuffer;
  readonly slotCount: number;
  /** Made by the writer before it places anything. */
  readonly archivePath: string;
  readonly storagePath: string;
}

const input = workerData as SenderInput;
const control = new Control(input.control);
const ring = new Ring(input.ring, input.slotCount, control);
let fd: number | null = null;

runWorker(control, () => {
  try {
    for (let placed = ring.claimPlaced(); placed !== null; placed = ring.claimPlaced()) {
      send(placed.slot);
      ring.sent(placed.index);
    }
  } finally {
    // Its data are made durable by the writer, who syncs the file whoever has written to it.
    if (fd !== null) fs.closeSync(fd);
  }
  finishWorker(null);
});

function send({ bytes, length, second: position }: Slot): void {
  try {
    fd ??= fs.openSync(input.archivePath, 'r+');
    writeAllSync(fd, bytes.subarray(0, length), position);
  } catch (error) {
    throw refusedWrite(error, input.storagePath, control, control.get('transferredBytes'));
  }
}
