import { DeviceError } from '../../device-error.ts';
import { type ChapCredentials, chapAnswer } from './chap.ts';
import { maxReceivedBytes, type PduConnection } from './connection.ts';
import { receivePdu } from './exchange.ts';
import { newHeader, opcode, type Pdu, protocolError } from './pdu.ts';
import { decodeText, encodeText, numberOf, type TextPair, textOf } from './text.ts';

export interface LoginRequest {
  readonly initiatorName: string;
  /** Null: a discovery session, which lists the targets. */
  readonly targetName: string | null;
  /** Null: only a target that asks for none is used. */
  readonly credentials: ChapCredentials | null;
  /** 6 bytes. The same again ends an older session of ours that the target still holds. */
  readonly sessionId: Uint8Array;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** What holds for the session from now on. Sizes in bytes. */
export interface SessionParameters {
  readonly initialR2t: boolean;
  readonly immediateData: boolean;
  readonly firstBurst: number;
  readonly maxBurst: number;
  /** Data of one PDU to the target. */
  readonly maxSent: number;
  readonly expectedStatSn: number;
  readonly commandSn: number;
  readonly maxCommandSn: number;
}

const security = 0;
const operational = 1;
const fullFeature = 3;
const maxRounds = 16;
const maxTextBytes = 65_536;
/** What holds for a target that does not tell. */
const usualSent = 8192;
const firstCommandSn = 1;

const offers: readonly TextPair[] = [
  ['HeaderDigest', 'None'],
  ['DataDigest', 'None'],
  ['InitialR2T', 'No'],
  ['ImmediateData', 'Yes'],
  ['MaxRecvDataSegmentLength', String(maxReceivedBytes)],
  ['FirstBurstLength', '262144'],
  ['MaxBurstLength', '1048576'],
  ['MaxConnections', '1'],
  ['MaxOutstandingR2T', '1'],
  ['DefaultTime2Wait', '0'],
  ['DefaultTime2Retain', '0'],
  ['DataPDUInOrder', 'Yes'],
  ['DataSequenceInOrder', 'Yes'],
  ['ErrorRecoveryLevel', '0'],
];
const declared: ReadonlySet<string> = new Set([
  ...offers.map(([key]) => key),
  'TargetPortalGroupTag',
  'TargetAlias',
  'TargetAddress',
  'AuthMethod',
]);

/** Logs in on a new connection. Rejects as a `ScsiTransport` does; then the connection is of no use any more. */
export async function login(connection: PduConnection, request: LoginRequest): Promise<SessionParameters> {
  const deadline = performance.now() + request.timeoutMs;
  let rounds = 0;
  let expectedStatSn = 0;
  let maxCommandSn = firstCommandSn;
  let targetSession = 0;

  const sendAndReceive = async (flags: number, pairs: readonly TextPair[]): Promise<Pdu> => {
    rounds += 1;
    if (rounds > maxRounds) throw protocolError('the login comes to no end');
    const header = newHeader(opcode.login, flags);
    header.set(request.sessionId, 8);
    header.writeUInt16BE(targetSession, 14);
    header.writeUInt32BE(firstCommandSn, 24);
    header.writeUInt32BE(expectedStatSn, 28);
    connection.send(header, encodeText(pairs));
    const pdu = await receivePdu(connection, {
      timeoutMs: Math.max(1, deadline - performance.now()),
      signal: request.signal,
    });
    if (pdu.opcode !== opcode.loginResponse)
      throw protocolError(`it answers the login with type ${pdu.opcode}`);
    refuseFailedLogin(pdu.header, request);
    expectedStatSn = (pdu.header.readUInt32BE(24) + 1) >>> 0;
    maxCommandSn = pdu.header.readUInt32BE(32);
    targetSession = pdu.header.readUInt16BE(14);
    return pdu;
  };

  /** One question with its whole answer, which may come in several PDUs. */
  const ask = async (
    stage: number,
    nextStage: number | null,
    pairs: readonly TextPair[],
  ): Promise<{ readonly pairs: readonly TextPair[]; readonly isNext: boolean }> => {
    const flags = (stage << 2) | (nextStage === null ? 0 : 0x80 | nextStage);
    let pdu = await sendAndReceive(flags, pairs);
    const parts = [pdu.data];
    while ((pdu.header.readUInt8(1) & 0x40) !== 0) {
      pdu = await sendAndReceive(stage << 2, []);
      parts.push(pdu.data);
      if (parts.reduce((sum, part) => sum + part.length, 0) > maxTextBytes) {
        throw protocolError('its text of the login is too long');
      }
    }
    const answered = pdu.header.readUInt8(1);
    const isNext = (answered & 0x80) !== 0;
    const isWrong = ((answered >> 2) & 3) !== stage || (isNext && (answered & 3) !== nextStage);
    if (isWrong) throw protocolError('it leaves the order of the login');
    return { pairs: decodeText(Buffer.concat(parts)), isNext };
  };

  await authenticate(ask, request);
  const answers = await negotiate(ask, request.targetName === null);
  return { ...agreed(answers), expectedStatSn, maxCommandSn, commandSn: firstCommandSn };
}

type Ask = (
  stage: number,
  nextStage: number | null,
  pairs: readonly TextPair[],
) => Promise<{ readonly pairs: readonly TextPair[]; readonly isNext: boolean }>;

async function authenticate(ask: Ask, request: LoginRequest): Promise<void> {
  const { credentials, targetName } = request;
  const isDiscovery = targetName === null;
  const chapOrNot = isDiscovery ? 'CHAP,None' : 'CHAP';
  const names: readonly TextPair[] = [
    ['InitiatorName', request.initiatorName],
    ['SessionType', isDiscovery ? 'Discovery' : 'Normal'],
    ...(targetName === null ? [] : [['TargetName', targetName] as const]),
    ['AuthMethod', credentials === null ? 'None' : chapOrNot],
  ];
  const goOn = async (isNext: boolean): Promise<void> => {
    if (!isNext) await goOn((await ask(security, operational, [])).isNext);
  };
  const first = await ask(security, credentials === null ? operational : null, names);
  if (credentials === null) return goOn(first.isNext);
  const method = textOf(first.pairs, 'AuthMethod');
  // The names of the targets are no secret to most portals, also where the targets themselves ask for a password.
  if (isDiscovery && method === 'None') return goOn(first.isNext);
  if (method !== 'CHAP') {
    throw new DeviceError(
      'permission',
      'the target does not ask for a user and password (CHAP); set it up to, or remove them here.',
    );
  }
  const challenge = await ask(security, null, [['CHAP_A', '5']]);
  return goOn((await ask(security, operational, chapAnswer(challenge.pairs, credentials))).isNext);
}

async function negotiate(ask: Ask, isDiscovery: boolean): Promise<readonly TextPair[]> {
  const mine = isDiscovery
    ? offers.filter(([key]) => ['HeaderDigest', 'DataDigest', 'MaxRecvDataSegmentLength'].includes(key))
    : offers;
  let answer = await ask(operational, fullFeature, mine);
  const all = [...answer.pairs];
  while (!answer.isNext) {
    const unknown = answer.pairs.filter(([key]) => !declared.has(key));
    answer = await ask(
      operational,
      fullFeature,
      unknown.map(([key]) => [key, 'NotUnderstood'] as const),
    );
    all.push(...answer.pairs);
  }
  return all;
}

function agreed(pairs: readonly TextPair[]) {
  for (const digest of ['HeaderDigest', 'DataDigest']) {
    const chosen = textOf(pairs, digest);
    if (chosen !== null && chosen !== 'None')
      throw protocolError(`it chooses ${digest} ${chosen.slice(0, 40)}`);
  }
  const burst = { low: 512, high: 0xff_ffff };
  const maxBurst = Math.min(numberOf(pairs, 'MaxBurstLength', burst) ?? 262_144, 1_048_576);
  const firstBurst = Math.min(numberOf(pairs, 'FirstBurstLength', burst) ?? 65_536, 262_144, maxBurst);
  return {
    // A target that does not answer gets the way that every target knows: data when it asks for them.
    initialR2t: textOf(pairs, 'InitialR2T') !== 'No',
    immediateData: textOf(pairs, 'ImmediateData') === 'Yes',
    firstBurst,
    maxBurst,
    maxSent: numberOf(pairs, 'MaxRecvDataSegmentLength', burst) ?? usualSent,
  };
}

/** Status classes and details of RFC 7143, 11.13.5. */
function refuseFailedLogin(header: Buffer, request: LoginRequest): void {
  const status = header.readUInt16BE(36);
  if (status === 0) return;
  const code = `${status >> 8}.${status & 0xff}`;
  const target = request.targetName ?? 'the portal';
  if (status >> 8 === 1) {
    throw new DeviceError('permanent', `${target} is at another portal (${code}); configure that one.`);
  }
  if (status === 0x0201) {
    const remedy =
      request.credentials === null
        ? 'it asks for a user and password (CHAP)'
        : 'check the user and the password (CHAP)';
    throw new DeviceError('permission', `${target} refuses the login (${code}): ${remedy}.`);
  }
  if (status === 0x0202) {
    throw new DeviceError(
      'permission',
      `${target} does not let ${request.initiatorName} in (${code}); allow this name at the target.`,
    );
  }
  if (status === 0x0203 || status === 0x0204) {
    throw new DeviceError('notFound', `there is no target ${target} at this portal (${code}).`);
  }
  if (status === 0x0206) throw new DeviceError('busy', `${target} has too many connections (${code}).`);
  if (status >> 8 === 3) throw new DeviceError('transient', `${target} cannot take a login now (${code}).`);
  throw new DeviceError('permanent', `${target} refuses the login (${code}).`);
}
