/**
 * `struct sg_io_hdr` of <scsi/sg.h> (version 3) as 64-bit Linux lays it out, which is the same on every little-endian machine. Addresses
 * are those of memory that stays where it is while the call runs.
 */
export const sgHeaderBytes = 88;
export const sgIoRequest = 0x2285;
/** What is kept of sense data; the kernel gives no more than 96 bytes. */
export const sgSenseBytes = 96;

export type SgDirection = 'none' | 'in' | 'out';

const directions: Readonly<Record<SgDirection, number>> = { none: -1, out: -2, in: -3 };

/** Offsets, in bytes. */
const at = {
  interfaceId: 0,
  direction: 4,
  cdbLength: 8,
  senseLength: 9,
  dataLength: 12,
  dataAddress: 16,
  cdbAddress: 24,
  senseAddress: 32,
  timeoutMs: 40,
  status: 64,
  senseWritten: 67,
  hostStatus: 68,
  driverStatus: 70,
  residual: 72,
} as const;

export interface SgRequest {
  readonly direction: SgDirection;
  readonly cdbLength: number;
  readonly dataLength: number;
  readonly cdbAddress: bigint;
  readonly senseAddress: bigint;
  /** 0 when there are no data. */
  readonly dataAddress: bigint;
  readonly timeoutMs: number;
}

const mostTimeoutMs = 0xffff_fffe;

export function packSgHeader(request: SgRequest): Buffer {
  const header = Buffer.alloc(sgHeaderBytes);
  header.writeInt32LE('S'.charCodeAt(0), at.interfaceId);
  header.writeInt32LE(directions[request.direction], at.direction);
  header.writeUInt8(request.cdbLength, at.cdbLength);
  header.writeUInt8(sgSenseBytes, at.senseLength);
  header.writeUInt32LE(request.dataLength, at.dataLength);
  header.writeBigUInt64LE(request.dataAddress, at.dataAddress);
  header.writeBigUInt64LE(request.cdbAddress, at.cdbAddress);
  header.writeBigUInt64LE(request.senseAddress, at.senseAddress);
  header.writeUInt32LE(Math.min(Math.max(1, Math.ceil(request.timeoutMs)), mostTimeoutMs), at.timeoutMs);
  return header;
}

/** What the kernel has written into the header. */
export interface SgOutcome {
  readonly status: number;
  readonly senseWritten: number;
  /** Of the host adapter: 0 = it did its part. */
  readonly hostStatus: number;
  /** Of the kernel's own layer; 8 says only that there are sense data. */
  readonly driverStatus: number;
  readonly residual: number;
}

export function unpackSgHeader(header: Buffer): SgOutcome {
  return {
    status: header.readUInt8(at.status),
    senseWritten: header.readUInt8(at.senseWritten),
    hostStatus: header.readUInt16LE(at.hostStatus),
    driverStatus: header.readUInt16LE(at.driverStatus),
    residual: header.readInt32LE(at.residual),
  };
}
