import type { SessionParameters } from './login.ts';
import { newHeader, opcode, type Pdu, protocolError, writeLun } from './pdu.ts';

/** How much data goes with the command itself. */
export function immediateBytes(size: number, parameters: SessionParameters): number {
  if (!parameters.immediateData) return 0;
  return Math.min(size, parameters.firstBurst, parameters.maxSent);
}

/** Data-Out PDUs for the bytes `from` up to `to`, each with its data. */
export function* dataOutPdus(
  bytes: Uint8Array,
  range: { readonly from: number; readonly to: number; readonly transferTag: number },
  target: {
    readonly lun: number;
    readonly tag: number;
    readonly maxSent: number;
    readonly expectedStatSn: number;
  },
): Generator<readonly [header: Buffer, data: Uint8Array]> {
  let dataSn = 0;
  for (let from = range.from; from < range.to; from += target.maxSent) {
    const to = Math.min(range.to, from + target.maxSent);
    const header = newHeader(opcode.dataOut, to === range.to ? 0x80 : 0);
    writeLun(header, target.lun);
    header.writeUInt32BE(target.tag, 16);
    header.writeUInt32BE(range.transferTag, 20);
    header.writeUInt32BE(target.expectedStatSn, 28);
    header.writeUInt32BE(dataSn, 36);
    header.writeUInt32BE(from, 40);
    dataSn += 1;
    yield [header, bytes.subarray(from, to)];
  }
}

/** Puts the data of one PDU in their place. Throws `corrupt` when they do not fit. */
export function takeDataIn(
  pdu: Pdu,
  task: { readonly command: { readonly dataIn?: number }; buffer: Buffer | null; received: number },
): void {
  const { data } = pdu;
  const { received } = task;
  const offset = pdu.header.readUInt32BE(40);
  if (data.length === 0) return;
  const wanted = task.command.dataIn ?? 0;
  if (offset !== received || offset + data.length > wanted) {
    throw protocolError('it sends data that the command did not ask for');
  }
  task.received = received + data.length;
  if (data.length === wanted) {
    // All of it in one piece, as most blocks of a tape come: nothing is copied.
    task.buffer = data;
    return;
  }
  task.buffer ??= Buffer.allocUnsafe(wanted);
  data.copy(task.buffer, offset);
}
