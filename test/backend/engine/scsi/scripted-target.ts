import { once } from 'node:events';
import net from 'node:net';

/** What an initiator sent: 48 bytes of header, and data. */
export interface SentPdu {
  readonly opcode: number;
  readonly header: Buffer;
  readonly data: Buffer;
}

export interface Answerer {
  /** Bytes as they are. */
  raw(bytes: Buffer): void;
  /** A PDU with these bytes in its header; tag, length and the three serial numbers are filled in. */
  pdu(header: Readonly<Record<number, number>>, data?: Buffer, patch?: (header: Buffer) => void): void;
  cut(): void;
}

export interface ScriptedTarget {
  readonly port: number;
  /** All that was sent, logins too. */
  readonly sent: readonly SentPdu[];
  /** Connections so far. */
  readonly connections: number;
  /** Waits for a PDU of this kind, now or to come. */
  seen(opcode: number, count?: number): Promise<void>;
  stop(): Promise<void>;
}

/** Answers one PDU; `false` leaves it to the target's own good manners. */
export type Script = (pdu: SentPdu, answer: Answerer, connection: number) => boolean;

/**
 * A target of the tests' own that does wrong what it is told to. Unless the script answers, it lets everybody in, ends every
 * command well and without data, and answers aborts and logouts.
 */
export async function startScriptedTarget(script: Script = () => false): Promise<ScriptedTarget> {
  const sent: SentPdu[] = [];
  const sockets = new Set<net.Socket>();
  let watchers: (() => void)[] = [];
  let connections = 0;
  const server = net.createServer((socket) => {
    connections += 1;
    const connection = connections;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    // Initiators hang up as they like.
    socket.on('error', () => undefined);
    let statSn = 7;
    let commandSn = 1;
    let held = Buffer.alloc(0);
    const take = (pdu: SentPdu): void => {
      sent.push(pdu);
      if (pdu.opcode === 0x01 || pdu.opcode === 0x04) commandSn = pdu.header.readUInt32BE(24) + 1;
      const answer: Answerer = {
        raw: (bytes) => void socket.write(bytes),
        cut: () => void socket.destroy(),
        pdu: (bytes, data = Buffer.alloc(0), patch) => {
          const header = Buffer.alloc(48);
          pdu.header.copy(header, 16, 16, 20);
          header.writeUInt32BE(0xffff_ffff, 20);
          header.writeUInt32BE(statSn, 24);
          header.writeUInt32BE(commandSn, 28);
          header.writeUInt32BE(commandSn + 31, 32);
          header.writeUIntBE(data.length, 5, 3);
          for (const [at, value] of Object.entries(bytes)) header.writeUInt8(value, Number(at));
          patch?.(header);
          statSn += 1;
          socket.write(Buffer.concat([header, data, Buffer.alloc((4 - (data.length % 4)) % 4)]));
        },
      };
      if (!script(pdu, answer, connection)) answerWell(pdu, answer);
      for (const watcher of watchers) watcher();
    };
    socket.on('data', (chunk: Buffer) => {
      held = Buffer.concat([held, chunk]);
      while (held.length >= 48) {
        const length = held.readUIntBE(5, 3);
        const whole = 48 + length + ((4 - (length % 4)) % 4);
        if (held.length < whole) return;
        const header = Buffer.from(held.subarray(0, 48));
        const data = Buffer.from(held.subarray(48, 48 + length));
        held = held.subarray(whole);
        take({ opcode: header.readUInt8(0) & 0x3f, header, data });
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as net.AddressInfo).port,
    sent,
    get connections() {
      return connections;
    },
    seen: (opcode, count = 1) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (sent.filter((pdu) => pdu.opcode === opcode).length < count) return;
          watchers = watchers.filter((watcher) => watcher !== look);
          resolve();
        };
        watchers.push(look);
        look();
      }),
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      const closed = once(server, 'close');
      server.close();
      await closed;
    },
  };
}

function answerWell(pdu: SentPdu, answer: Answerer): void {
  if (pdu.opcode === 0x03) answer.pdu({ 0: 0x23, 1: pdu.header.readUInt8(1) });
  if (pdu.opcode === 0x01) answer.pdu({ 0: 0x21, 1: 0x80 });
  if (pdu.opcode === 0x02) answer.pdu({ 0: 0x22, 1: 0x80 });
  if (pdu.opcode === 0x06) answer.pdu({ 0: 0x26, 1: 0x80 });
}
