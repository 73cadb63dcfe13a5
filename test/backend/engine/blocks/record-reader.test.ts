import { describe, expect, it } from 'vitest';
import type { BlockDeviceFile } from '../../../../backend/engine/blocks/block-device-file.ts';
import { RecordReader } from '../../../../backend/engine/blocks/record-reader.ts';
import { DeviceError } from '../../../../backend/engine/device-error.ts';

/** A device whose every byte tells its place, with a part that cannot be read from `badFrom` on. */
function deviceOf(sizeBytes: number, badFrom = sizeBytes) {
  const bytes = Buffer.from(Array.from({ length: sizeBytes }, (_, at) => at % 251));
  const reads: (readonly [position: number, length: number])[] = [];
  const device: BlockDeviceFile = {
    path: '/dev/pretended',
    read: (into, position) => {
      reads.push([position, into.length]);
      if (position + into.length > badFrom) throw new DeviceError('permanent', 'the disk cannot read it');
      into.set(bytes.subarray(position, position + into.length));
    },
    write: () => undefined,
    sync: () => undefined,
    close: () => undefined,
  };
  return { device, bytes, reads };
}

describe('a reader of records', () => {
  it('reads those behind each other at once, also where some are passed over', () => {
    const { device, bytes, reads } = deviceOf(4096);
    const reader = new RecordReader(device, 1024);
    expect(reader.read(100, 50, () => 400)).toEqual(bytes.subarray(100, 150));
    expect(reader.read(150, 60, () => 340)).toEqual(bytes.subarray(150, 210));
    expect(reader.read(300, 250, () => 0)).toEqual(bytes.subarray(300, 550));
    expect(reads).toEqual([[100, 450]]);
    expect(reader.read(550, 10, () => 0)).toEqual(bytes.subarray(550, 560));
    expect(reads).toEqual([
      [100, 450],
      [550, 10],
    ]);
  });

  it('sees the device again where it is asked twice', () => {
    const { device, bytes, reads } = deviceOf(4096);
    const reader = new RecordReader(device, 1024);
    reader.read(0, 64, () => 512);
    bytes[3] = 255;
    bytes[70] = 254;
    expect(reader.read(0, 64, () => 0)[3]).toBe(255);
    expect(reader.read(64, 64, () => 0)[6]).toBe(254);
    expect(reads).toEqual([
      [0, 576],
      [0, 64],
      [64, 64],
    ]);
  });

  it('gives what is good where the disk cannot read what lies behind it', () => {
    const { device, bytes, reads } = deviceOf(4096, 200);
    const reader = new RecordReader(device, 1024);
    expect(reader.read(100, 100, () => 500)).toEqual(bytes.subarray(100, 200));
    expect(() => reader.read(200, 100, () => 0)).toThrow('the disk cannot read it');
    expect(reader.read(0, 100, () => 0)).toEqual(bytes.subarray(0, 100));
    expect(reads).toEqual([
      [100, 600],
      [100, 100],
      [200, 100],
      [0, 100],
    ]);
  });

  it('never reads more than it has room for, and refuses a record that no store has', () => {
    const { device, bytes, reads } = deviceOf(4096);
    const reader = new RecordReader(device, 256);
    expect(reader.read(8, 100, () => 4000)).toEqual(bytes.subarray(8, 108));
    expect(reads).toEqual([[8, 256]]);
    expect(() => reader.read(0, 257, () => 0)).toThrow('a record at 0 is too long');
  });
});
