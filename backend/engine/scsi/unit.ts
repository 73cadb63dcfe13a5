import { setTimeout as sleep } from 'node:timers/promises';
import { DeviceError } from '../device-error.ts';
import { type Sense, senseKey } from './sense.ts';
import { senseError, senseOf } from './sense-words.ts';
import { type ScsiResult, type ScsiTransport, scsiStatus } from './transport.ts';

/** One command of a driver. */
export interface UnitCommand {
  readonly cdb: Uint8Array;
  readonly dataIn?: number;
  readonly dataOut?: Uint8Array;
  /** For the whole call, with what is repeated. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** What is being done, for messages: `reading block 7`. */
  readonly doing: string;
  /**
   * What a unit attention means: the device tells of a change in place of doing the command. `repeat` for what may follow any
   * change; `fail` for what would then be done in the wrong place.
   */
  readonly onAttention: 'repeat' | 'fail';
}

/** A logical unit: robot or drive. */
export interface ScsiUnit {
  /** For messages. */
  readonly path: string;
  /**
   * Runs a command and waits while the unit is busy. Resolves with a good end or with sense data of no error (a filemark, the end of
   * the medium, another length of the block, a recovered error); rejects with a `DeviceError` whose sense data `senseOf` gives.
   */
  run(command: UnitCommand): Promise<ScsiResult>;
  /** Takes up what the unit has to tell of changes, until it has told all. The unit need not be ready. */
  settle(signal: AbortSignal): Promise<void>;
  /** What the unit told of last time it changed, once: null when nothing. */
  takeAttention(): Sense | null;
  /** It said with any answer that it has to be cleaned (additional sense 00h/17h). */
  readonly asksForCleaning: boolean;
  /** Waits, or rejects with `cancelled`. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** Now, in milliseconds of no particular beginning. */
  now(): number;
}

/** Replaced in tests of what takes hours. */
export interface UnitClock {
  now(): number;
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

export const testUnitReady = new Uint8Array(6);
export const quickMs = 10_000;
const mostAttentions = 16;
const longestPauseMs = 2_000;

const realClock: UnitClock = {
  now: () => performance.now(),
  wait: async (ms, signal) => {
    await sleep(ms, undefined, { signal });
  },
};

export function createUnit(
  transport: ScsiTransport,
  unit: { readonly lun: number; readonly path: string; readonly clock?: UnitClock },
): ScsiUnit {
  const { lun, path, clock = realClock } = unit;
  let attention: Sense | null = null;
  let asksForCleaning = false;

  const wait = async (ms: number, signal: AbortSignal): Promise<void> => {
    try {
      await clock.wait(ms, signal);
    } catch (error) {
      if (signal.aborted) throw new DeviceError('cancelled', `${path}: it was cancelled.`, { cause: error });
      throw error;
    }
  };

  const run = async (command: UnitCommand): Promise<ScsiResult> => {
    const { doing, signal, timeoutMs } = command;
    const where = `${path}: ${doing}`;
    const deadline = clock.now() + timeoutMs;
    let pauseMs = 50;
    for (let attentions = 0; ; ) {
      const result = await transport.execute({
        lun,
        cdb: command.cdb,
        ...(command.dataIn === undefined ? {} : { dataIn: command.dataIn }),
        ...(command.dataOut === undefined ? {} : { dataOut: command.dataOut }),
        timeoutMs: Math.max(1, deadline - clock.now()),
        signal,
      });
      const { sense, status } = result;
      if (sense?.asc === 0x00 && sense.ascq === 0x17) asksForCleaning = true;
      if (status === scsiStatus.busy || status === scsiStatus.taskSetFull) {
        // Such a command was not begun, so it may be sent again whatever it does.
        if (clock.now() + pauseMs > deadline) {
          throw new DeviceError('busy', `${where}: the device was busy for ${timeoutMs / 1000} s.`);
        }
        await wait(pauseMs, signal);
        pauseMs = Math.min(2 * pauseMs, longestPauseMs);
        continue;
      }
      if (sense?.key === senseKey.unitAttention && !sense.deferred) {
        attention = sense;
        attentions += 1;
        if (command.onAttention === 'repeat' && attentions <= mostAttentions) continue;
        throw senseError(where, sense);
      }
      refuseFailure(where, result);
      return result;
    }
  };

  return {
    path,
    run,
    get asksForCleaning() {
      return asksForCleaning;
    },
    wait,
    now: () => clock.now(),
    settle: async (signal) => {
      const command = { cdb: testUnitReady, timeoutMs: quickMs, signal, doing: 'asking how it is' };
      try {
        await run({ ...command, onAttention: 'repeat' });
      } catch (error) {
        // Not ready is no failure here: a drive may be empty.
        if (senseOf(error)?.key !== senseKey.notReady) throw error;
      }
    },
    takeAttention: () => {
      const taken = attention;
      attention = null;
      return taken;
    },
  };
}

/** Returns when the command did what it should, or met no more than a mark or an end on the tape. */
function refuseFailure(where: string, { status, sense }: ScsiResult): void {
  if (status === scsiStatus.reservationConflict) {
    throw new DeviceError('busy', `${where}: another host has reserved the device; release it there.`);
  }
  if (status === scsiStatus.taskAborted) {
    throw new DeviceError('transient', `${where}: another host aborted the command.`);
  }
  const isFailure = sense !== null && sense.key > senseKey.recovered;
  // Some devices say "good" and tell of the failure in the sense data alone.
  if (isFailure) throw senseError(where, sense);
  if (status === scsiStatus.good || (status === scsiStatus.checkCondition && sense !== null)) return;
  throw new DeviceError(
    'transient',
    `${where}: the device ended the command with status ${status.toString(16)} and gave no reason.`,
  );
}
