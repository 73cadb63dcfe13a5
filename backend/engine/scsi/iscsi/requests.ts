import type { ScsiCommand } from '../transport.ts';
import { newHeader, noTag, opcode, type Pdu, writeLun } from './pdu.ts';

/** Headers of what an initiator sends in a session, but for the serial numbers. */

export function commandHeader(
  command: ScsiCommand,
  how: { readonly tag: number; readonly isFinal: boolean },
): Buffer {
  const { dataIn = 0, dataOut } = command;
  const outBytes = dataOut?.length ?? 0;
  const direction = (dataIn > 0 ? 0x40 : 0) | (outBytes > 0 ? 0x20 : 0);
  const header = newHeader(opcode.command, (how.isFinal ? 0x80 : 0) | direction | 0x01);
  writeLun(header, command.lun);
  header.writeUInt32BE(how.tag, 16);
  header.writeUInt32BE(dataIn > 0 ? dataIn : outBytes, 20);
  header.set(command.cdb, 32);
  return header;
}

/** ABORT TASK. */
export function abortHeader(lun: number, tag: number, abortedTag: number): Buffer {
  const header = newHeader(opcode.taskManagement, 0x80 | 1);
  writeLun(header, lun);
  header.writeUInt32BE(tag, 16);
  header.writeUInt32BE(abortedTag, 20);
  return header;
}

/** Asks whether the target lives. */
export function pingHeader(tag: number): Buffer {
  const header = newHeader(opcode.nopOut, 0x80);
  header.writeUInt32BE(tag, 16);
  header.writeUInt32BE(noTag, 20);
  return header;
}

/** The answer to a target that asks the same of us, or null when it does not ask. */
export function pingAnswer(pdu: Pdu): Buffer | null {
  const transferTag = pdu.header.readUInt32BE(20);
  if (transferTag === noTag) return null;
  const header = newHeader(opcode.nopOut, 0x80);
  pdu.header.copy(header, 8, 8, 16);
  header.writeUInt32BE(noTag, 16);
  header.writeUInt32BE(transferTag, 20);
  return header;
}

/** Ends the whole session. */
export function logoutHeader(tag: number): Buffer {
  const header = newHeader(opcode.logout, 0x80);
  header.writeUInt32BE(tag, 16);
  return header;
}
