import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TapeDrive } from '../../../../backend/engine/index.ts';
import { firstPartFile, writeLabel } from '../../../../backend/engine/tape/label.ts';
import { openTapeCopyReader } from '../../../../backend/engine/tape/read-part.ts';
import type { CatalogueEntry, TapeLabel } from '../../../../backend/engine/tape/tape-content.ts';
import {
  openTapeCopyWriter,
  type TapeCopyWriter,
  type WrittenPart,
} from '../../../../backend/engine/tape/write-part.ts';
import { firstDrive, firstSlot, never, type VirtualBench } from '../scsi/virtual-bench.ts';

/** A cartridge with a label, and what was written to it. */
export interface Volume {
  readonly label: TapeLabel;
  readonly slot: number;
  file: number;
  readonly entries: CatalogueEntry[];
}

export interface Part extends WrittenPart {
  readonly volume: Volume;
  readonly file: number;
}

export async function makeCopy(root: string, files: Readonly<Record<string, number>>): Promise<string> {
  const folder = join(root, randomUUID());
  await mkdir(folder);
  for (const [name, bytes] of Object.entries(files)) await writeFile(join(folder, name), randomBytes(bytes));
  return folder;
}

export async function hashesOf(folder: string): Promise<Readonly<Record<string, string>>> {
  const names = (await readdir(folder)).sort();
  const all = await Promise.all(
    names.map(async (name) => {
      const hash = createHash('sha256').update(await readFile(join(folder, name)));
      return [name, hash.digest('hex')] as const;
    }),
  );
  return Object.fromEntries(all);
}

/** The cartridge of a slot in the first drive, for as long as the work takes. */
export async function onTape<R>(
  bench: VirtualBench,
  slot: number,
  work: (drive: TapeDrive) => Promise<R>,
): Promise<R> {
  const drive = await bench.mounted(slot);
  try {
    return await work(drive);
  } finally {
    await drive.unload(never);
    await drive.close();
    const robot = await bench.robot();
    await robot.move(firstDrive, firstSlot + slot, never);
    await robot.close();
  }
}

export async function labelled(bench: VirtualBench, slot: number): Promise<Volume> {
  const label = {
    uuid: randomUUID(),
    barcode: bench.barcodes[slot] ?? '',
    pool: 'Tapes',
    written: '2030-01-15T12:00:00Z',
  };
  await onTape(bench, slot, (drive) => writeLabel(drive, label, never));
  return { label, slot, file: firstPartFile, entries: [] };
}

/** Writes a copy to as many cartridges as it takes; rejects as the writer does when it fails on one. */
export async function writeCopy(
  bench: VirtualBench,
  folder: string,
  volumes: readonly Volume[],
  copyId: string = randomUUID(),
): Promise<{ readonly copyId: string; readonly parts: readonly Part[] }> {
  const facts = { resource: '/data' };
  const writer = await openTapeCopyWriter({ from: folder, copyId, facts, onBytes: () => undefined });
  return writeParts(bench, writer, volumes, copyId);
}

export async function writeParts(
  bench: VirtualBench,
  writer: TapeCopyWriter,
  volumes: readonly Volume[],
  copyId: string,
): Promise<{ readonly copyId: string; readonly parts: readonly Part[] }> {
  const parts: Part[] = [];
  for (const volume of volumes) {
    const { label, file, entries } = volume;
    const part = await onTape(bench, volume.slot, (drive) =>
      writer.writePart({ drive, label, file, entries }, never),
    );
    parts.push({ ...part, volume, file });
    entries.push({ file, copy: copyId, number: part.number, isLast: part.isLast, bytes: part.bytes });
    volume.file = part.nextFile;
    if (part.isLast) return { copyId, parts };
  }
  throw new Error(`${volumes.length} cartridges were too few`);
}

/** Reads it back into a new folder. */
export async function readCopy(
  bench: VirtualBench,
  folder: string,
  written: { readonly copyId: string; readonly parts: readonly Part[] },
): Promise<void> {
  const reader = await openTapeCopyReader(folder, () => undefined);
  try {
    for (const { volume, file, number } of written.parts) {
      const part = { tape: volume.label.uuid, copy: written.copyId, number, file };
      await onTape(bench, volume.slot, (drive) => reader.readPart(drive, part, never));
    }
    await reader.finish();
  } finally {
    await reader.close();
  }
}
