import { createIscsiDriver } from '../../backend/engine/index.ts';
import type { TapeLibraryLab } from '../../test/lab/tape/tape-library.ts';

const blockBytes = 262_144;
const firstSlot = 1024;
const firstDrive = 1;

/** The driver alone, one block at a time: nothing is hashed, kept or compared. Seconds of writing and of reading. */
export async function runBare(
  lab: TapeLibraryLab,
  blocks: readonly Buffer[],
): Promise<{ readonly writeSeconds: number; readonly readSeconds: number }> {
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
    await drive.unload(signal);
    return { writeSeconds: (written - began) / 1000, readSeconds: (end - reading) / 1000 };
  } finally {
    await drive.close();
    await robot.move(firstDrive, slot, signal);
    await robot.close();
  }
}
