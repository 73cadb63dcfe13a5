import { DeviceError } from '../../device-error.ts';
import type { PduConnection } from './connection.ts';
import { receivePdu } from './exchange.ts';
import type { SessionParameters } from './login.ts';
import { newHeader, noTag, opcode, type Pdu, protocolError } from './pdu.ts';
import { decodeText, encodeText } from './text.ts';

export interface DiscoveredTarget {
  readonly name: string;
  /** `address:port,group`, as the target writes it. */
  readonly addresses: readonly string[];
}

const maxAnswerBytes = 4 * 1024 * 1024;
const maxTargets = 1000;

/** Asks for all targets on a discovery session that is logged in (SendTargets). */
export async function sendTargets(
  connection: PduConnection,
  session: SessionParameters,
  limits: { readonly timeoutMs: number; readonly signal?: AbortSignal | undefined },
): Promise<readonly DiscoveredTarget[]> {
  const deadline = performance.now() + limits.timeoutMs;
  const parts: Buffer[] = [];
  let statSn = session.expectedStatSn;
  let commandSn = session.commandSn;
  let transferTag = noTag;
  let bytes = 0;
  for (;;) {
    const header = newHeader(opcode.text, 0x80);
    header.writeUInt32BE(1, 16);
    header.writeUInt32BE(transferTag, 20);
    header.writeUInt32BE(commandSn, 24);
    header.writeUInt32BE(statSn, 28);
    commandSn = (commandSn + 1) >>> 0;
    connection.send(header, parts.length === 0 ? encodeText([['SendTargets', 'All']]) : Buffer.alloc(0));
    const pdu = await receiveText(connection, deadline, limits.signal);
    statSn = (pdu.header.readUInt32BE(24) + 1) >>> 0;
    parts.push(pdu.data);
    bytes += pdu.data.length;
    if (bytes > maxAnswerBytes || parts.length > maxTargets) {
      throw protocolError('its list of targets comes to no end');
    }
    transferTag = pdu.header.readUInt32BE(20);
    if ((pdu.header.readUInt8(1) & 0x80) !== 0) return readTargets(Buffer.concat(parts));
    if (transferTag === noTag) throw protocolError('it breaks its list of targets off');
  }
}

async function receiveText(
  connection: PduConnection,
  deadline: number,
  signal: AbortSignal | undefined,
): Promise<Pdu> {
  for (;;) {
    const timeoutMs = Math.max(1, deadline - performance.now());
    const pdu = await receivePdu(connection, { timeoutMs, signal });
    if (pdu.opcode === opcode.textResponse) return pdu;
    // Some targets ask whether we are there before anything else.
    if (pdu.opcode !== opcode.nopIn) throw protocolError(`it answers a text request with type ${pdu.opcode}`);
  }
}

function readTargets(text: Buffer): readonly DiscoveredTarget[] {
  const targets: { name: string; addresses: string[] }[] = [];
  for (const [key, value] of decodeText(text)) {
    if (key === 'TargetName') targets.push({ name: targetName(value), addresses: [] });
    else if (key === 'TargetAddress') targets.at(-1)?.addresses.push(value);
  }
  if (targets.length > maxTargets)
    throw new DeviceError('permanent', `it has more than ${maxTargets} targets.`);
  return targets;
}

/** Names become parts of paths, so nothing but the characters of RFC 3722 is taken. */
function targetName(value: string): string {
  if (isTargetName(value)) return value;
  throw protocolError('the name of a target has characters that no name may have');
}

export function isTargetName(value: string): boolean {
  return /^(iqn\.|eui\.|naa\.)[a-z0-9.:-]{1,219}$/i.test(value);
}
