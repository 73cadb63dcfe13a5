import type { Sense } from './sense.ts';

/** Status codes of SAM that the drivers tell apart; any other counts as a failure. */
export const scsiStatus = {
  good: 0x00,
  checkCondition: 0x02,
  busy: 0x08,
  reservationConflict: 0x18,
  taskSetFull: 0x28,
  taskAborted: 0x40,
} as const;

/** One command block for one logical unit. */
export interface ScsiCommand {
  readonly lun: number;
  /** 6, 10, 12 or 16 bytes. */
  readonly cdb: Uint8Array;
  /** Bytes that the device may send at most. The lengths in `cdb` must say the same: targets have died of less. */
  readonly dataIn?: number;
  /** Must stay as it is until the call has settled. Not together with `dataIn`. */
  readonly dataOut?: Uint8Array;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** How a command ended at the device, well or badly. */
export interface ScsiResult {
  readonly status: number;
  /** Null when the device sent none that can be read. May come with a good status too. */
  readonly sense: Sense | null;
  /** What came from the device, `dataIn` bytes at most. */
  readonly data: Buffer;
  /** Bytes of the agreed length that were not transferred; negative: the device had more than was asked for. */
  readonly residual: number;
}

/**
 * A way to the logical units of one target. Several commands may run at once, those of one unit in any order.
 *
 * `execute` settles soon after `timeoutMs` or the signal's abort at the latest. It rejects with a `DeviceError` only when it is
 * not known how the command ended, or when it was never sent: `transient` (no answer in time, connection lost), `cancelled`,
 * `permission` and `notFound` (the target lets nobody in like this), `corrupt` (the other side breaks the protocol). After
 * such a rejection the next command begins with a new connection where that is needed.
 */
export interface ScsiTransport {
  execute(command: ScsiCommand): Promise<ScsiResult>;
  /** Ends what is running (it rejects) and leaves the target. Never rejects, may be repeated. */
  close(): Promise<void>;
}
