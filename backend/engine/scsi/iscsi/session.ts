import { DeviceError } from '../../device-error.ts';
import { decodeSense } from '../sense.ts';
import type { ScsiCommand, ScsiResult } from '../transport.ts';
import type { PduConnection } from './connection.ts';
import type { SessionParameters } from './login.ts';
import { noTag, opcode, type Pdu, protocolError } from './pdu.ts';
import { abortHeader, commandHeader, logoutHeader, pingAnswer, pingHeader } from './requests.ts';
import { dataOutPdus, immediateBytes, takeDataIn } from './transfer.ts';

export interface IscsiSession {
  execute(command: ScsiCommand): Promise<ScsiResult>;
  /** Says goodbye and ends; what runs rejects. Never rejects. */
  close(): Promise<void>;
  readonly isOver: boolean;
}

export interface SessionTimes {
  /** How long an abort may take before the connection is given up. */
  readonly abortMs: number;
  /** After this long without a word the target is asked whether it lives; after twice as long it does not. */
  readonly silenceMs: number;
  readonly logoutMs: number;
}

export const usualTimes: SessionTimes = { abortMs: 5_000, silenceMs: 30_000, logoutMs: 2_000 };

/** What a person can do about silence. */
const remedy = 'Look at the library and at the network to it, and begin the work again when it answers.';

interface Task {
  readonly tag: number;
  readonly command: ScsiCommand;
  /** Null until data come. */
  buffer: Buffer | null;
  received: number;
  isSent: boolean;
  /** Why it is given up, while the target is told so. */
  abandoned: DeviceError | null;
  timer: NodeJS.Timeout;
  readonly settle: (outcome: ScsiResult | DeviceError) => void;
}

