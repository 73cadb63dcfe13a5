import { deviceType } from '../inquiry.ts';
import type { ScsiResult } from '../transport.ts';
import { check, codes, good } from './answers.ts';
import type { UnitIdentityText } from './common-commands.ts';
import { type CartridgeFaults, type DriveFaults, isCleaningBarcode } from './library-state.ts';
import type { TapeFile } from './tape-file.ts';
import { createTapeMotion, type TapeMotion } from './tape-motion.ts';

/** What a drive needs of the library around it. */
export interface DriveHost {
  /** Barcode of what the robot put in; null when empty. */
  cartridge(): string | null;
  faults(): DriveFaults | null;
  faultsOf(barcode: string): CartridgeFaults | null;
  readonly cartridgeBytes: number;
  openTape(barcode: string): Promise<TapeFile>;
  /** A person has pulled the cartridge out. */
  pulled(barcode: string): Promise<void>;
  /** A cleaning cartridge has done its work. */
  cleaned(barcode: string): Promise<void>;
}

export interface VirtualDrive {
  run(cdb: Buffer, dataOut: Uint8Array | undefined): Promise<ScsiResult>;
  /** A cartridge holds on to the drive: loaded, or kept in by PREVENT. */
  readonly isHolding: boolean;
  /** The robot has put another cartridge in, or taken it. */
  exchanged(): Promise<void>;
  /** The user who kept the cartridge in is gone. */
  allowRemoval(): void;
  /** As after a power cut: at the beginning of the tape, with the settings that it starts with. */
  reset(): void;
  close(): Promise<void>;
}

export const driveIdentity = (serial: string, number: number): UnitIdentityText => ({
  type: deviceType.tape,
  model: 'VIRTUAL LTO-8',
  serial: `${serial}D${number}`,
});

const mostBlockBytes = 0x80_0000;
const density = 0x5e;

