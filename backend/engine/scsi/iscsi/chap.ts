import { createHash } from 'node:crypto';
import { protocolError } from './pdu.ts';
import { binaryOf, numberOf, type TextPair, textOf } from './text.ts';

/** What a target knows this initiator by. */
export interface ChapCredentials {
  readonly user: string;
  readonly password: string;
}

/** The answer to a challenge (RFC 1994 with MD5, which is the one algorithm that every target has). */
export function chapAnswer(
  challenge: readonly TextPair[],
  credentials: ChapCredentials,
): readonly TextPair[] {
  const algorithm = textOf(challenge, 'CHAP_A');
  if (algorithm !== '5') throw protocolError('it chooses a way of CHAP that was not offered');
  const id = numberOf(challenge, 'CHAP_I', { low: 0, high: 255 });
  const bytes = binaryOf(textOf(challenge, 'CHAP_C') ?? '');
  if (id === null || bytes.length > 1024) throw protocolError('its challenge cannot be used');
  const digest = createHash('md5')
    .update(Buffer.from([id]))
    .update(credentials.password, 'utf8')
    .update(bytes)
    .digest('hex');
  return [
    ['CHAP_N', credentials.user],
    ['CHAP_R', `0x${digest}`],
  ];
}
