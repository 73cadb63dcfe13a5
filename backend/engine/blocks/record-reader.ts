import { DeviceError } from '../device-error.ts';
import type { BlockDeviceFile } from './block-device-file.ts';

/** How many bytes of the records behind one are likely to be asked for next; asked when they are not in memory already. */
export type BytesBehind = () => number;

export const nothingBehind: BytesBehind = () => 0;

/**
 * Brings records from the device, those that lie behind each other many at once. What was asked for is never given again from
 * memory: a second look at a record sees the device.
 */
export class RecordReader {
  readonly #device: BlockDeviceFile;
  readonly #memory: Buffer;
  /** What was read and not asked for yet: its place on the device, and where it begins in the memory. */
  #position = 0;
  #at = 0;
  #end = 0;

  /** `mostBytes`: of one record, and of what is read at once. */
  constructor(device: BlockDeviceFile, mostBytes: number) {
    this.#device = device;
    this.#memory = Buffer.allocUnsafeSlow(mostBytes);
  }

  /**
   * The record that lies there; `behind` tells how many bytes of further ones are likely to be asked for next. Valid until the next
   * call. Throws as the device does, and `corrupt` for a record longer than there can be any.
   */
  read(position: number, length: number, behind: BytesBehind): Buffer {
    if (length > this.#memory.length) {
      throw new DeviceError('corrupt', `${this.#device.path}: a record at ${position} is too long.`);
    }
    // Some are passed over, as tar headers are by a restore.
    const passed = position - this.#position;
    const isHeld = passed >= 0 && this.#at + passed + length <= this.#end;
    if (!isHeld) this.#bring(position, length, behind);
    const from = isHeld ? this.#at + passed : this.#at;
    this.#position = position + length;
    this.#at = from + length;
    return this.#memory.subarray(from, from + length);
  }

  #bring(position: number, length: number, behind: BytesBehind): void {
    this.#at = 0;
    this.#end = 0;
    const wanted = Math.min(this.#memory.length, length + behind());
    if (wanted > length && this.#tryFill(position, wanted)) return;
    this.#fill(position, length);
  }

  /** False where the device cannot give so much: it may still give the record itself. */
  #tryFill(position: number, length: number): boolean {
    try {
      this.#fill(position, length);
      return true;
    } catch (error) {
      if (error instanceof DeviceError) return false;
      throw error;
    }
  }

  #fill(position: number, length: number): void {
    this.#device.read(this.#memory.subarray(0, length), position);
    this.#position = position;
    this.#end = length;
  }
}
