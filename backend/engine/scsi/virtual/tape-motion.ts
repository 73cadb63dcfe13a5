import type { ScsiResult } from '../transport.ts';
import { check, codes, good } from './answers.ts';
import type { CartridgeFaults } from './library-state.ts';
import { bytesOfRecord, type TapeFile } from './tape-file.ts';

/** The commands that move the tape, on a cartridge that is ready. */
export interface TapeMotion {
  /** Number of the block or filemark at the head. */
  readonly item: number;
  rewind(): void;
  read(cdb: Buffer): Promise<ScsiResult>;
  write(cdb: Buffer, block: Buffer): Promise<ScsiResult>;
  writeFilemarks(count: number): Promise<ScsiResult>;
  space(code: number, count: number): ScsiResult;
  erase(): Promise<ScsiResult>;
  locate(item: number): ScsiResult;
  readPosition(): ScsiResult;
}

/** Room that is left when the early warning comes: for what closes a tape, and never most of it. */
export function roomAfterWarning(cartridgeBytes: number): number {
  return Math.min(Math.max(cartridgeBytes * 0.02, 2 * 1024 * 1024), cartridgeBytes / 4);
}

export function createTapeMotion(
  tape: TapeFile,
  about: { readonly faults: () => CartridgeFaults | null; readonly cartridgeBytes: number },
): TapeMotion {
  let at = 0;
  const endAt = (): number => about.faults()?.endAt ?? about.cartridgeBytes;
  const warningAt = (): number => {
    const told = about.faults()?.earlyWarningAt;
    return Math.min(told ?? about.cartridgeBytes - roomAfterWarning(about.cartridgeBytes), endAt());
  };
  const isPastWarning = (): boolean => tape.bytesBefore(at) > warningAt();
  const isBad = (item: number, kind: 'readErrorAt' | 'writeErrorAt'): boolean =>
    about.faults()?.[kind] === item;
  /** What stands behind the last item: the end of the data, or a place that cannot be read. */
  const behindAll = (information: number): ScsiResult =>
    check(tape.isCutOff ? codes.unreadable : codes.endOfData, { information });
  const warned = (): ScsiResult =>
    isPastWarning() ? check(codes.endOfMedium, { endOfMedium: true }) : good();

  const put = async (kind: 'block' | 'filemark', data: Buffer): Promise<ScsiResult | null> => {
    if (about.faults()?.writeProtected) return check(codes.writeProtected);
    if (isBad(at, 'writeErrorAt')) return check(codes.unwritable, { information: data.length });
    if (tape.bytesBefore(at) + bytesOfRecord(data.length) > endAt()) {
      return check(codes.overflow, { endOfMedium: true, information: data.length });
    }
    try {
      await tape.write(at, kind, data);
    } catch {
      // A full disk below, or one that fails: what a drive calls a write error.
      return check(codes.unwritable, { information: data.length });
    }
    at += 1;
    return null;
  };

  const spaceBlocks = (count: number): ScsiResult => {
    const step = Math.sign(count);
    for (let left = Math.abs(count); left > 0; left -= 1) {
      const next = step > 0 ? at : at - 1;
      if (next < 0) return check(codes.beginning, { endOfMedium: true, information: left });
      const item = tape.item(next);
      if (item === null) return behindAll(left);
      at += step;
      if (item.kind === 'filemark') return check(codes.filemark, { filemark: true, information: left });
    }
    return good();
  };
  const spaceFilemarks = (count: number): ScsiResult => {
    const step = Math.sign(count);
    for (let left = Math.abs(count); left > 0; ) {
      const next = step > 0 ? at : at - 1;
      if (next < 0) return check(codes.beginning, { endOfMedium: true, information: left });
      const item = tape.item(next);
      if (item === null) return behindAll(left);
      at += step;
      if (item.kind === 'filemark') left -= 1;
    }
    return good();
  };

  return {
    get item() {
      return at;
    },
    rewind: () => {
      at = 0;
    },
    read: async (cdb) => {
      const flags = cdb.readUInt8(1);
      const size = cdb.readUIntBE(2, 3);
      // Blocks of one fixed length are not spoken.
      if ((flags & 0x01) !== 0) return check(codes.invalidField);
      if (size === 0) return good();
      if (isBad(at, 'readErrorAt')) return check(codes.unreadable, { information: size });
      const item = tape.item(at);
      if (item === null) return behindAll(size);
      if (item.kind === 'filemark') {
        at += 1;
        return check(codes.filemark, { filemark: true, information: size });
      }
      const data = await tape.read(at);
      if (data === null) return check(codes.unreadable, { information: size });
      at += 1;
      if (data.length === size) return good(data);
      const isSilent = (flags & 0x02) !== 0;
      const sent = data.subarray(0, size);
      if (isSilent) return { ...good(sent), residual: size - sent.length };
      const information = size - data.length;
      return {
        ...check(codes.otherLength, { incorrectLength: true, information }, sent),
        residual: information,
      };
    },
    write: async (cdb, block) => {
      const size = cdb.readUIntBE(2, 3);
      if ((cdb.readUInt8(1) & 0x01) !== 0 || size !== block.length) return check(codes.invalidField);
      if (size === 0) return good();
      return (await put('block', block)) ?? warned();
    },
    writeFilemarks: async (count) => {
      for (let done = 0; done < count; done += 1) {
        const failure = await put('filemark', Buffer.alloc(0));
        if (failure !== null) return failure;
      }
      if (count === 0 && about.faults()?.writeProtected) return check(codes.writeProtected);
      try {
        await tape.sync();
      } catch {
        return check(codes.unwritable);
      }
      return warned();
    },
    space: (code, count) => {
      if (code === 3) {
        at = tape.count;
        return tape.isCutOff ? check(codes.unreadable) : good();
      }
      if (code === 0) return spaceBlocks(count);
      return code === 1 ? spaceFilemarks(count) : check(codes.invalidField);
    },
    erase: async () => {
      // What a drive does at least: a mark of the end of the data, here.
      if (about.faults()?.writeProtected) return check(codes.writeProtected);
      await tape.cut(at);
      return good();
    },
    locate: (item) => {
      if (item > tape.count) {
        at = tape.count;
        return behindAll(0);
      }
      at = item;
      return good();
    },
    readPosition: () => {
      const answer = Buffer.alloc(20);
      answer.writeUInt8((at === 0 ? 0x80 : 0) | (isPastWarning() ? 0x40 : 0), 0);
      answer.writeUInt32BE(at, 4);
      answer.writeUInt32BE(at, 8);
      return good(answer);
    },
  };
}
