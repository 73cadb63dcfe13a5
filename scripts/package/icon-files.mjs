// Icons in the files of their platforms; both hold the same drawn images as PNG, which Windows and macOS read since Vista and 10.7.
import { iconPng } from './icon.mjs';

export const icoSizes = [16, 24, 32, 48, 64, 128, 256];
/** Apple's name of each image, by its size in pixels. */
export const icnsTypes = Object.freeze({
  icp4: 16,
  icp5: 32,
  icp6: 64,
  ic07: 128,
  ic08: 256,
  ic09: 512,
  ic10: 1024,
});

/** Windows' icon: a directory of images, then the images. */
export function icoFile() {
  const images = icoSizes.map(iconPng);
  const header = Buffer.alloc(6);
  header.writeUInt16LE(1, 2);
  header.writeUInt16LE(images.length, 4);
  let offset = 6 + 16 * images.length;
  const entries = images.map((image, at) => {
    const entry = Buffer.alloc(16);
    // 256 is written as 0: a byte has no more.
    entry.writeUInt8(icoSizes[at] % 256, 0);
    entry.writeUInt8(icoSizes[at] % 256, 1);
    entry.writeUInt16LE(1, 4);
    entry.writeUInt16LE(32, 6);
    entry.writeUInt32LE(image.length, 8);
    entry.writeUInt32LE(offset, 12);
    offset += image.length;
    return entry;
  });
  return Buffer.concat([header, ...entries, ...images]);
}

/** Apple's icon: images one after another, each behind its name and length. */
export function icnsFile() {
  const parts = Object.entries(icnsTypes).map(([type, size]) => block(type, iconPng(size)));
  return block('icns', Buffer.concat(parts));
}

function block(type, data) {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(8 + data.length);
  return Buffer.concat([Buffer.from(type, 'latin1'), length, data]);
}
