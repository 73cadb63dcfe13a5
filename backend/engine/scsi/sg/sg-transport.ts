import { constants, open } from 'node:fs/promises';
import { errorCode } from '../../../platform/native.ts';
import { DeviceError, type DeviceErrorKind, toDeviceError } from '../../device-error.ts';
import { decodeSense } from '../sense.ts';
import type { ScsiCommand, ScsiResult, ScsiTransport } from '../transport.ts';
import { loadSgCalls, type SgCalls } from './sg-calls.ts';
import { packSgHeader, type SgOutcome, sgSenseBytes, unpackSgHeader } from './sg-io.ts';

/** The kernel keeps its own time limit; only a kernel that hangs too is waited for in vain. */
const kernelGraceMs = 30_000;

/**
 * One device node of SCSI generic (`/dev/sg3`), which is one logical unit: `lun` of the commands is not looked at. One command at a time.
 * The kernel cannot be told to stop: after an abort or a time limit the next command waits for the end of the one before.
 */
export async function openSgTransport(path: string, calls: SgCalls = loadSgCalls()): Promise<ScsiTransport> {
  // Without O_NONBLOCK the kernel would wait while another program holds the device for itself.
  const file = await open(path, constants.O_RDWR | constants.O_NONBLOCK).catch((error: unknown) => {
    throw whyNotOpened(error, path);
  });
  let isClosed = false;
  let last: Promise<unknown> = Promise.resolve();

  const run = async (command: ScsiCommand): Promise<ScsiResult> => {
    const { cdb, dataIn = 0, dataOut } = command;
    const input = dataIn > 0 ? Buffer.alloc(dataIn) : null;
    const data = input ?? dataOut ?? new Uint8Array(0);
    // Kept by this function until the kernel has answered.
    const block = Buffer.from(cdb);
    const sense = Buffer.alloc(sgSenseBytes);
    const header = packSgHeader({
      direction: directionOf(input !== null, data.length),
      cdbLength: block.length,
      dataLength: data.length,
      cdbAddress: calls.address(block),
      senseAddress: calls.address(sense),
      dataAddress: data.length === 0 ? 0n : calls.address(data),
      timeoutMs: command.timeoutMs,
    });
    try {
      await calls.run(file.fd, header);
    } catch (error) {
      throw whyNotRun(error, path);
    }
    const outcome = unpackSgHeader(header);
    refuseHostFailure(path, outcome, command.timeoutMs);
    const residual = Math.min(Math.max(outcome.residual, 0), data.length);
    return {
      status: outcome.status,
      sense: decodeSense(sense.subarray(0, Math.min(outcome.senseWritten, sgSenseBytes))),
      data: input?.subarray(0, data.length - residual) ?? Buffer.alloc(0),
      residual: outcome.residual,
    };
  };

  return {
    execute: async (command) => {
      if (isClosed) throw new DeviceError('cancelled', `${path}: it was closed.`);
      const before = last;
      const limits = { timeoutMs: command.timeoutMs + kernelGraceMs, signal: command.signal };
      const mine = before.then(() => {
        if (command.signal?.aborted) throw new DeviceError('cancelled', `${path}: it was cancelled.`);
        return run(command);
      });
      last = mine.catch(() => undefined);
      return inTime(path, mine, limits);
    },
    close: async () => {
      if (isClosed) return;
      isClosed = true;
      // The node stays open for a command that still runs; nobody waits for that.
      void last.finally(() => file.close().catch(() => undefined));
    },
  };
}

const user = (): string => (process.getuid === undefined ? 'its user' : `the user ${process.getuid()}`);

function whyNotOpened(error: unknown, path: string): Error {
  switch (errorCode(error)) {
    case 'EACCES':
      return new DeviceError(
        'permission',
        `${path}: this server runs as ${user()}, who may not read and write the device (EACCES); add that user to the group of the device (usually \`tape\`), or give the right by a rule of udev.`,
        { cause: error },
      );
    case 'EPERM':
      return new DeviceError(
        'permission',
        `${path}: the system lets this server not use the device (EPERM); in a container, hand the device over to it.`,
        { cause: error },
      );
    case 'ENXIO':
    case 'ENODEV':
      return new DeviceError(
        'notFound',
        `${path}: there is no device behind it (${errorCode(error)}); check power and cables.`,
        { cause: error },
      );
    default:
      return toDeviceError(error, path);
  }
}

function whyNotRun(error: unknown, path: string): Error {
  switch (errorCode(error)) {
    case 'EPERM':
      return new DeviceError(
        'permission',
        `${path}: the kernel lets this server not send the command (EPERM); give it the capability CAP_SYS_RAWIO.`,
        { cause: error },
      );
    case 'ENXIO':
    case 'ENODEV':
      return new DeviceError(
        'notFound',
        `${path}: the device went away (${errorCode(error)}); check power and cables.`,
        { cause: error },
      );
    default:
      return toDeviceError(error, path);
  }
}

function directionOf(isInput: boolean, bytes: number): 'none' | 'in' | 'out' {
  if (bytes === 0) return 'none';
  return isInput ? 'in' : 'out';
}

/** DID_… of <scsi/scsi.h>. */
const hostFailures: Readonly<Record<number, readonly [DeviceErrorKind, string]>> = {
  1: ['notFound', 'the device does not answer; check power and cables'],
  2: ['busy', 'the bus stayed busy'],
  3: ['transient', 'the device did not answer in time'],
  4: ['notFound', 'there is no such device on the bus'],
  5: ['transient', 'the command was aborted'],
  8: ['transient', 'the bus was reset'],
};

function refuseHostFailure(path: string, outcome: SgOutcome, timeoutMs: number): void {
  if (outcome.hostStatus === 0) return;
  const [kind, words] = hostFailures[outcome.hostStatus] ?? ['transient', 'the host adapter failed'];
  const limit = outcome.hostStatus === 0x03 ? `, ${timeoutMs / 1000} s` : '';
  throw new DeviceError(kind, `${path}: ${words}${limit} (host status ${outcome.hostStatus}).`);
}

/** The first of: the answer, the abort, the time limit. */
async function inTime<T>(
  path: string,
  work: Promise<T>,
  limits: { readonly timeoutMs: number; readonly signal: AbortSignal | undefined },
): Promise<T> {
  const { signal, timeoutMs } = limits;
  let timer: NodeJS.Timeout | undefined;
  let onAbort: () => void = () => undefined;
  const end = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(new DeviceError('cancelled', `${path}: it was cancelled.`));
    const late = new DeviceError('transient', `${path}: the system did not end the command in time.`);
    timer = setTimeout(() => reject(late), timeoutMs);
    if (signal?.aborted) onAbort();
    else signal?.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([work, end]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}