/** The commands of one login, over its one connection. */
export function createSession(
  connection: PduConnection,
  parameters: SessionParameters,
  options: { readonly name: string; readonly times: SessionTimes },
): IscsiSession {
  const { name, times } = options;
  const tasks = new Map<number, Task>();
  const waiting: Task[] = [];
  /** Tasks by the tag of the request that aborts them. */
  const aborts = new Map<number, Task>();
  let { commandSn, expectedStatSn, maxCommandSn } = parameters;
  let nextTag = 1;
  let over: DeviceError | null = null;
  let logoutDone: (() => void) | null = null;
  let heardAt = performance.now();
  let isPinged = false;
  let watch: NodeJS.Timeout | null = null;

  const newTag = (): number => {
    nextTag = nextTag >= 0x7fff_ffff ? 1 : nextTag + 1;
    return nextTag;
  };
  const stamp = (header: Buffer): Buffer => {
    header.writeUInt32BE(commandSn, 24);
    header.writeUInt32BE(expectedStatSn, 28);
    return header;
  };
  const finish = (task: Task, outcome: ScsiResult | DeviceError): void => {
    tasks.delete(task.tag);
    clearTimeout(task.timer);
    task.settle(outcome);
  };
  const onEnd = (error: DeviceError): void => {
    over ??= error;
    if (watch !== null) clearTimeout(watch);
    for (const task of [...tasks.values()]) finish(task, task.abandoned ?? error);
    waiting.length = 0;
    aborts.clear();
    logoutDone?.();
  };

  const ping = (): void => {
    watch = null;
    if (over !== null || tasks.size === 0) return;
    if (performance.now() - heardAt >= times.silenceMs) {
      if (isPinged) {
        connection.end(
          new DeviceError('transient', `${name}: the target does not answer any more. ${remedy}`),
        );
        return;
      }
      isPinged = true;
      connection.send(stamp(pingHeader(newTag())));
    }
    watch = setTimeout(ping, times.silenceMs);
  };
  const send = (task: Task): void => {
    const { command } = task;
    const out = command.dataOut ?? new Uint8Array(0);
    const immediate = immediateBytes(out.length, parameters);
    const unsolicited = parameters.initialR2t ? immediate : Math.min(out.length, parameters.firstBurst);
    const isFinal = unsolicited <= immediate;
    const header = stamp(commandHeader(command, { tag: task.tag, isFinal }));
    commandSn = (commandSn + 1) >>> 0;
    task.isSent = true;
    connection.send(header, out.subarray(0, immediate));
    if (!isFinal) {
      const range = { from: immediate, to: unsolicited, transferTag: noTag };
      sendData(task, range);
    }
  };
  const sendData = (
    task: Task,
    range: { readonly from: number; readonly to: number; readonly transferTag: number },
  ): void => {
    const target = { lun: task.command.lun, tag: task.tag, maxSent: parameters.maxSent, expectedStatSn };
    for (const [header, data] of dataOutPdus(task.command.dataOut ?? new Uint8Array(0), range, target)) {
      connection.send(header, data);
    }
  };
  /** Sends what the target has room for. */
  const pump = (): void => {
    while (waiting.length > 0 && ((maxCommandSn - commandSn) | 0) >= 0) {
      const task = waiting.shift();
      if (task && tasks.has(task.tag)) send(task);
    }
  };
  const abandon = (task: Task, error: DeviceError): void => {
    if (!tasks.has(task.tag) || task.abandoned !== null) return;
    if (!task.isSent) {
      finish(task, error);
      return;
    }
    clearTimeout(task.timer);
    task.abandoned = error;
    const tag = newTag();
    aborts.set(tag, task);
    connection.send(stamp(abortHeader(task.command.lun, tag, task.tag)));
    task.timer = setTimeout(
      () =>
        connection.end(
          new DeviceError('transient', `${name}: the target answers nothing any more. ${remedy}`),
        ),
      times.abortMs,
    );
  };

  const taskOf = (pdu: Pdu): Task => {
    const task = tasks.get(pdu.header.readUInt32BE(16));
    if (task?.isSent) return task;
    throw protocolError('it answers a command that was not sent');
  };
  const answer = (task: Task, pdu: Pdu, sense: Buffer): void => {
    const { header } = pdu;
    const flags = header.readUInt8(1);
    const count = header.readUInt32BE(44);
    const signedCount = (flags & 0x04) !== 0 ? -count : 0;
    const result: ScsiResult = {
      status: header.readUInt8(3),
      sense: decodeSense(sense),
      data: task.buffer?.subarray(0, task.received) ?? Buffer.alloc(0),
      residual: (flags & 0x02) !== 0 ? count : signedCount,
    };
    // A command that ended just as it was given up has a known end; but who cancels is told so.
    finish(task, task.abandoned?.kind === 'cancelled' ? task.abandoned : result);
  };
  const onResponse = (pdu: Pdu): void => {
    const task = taskOf(pdu);
    const response = pdu.header.readUInt8(2);
    if (response !== 0) {
      finish(task, new DeviceError('transient', `${name}: the target failed at the command (${response}).`));
      return;
    }
    const senseBytes = pdu.data.length >= 2 ? pdu.data.readUInt16BE(0) : 0;
    answer(task, pdu, pdu.data.subarray(2, 2 + senseBytes));
  };
  const onDataIn = (pdu: Pdu): void => {
    const task = taskOf(pdu);
    takeDataIn(pdu, task);
    if ((pdu.header.readUInt8(1) & 0x01) !== 0) answer(task, pdu, Buffer.alloc(0));
  };
  const onReady = (pdu: Pdu): void => {
    const task = taskOf(pdu);
    const from = pdu.header.readUInt32BE(40);
    const length = pdu.header.readUInt32BE(44);
    const size = task.command.dataOut?.length ?? 0;
    if (length === 0 || length > parameters.maxBurst || from + length > size) {
      throw protocolError('it asks for data that the command does not have');
    }
    if (task.abandoned === null) {
      sendData(task, { from, to: from + length, transferTag: pdu.header.readUInt32BE(20) });
    }
  };
  const onNop = (pdu: Pdu): void => {
    const reply = pingAnswer(pdu);
    if (reply !== null) connection.send(stamp(reply));
  };
  const onAborted = (pdu: Pdu): void => {
    const tag = pdu.header.readUInt32BE(16);
    const task = aborts.get(tag);
    if (!task) throw protocolError('it answers an abort that was not sent');
    aborts.delete(tag);
    if (!tasks.has(task.tag)) return;
    const response = pdu.header.readUInt8(2);
    const error = task.abandoned ?? new DeviceError('transient', `${name}: the command was aborted.`);
    finish(task, error);
    // 0: done. 1: there is no such task (any more). Otherwise it may still run, so nothing of this session is certain.
    if (response > 1) {
      connection.end(new DeviceError('transient', `${name}: the target aborts nothing (${response}).`));
    }
  };
  const onAsync = (pdu: Pdu): void => {
    // 0 is about a logical unit, which tells it by itself; 1 to 4 end the connection in one way or another.
    const event = pdu.header.readUInt8(36);
    if (event >= 1 && event <= 4) {
      connection.end(new DeviceError('transient', `${name}: the target ends the connection (${event}).`));
    }
  };

  const handlers: Readonly<Record<number, (pdu: Pdu) => void>> = {
    [opcode.response]: onResponse,
    [opcode.dataIn]: onDataIn,
    [opcode.readyToTransfer]: onReady,
    [opcode.nopIn]: onNop,
    [opcode.taskManagementResponse]: onAborted,
    [opcode.asyncMessage]: onAsync,
    [opcode.logoutResponse]: () => logoutDone?.(),
    [opcode.reject]: (pdu) => {
      throw protocolError(`it rejects what was sent (${pdu.header.readUInt8(2)})`);
    },
  };
  const onPdu = (pdu: Pdu): void => {
    heardAt = performance.now();
    isPinged = false;
    const { header } = pdu;
    const handler = handlers[pdu.opcode];
    if (!handler) throw protocolError(`it sends type ${pdu.opcode} out of its place`);
    const takesStatSn = pdu.opcode !== opcode.readyToTransfer && hasStatus(pdu);
    if (takesStatSn) expectedStatSn = (header.readUInt32BE(24) + 1) >>> 0;
    const expected = header.readUInt32BE(28);
    const most = header.readUInt32BE(32);
    if (((most - expected) | 0) >= -1 && ((most - maxCommandSn) | 0) > 0) maxCommandSn = most;
    handler(pdu);
    pump();
  };
  connection.handle({ onPdu, onEnd });

  return {
    get isOver() {
      return over !== null;
    },
    execute: (command) =>
      new Promise((resolve, reject) => {
        const { signal, cdb, dataIn = 0, dataOut } = command;
        if (cdb.length > 16 || (dataIn > 0 && dataOut !== undefined)) {
          throw new Error('a command of more than 16 bytes, or with data in both directions');
        }
        if (over !== null) return reject(over);
        if (signal?.aborted) return reject(new DeviceError('cancelled', `${name}: it was cancelled.`));
        const onAbort = (): void => abandon(task, new DeviceError('cancelled', `${name}: it was cancelled.`));
        const task: Task = {
          tag: newTag(),
          command,
          buffer: null,
          received: 0,
          isSent: false,
          abandoned: null,
          timer: setTimeout(() => {
            const seconds = command.timeoutMs / 1000;
            const what = `${name}: unit ${command.lun} did not answer within ${seconds} s. ${remedy}`;
            abandon(task, new DeviceError('transient', what));
          }, command.timeoutMs),
          settle: (outcome) => {
            signal?.removeEventListener('abort', onAbort);
            if (outcome instanceof DeviceError) reject(outcome);
            else resolve(outcome);
          },
        };
        signal?.addEventListener('abort', onAbort, { once: true });
        if (tasks.size === 0) heardAt = performance.now();
        tasks.set(task.tag, task);
        waiting.push(task);
        watch ??= setTimeout(ping, times.silenceMs);
        pump();
      }),
    close: () =>
      new Promise((resolve) => {
        if (over !== null) return resolve();
        const timer = setTimeout(() => done(), times.logoutMs);
        const done = (): void => {
          clearTimeout(timer);
          logoutDone = null;
          connection.destroy();
          resolve();
        };
        onEnd(new DeviceError('cancelled', `${name}: the session was closed.`));
        logoutDone = done;
        connection.send(stamp(logoutHeader(newTag())));
      }),
  };
}

/** Whether the PDU takes a number of the status order: data does so only with a status in it. */
function hasStatus(pdu: Pdu): boolean {
  if (pdu.opcode === opcode.dataIn) return (pdu.header.readUInt8(1) & 0x01) !== 0;
  return pdu.opcode !== opcode.nopIn || pdu.header.readUInt32BE(16) !== noTag;
}
