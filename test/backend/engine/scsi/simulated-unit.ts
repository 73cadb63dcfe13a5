import { DeviceError } from '../../../../backend/engine/index.ts';
import { decodeSense } from '../../../../backend/engine/scsi/sense.ts';
import type { ScsiCommand, ScsiResult, ScsiTransport } from '../../../../backend/engine/scsi/transport.ts';
import type { UnitClock } from '../../../../backend/engine/scsi/unit.ts';

/** Time that passes only while somebody waits, so that hours take nothing. */
export interface SimulatedClock extends UnitClock {
  advance(ms: number): void;
}

export function createSimulatedClock(): SimulatedClock {
  let now = 0;
  return {
    now: () => now,
    wait: async (ms, signal) => {
      signal.throwIfAborted();
      now += ms;
    },
    advance: (ms) => {
      now += ms;
    },
  };
}

export const good = (data: Buffer = Buffer.alloc(0), residual = 0): ScsiResult => ({
  status: 0,
  sense: null,
  data,
  residual,
});

export interface SenseFlags {
  readonly filemark?: boolean;
  readonly endOfMedium?: boolean;
  readonly incorrectLength?: boolean;
  readonly information?: number;
  readonly deferred?: boolean;
}

/** CHECK CONDITION with sense data of the fixed format, made as bytes and decoded like those of a device. */
export function check(
  key: number,
  asc: number,
  ascq: number,
  flags: SenseFlags = {},
  data: Buffer = Buffer.alloc(0),
): ScsiResult {
  const bytes = Buffer.alloc(18);
  const isValid = flags.information !== undefined;
  bytes.writeUInt8((flags.deferred ? 0x71 : 0x70) | (isValid ? 0x80 : 0), 0);
  const bits =
    (flags.filemark ? 0x80 : 0) | (flags.endOfMedium ? 0x40 : 0) | (flags.incorrectLength ? 0x20 : 0);
  bytes.writeUInt8(bits | key, 2);
  bytes.writeInt32BE(flags.information ?? 0, 3);
  bytes.writeUInt8(10, 7);
  bytes.writeUInt8(asc, 12);
  bytes.writeUInt8(ascq, 13);
  return { status: 2, sense: decodeSense(bytes), data, residual: 0 };
}

export type Answer = ScsiResult | DeviceError;

export interface ScriptedUnit {
  readonly transport: ScsiTransport;
  /** Operation codes of all commands so far. */
  readonly log: readonly number[];
  readonly commands: readonly ScsiCommand[];
  /** The next command with this operation code gets these answers, one after the other; then it works again. */
  next(operation: number, ...answers: readonly Answer[]): void;
}

/** Runs `work` for each command, unless another answer was put before it. */
export function createScriptedUnit(work: (command: ScsiCommand) => ScsiResult): ScriptedUnit {
  const commands: ScsiCommand[] = [];
  const log: number[] = [];
  const queued = new Map<number, Answer[]>();
  return {
    log,
    commands,
    next: (operation, ...answers) => {
      queued.set(operation, [...(queued.get(operation) ?? []), ...answers]);
    },
    transport: {
      execute: async (command) => {
        const operation = command.cdb[0] ?? -1;
        commands.push(command);
        log.push(operation);
        if (command.signal?.aborted) throw new DeviceError('cancelled', 'it was cancelled.');
        const answer = queued.get(operation)?.shift() ?? work(command);
        if (answer instanceof DeviceError) throw answer;
        return answer;
      },
      close: async () => undefined,
    },
  };
}
