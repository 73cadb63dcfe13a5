import { open, rm } from 'node:fs/promises';
import { createIscsiDriver, type TapeDrive } from '../../backend/engine/index.ts';
import type { TapeLibraryLab } from '../../test/lab/tape/tape-library.ts';

const blockBytes = 262_144;
const firstSlot = 1024;
const firstDrive = 1;

/**
 * The driver alone, one block at a time: nothing is hashed or compared. Seconds of writing, of reading, and of reading into a new file, each block
 * written to it while the drive reads the next one: what no restore can do without.
 */
export async function runBare(
  lab: TapeLibraryLab,
  blocks: readonly Buffer[],
  file: string,
): Promise<{ readonly writeSeconds: number; readonly readSeconds: number; readonly keepSeconds: number }> {
  const { signal } = new AbortController();
  const { address, port } = lab;
  const driver = createIscsiDriver({
    portals: async () => [{ address, port, credentials: null }],
    initiatorName: 'iqn.2026-11.local.strongroom:bench',
  });
  const robot = await driver.openChanger(lab.path(lab.changerLun), signal);
  // The last cartridge, which the product does not come to.
  const full = (await robot.inventory(signal)).filter((one) => one.kind === 'storage' && one.full);
  const slot = full.at(-1)?.address ?? firstSlot;
  await robot.move(slot, firstDrive, signal);
  const drive = await driver.openDrive(lab.path(1), signal);
  try {
    await drive.load(signal);
    const began = performance.now();
    for (const block of blocks) await drive.write(block, signal);
    await drive.writeFilemarks(1, signal);
    await drive.writeFilemarks(0, signal);
    const written = performance.now();
    await drive.rewind(signal);
    let read = 0;
    const reading = performance.now();
    for (let next = await drive.read(blockBytes, signal); next.kind === 'block'; read += 1) {
      next = await drive.read(blockBytes, signal);
    }
    const end = performance.now();
    if (read !== blocks.length) throw new Error(`${read} blocks came back of ${blocks.length}`);
    await drive.rewind(signal);
    const keeping = performance.now();
    await keep(drive, file, signal);
    const kept = performance.now();
    await rm(file);
    await drive.unload(signal);
    return {
      writeSeconds: (written - began) / 1000,
      readSeconds: (end - reading) / 1000,
      keepSeconds: (kept - keeping) / 1000,
    };
  } finally {
    await drive.close();
    await robot.move(firstDrive, slot, signal);
    await robot.close();
  }
}

async function keep(drive: TapeDrive, file: string, signal: AbortSignal): Promise<void> {
  const handle = await open(file, 'wx');
  try {
    for (let next = await drive.read(blockBytes, signal); next.kind === 'block'; ) {
      const { data } = next;
      const [coming] = await Promise.all([drive.read(blockBytes, signal), handle.write(data)]);
      next = coming;
    }
  } finally {
    await handle.close();
  }
}