/** A drive of a virtual library, with what is in it. */
export function createVirtualDrive(host: DriveHost): VirtualDrive {
  let motion: TapeMotion | null = null;
  let tape: TapeFile | null = null;
  /** A cartridge that was put in is loaded by itself; one that was unloaded waits for the order. */
  let isUnloaded = false;
  let hasCleaned = false;
  let notReadyAnswers = 0;
  let isPrevented = false;
  let blockBytes = 0;

  const letGo = async (): Promise<void> => {
    const old = tape;
    tape = null;
    motion = null;
    await old?.close();
  };
  const faultsOfTape = (): CartridgeFaults | null => {
    const barcode = host.cartridge();
    return barcode === null ? null : host.faultsOf(barcode);
  };

  /** Null when the tape can be used; else what TEST UNIT READY says. */
  const whyNotReady = async (): Promise<ScsiResult | null> => {
    const barcode = host.cartridge();
    if (barcode === null) return check(codes.noCartridge);
    if (isUnloaded) return check(codes.needsLoad);
    if (notReadyAnswers > 0) {
      notReadyAnswers -= 1;
      return check(codes.becomingReady);
    }
    if (motion !== null) return null;
    if (isCleaningBarcode(barcode)) {
      if (!hasCleaned) await host.cleaned(barcode);
      hasCleaned = true;
      return check(codes.cleaningCartridge);
    }
    try {
      tape = await host.openTape(barcode);
    } catch {
      // Whatever is wrong with the file: to the drive it is a cartridge of a kind that it does not know.
      return check(codes.formatUnknown);
    }
    motion = createTapeMotion(tape, { faults: faultsOfTape, cartridgeBytes: host.cartridgeBytes });
    return null;
  };

  const load = async (cdb: Buffer): Promise<ScsiResult> => {
    if (host.cartridge() === null) return check(codes.noCartridge);
    if ((cdb.readUInt8(4) & 0x01) === 1) {
      if (isUnloaded) notReadyAnswers = host.faults()?.becomingReady ?? 0;
      isUnloaded = false;
      motion?.rewind();
      return good();
    }
    if (isPrevented) return check(codes.removalPrevented);
    await tape?.sync();
    await letGo();
    isUnloaded = true;
    return good();
  };

  const modeSense = (cdb: Buffer): ScsiResult => {
    const page = cdb.readUInt8(2) & 0x3f;
    if (page !== 0 && page !== 0x3f) return check(codes.invalidField);
    const answer = Buffer.alloc(12);
    const isProtected = faultsOfTape()?.writeProtected ?? false;
    answer.set([11, 0x78, (isProtected ? 0x80 : 0) | 0x10, 8, density], 0);
    answer.writeUIntBE(blockBytes, 9, 3);
    return good(answer.subarray(0, cdb.readUInt8(4)));
  };
  const modeSelect = (dataOut: Uint8Array | undefined): ScsiResult => {
    const data = Buffer.from(dataOut ?? []);
    if (data.length >= 12 && data.readUInt8(3) === 8) blockBytes = data.readUIntBE(9, 3);
    return good();
  };
  const readLimits = (): ScsiResult => {
    const answer = Buffer.alloc(6);
    answer.writeUIntBE(mostBlockBytes, 1, 3);
    answer.writeUInt16BE(1, 4);
    return good(answer);
  };
  const logSense = (cdb: Buffer): ScsiResult => {
    if ((cdb.readUInt8(2) & 0x3f) !== 0x2e) return check(codes.invalidField);
    const alerts = host.faults()?.alerts ?? [];
    const answer = Buffer.alloc(4 + 64 * 5);
    answer.writeUInt8(0x2e, 0);
    answer.writeUInt16BE(64 * 5, 2);
    for (let flag = 1; flag <= 64; flag += 1) {
      const at = 4 + 5 * (flag - 1);
      answer.writeUInt16BE(flag, at);
      answer.writeUInt8(1, at + 3);
      answer.writeUInt8(alerts.includes(flag) ? 1 : 0, at + 4);
    }
    return good(answer.subarray(0, cdb.readUInt16BE(7)));
  };

  const onTape = async (cdb: Buffer, dataOut: Uint8Array | undefined): Promise<ScsiResult> => {
    const notReady = await whyNotReady();
    if (notReady !== null || motion === null) return notReady ?? check(codes.noCartridge);
    const barcode = host.cartridge();
    const isItem = [0x08, 0x0a, 0x10].includes(cdb.readUInt8(0));
    if (isItem && barcode !== null && faultsOfTape()?.pulledAt === motion.item) {
      await host.pulled(barcode);
      await letGo();
      isPrevented = false;
      return check(codes.noCartridge);
    }
    switch (cdb.readUInt8(0)) {
      case 0x00:
        return good();
      case 0x01:
        motion.rewind();
        return good();
      case 0x08:
        return motion.read(cdb);
      case 0x0a:
        return motion.write(cdb, Buffer.from(dataOut ?? []));
      case 0x10:
        return motion.writeFilemarks(cdb.readUIntBE(2, 3));
      case 0x11:
        return motion.space(cdb.readUInt8(1) & 0x07, cdb.readIntBE(2, 3));
      case 0x19:
        return motion.erase();
      case 0x2b:
        return motion.locate(cdb.readUInt32BE(3));
      case 0x34:
        return motion.readPosition();
      default:
        return check(codes.unknownCommand);
    }
  };

  return {
    get isHolding() {
      return isPrevented || motion !== null;
    },
    allowRemoval: () => {
      isPrevented = false;
    },
    reset: () => {
      motion?.rewind();
      isPrevented = false;
      blockBytes = 0;
    },
    exchanged: async () => {
      await letGo();
      isUnloaded = false;
      hasCleaned = false;
      isPrevented = false;
      notReadyAnswers = host.cartridge() === null ? 0 : (host.faults()?.becomingReady ?? 0);
    },
    close: letGo,
    run: async (cdb, dataOut) => {
      switch (cdb.readUInt8(0)) {
        case 0x05:
          return readLimits();
        case 0x15:
          return modeSelect(dataOut);
        case 0x1a:
          return modeSense(cdb);
        case 0x1b:
          return load(cdb);
        case 0x1e:
          isPrevented = (cdb.readUInt8(4) & 0x01) === 1;
          return good();
        case 0x4d:
          return logSense(cdb);
        default:
          return onTape(cdb, dataOut);
      }
    },
  };
}
