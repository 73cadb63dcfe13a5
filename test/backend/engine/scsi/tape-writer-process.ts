import { createVirtualLibraries } from '../../../../backend/engine/index.ts';

/**
 * Writes to the cartridge in the first drive of the library `lab` until it is killed: blocks of 1,000 bytes, their number in
 * each byte, and a filemark after every fourth. Prints the number of each block once the drive has taken it.
 */
const signal = new AbortController().signal;
const libraries = createVirtualLibraries(process.argv[2] ?? '');
const drive = await libraries.driver.openDrive('virtual://lab/1', signal);
await drive.load(signal);
for (let number = 0; ; number += 1) {
  await drive.write(Buffer.alloc(1000, number & 0xff), signal);
  process.stdout.write(`${number}\n`);
  if (number % 4 === 3) await drive.writeFilemarks(1, signal);
}
