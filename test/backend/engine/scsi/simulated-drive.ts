import type { ScsiCommand, ScsiResult } from '../../../../backend/engine/scsi/transport.ts';
import { check, createScriptedUnit, good, type ScriptedUnit } from './simulated-unit.ts';

export interface DriveManners {
  /** Bytes after which each block is written with a warning. */
  readonly warningAt?: number;
  /** Bytes that fit at all. */
  readonly endAt?: number;
  readonly writeProtected?: boolean;
  /** Of a block shorter than asked for sends only the difference, of a longer one nothing, as tgtd does. */
  readonly sendsLittle?: boolean;
  /** Good for UNLOAD, but keeps the cartridge until it is asked with the other bit. */
  readonly needsOtherUnload?: boolean;
  readonly knowsLocate?: boolean;
  readonly mostBlock?: number;
}

export interface SimulatedDrive extends ScriptedUnit {
  readonly tape: (Buffer | 'mark')[];
  /** Block lengths that it was set to, one after the other. */
  readonly blockLengths: readonly number[];
  isLocked: boolean;
  insert(): void;
  takeOut(): void;
  /** As after a power cut: the tape is at its beginning, and the next command hears of it. */
  reset(): void;
  /** Reading the item at this index fails from now on. */
  damage(index: number): void;
}

/** A drive of the tests' own: a list of blocks and marks, and what a real drive does that tgtd does not. */
export function createSimulatedDrive(manners: DriveManners = {}): SimulatedDrive {
  const tape: (Buffer | 'mark')[] = [];
  const damaged = new Set<number>();
  const blockLengths: number[] = [];
  let at = 0;
  let hasCartridge = true;
  let hasReset = true;

  const bytesBefore = (end: number): number =>
    tape.slice(0, end).reduce((sum, item) => sum + (item === 'mark' ? 0 : item.length), 0);
  const warned = (): ScsiResult =>
    bytesBefore(at) > (manners.warningAt ?? Number.POSITIVE_INFINITY)
      ? check(0, 0, 2, { endOfMedium: true })
      : good();
  const read = (size: number): ScsiResult => {
    const item = tape[at];
    if (item === undefined) return check(8, 0, 5);
    if (damaged.has(at)) return check(3, 0x11, 0);
    at += 1;
    if (item === 'mark') return check(0, 0, 1, { filemark: true, information: size });
    if (item.length === size) return good(item);
    const sent = Buffer.alloc(size);
    const copied = item.copy(sent);
    const flags = { incorrectLength: true, information: size - item.length };
    if (!manners.sendsLittle) return check(0, 0, 0, flags, sent.subarray(0, copied));
    return check(0, 0, 0, flags, sent.subarray(0, Math.max(0, size - item.length)));
  };
  const write = (block: Buffer): ScsiResult => {
    if (manners.writeProtected) return check(7, 0x27, 0);
    if (bytesBefore(at) + block.length > (manners.endAt ?? Number.POSITIVE_INFINITY)) {
      return check(0x0d, 0, 2, { endOfMedium: true, information: block.length });
    }
    tape.splice(at, tape.length - at, block);
    at += 1;
    return warned();
  };
  const space = (cdb: Buffer): ScsiResult => {
    const count = cdb.readIntBE(2, 3);
    const code = cdb.readUInt8(1) & 7;
    if (code === 3) at = tape.length;
    if (code === 0) at += count;
    if (code === 1) {
      for (let left = count; left > 0; at += 1) {
        if (tape[at] === undefined) return check(8, 0, 5, { information: left });
        if (tape[at] === 'mark') left -= 1;
      }
    }
    return good();
  };
  const modeSense = (): ScsiResult => {
    const answer = Buffer.alloc(12);
    answer.set([11, 0, manners.writeProtected ? 0x90 : 0x10, 8, 0x5e]);
    return good(answer);
  };
  const locked = { value: false };
  const unload = (cdb: Buffer): ScsiResult => {
    if (!hasCartridge) return check(2, 0x3a, 0);
    if (cdb.readUInt8(4) === 0x01) return good();
    const heeds = !manners.needsOtherUnload || cdb.readUInt8(4) === 0x02;
    if (heeds) hasCartridge = false;
    return good();
  };
  const limits = (): ScsiResult => {
    const answer = Buffer.alloc(6);
    answer.writeUIntBE(manners.mostBlock ?? 0x80_0000, 1, 3);
    answer.writeUInt16BE(1, 4);
    return good(answer);
  };
  const answer = (command: ScsiCommand): ScsiResult => {
    const cdb = Buffer.from(command.cdb);
    const operation = cdb.readUInt8(0);
    if (hasReset) {
      hasReset = false;
      return check(6, 0x29, 0);
    }
    if (operation === 0x1e) {
      locked.value = (cdb.readUInt8(4) & 1) === 1;
      return good();
    }
    if (operation === 0x1b) return unload(cdb);
    if (operation === 0x1a) return modeSense();
    if (operation === 0x05) return limits();
    if (operation === 0x15) {
      blockLengths.push(Buffer.from(command.dataOut ?? []).readUIntBE(9, 3));
      return good();
    }
    if (!hasCartridge) return check(2, 0x3a, 0);
    switch (operation) {
      case 0x00:
        return good();
      case 0x01:
        at = 0;
        return good();
      case 0x08:
        return read(cdb.readUIntBE(2, 3));
      case 0x0a:
        return write(Buffer.from(command.dataOut ?? []));
      case 0x10: {
        if (manners.writeProtected) return check(7, 0x27, 0);
        const marks = Array.from({ length: cdb.readUIntBE(2, 3) }, () => 'mark' as const);
        if (marks.length > 0) tape.splice(at, tape.length - at, ...marks);
        at += marks.length;
        return warned();
      }
      case 0x11:
        return space(cdb);
      case 0x2b:
        if (!manners.knowsLocate) return check(5, 0x20, 0);
        at = cdb.readUInt32BE(3);
        return good();
      case 0x34: {
        if (!manners.knowsLocate) return check(5, 0x20, 0);
        const told = Buffer.alloc(20);
        told.writeUInt32BE(at, 4);
        return good(told);
      }
      default:
        return check(5, 0x20, 0);
    }
  };
  const unit = createScriptedUnit(answer);
  return {
    ...unit,
    tape,
    blockLengths,
    get isLocked() {
      return locked.value;
    },
    insert: () => {
      hasCartridge = true;
      at = 0;
    },
    takeOut: () => {
      hasCartridge = false;
    },
    reset: () => {
      at = 0;
      hasReset = true;
    },
    damage: (index) => void damaged.add(index),
  };
}
