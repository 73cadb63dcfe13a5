import type { Problem } from '../../contract/problem.ts';
import { codeOf, messageOf } from '../platform/problem-error.ts';
import { t } from '../texts/index.ts';

const words = {
  ECONNREFUSED: 'refused',
  ECONNRESET: 'closedByServer',
  EPIPE: 'closedByServer',
  ENOTFOUND: 'noName',
  EAI_AGAIN: 'noLookup',
  EHOSTUNREACH: 'noWay',
  ENETUNREACH: 'noNetwork',
  ETIMEDOUT: 'noAnswer',
  UND_ERR_CONNECT_TIMEOUT: 'noConnection',
  UND_ERR_HEADERS_TIMEOUT: 'noHeaders',
  UND_ERR_BODY_TIMEOUT: 'stopped',
  UND_ERR_SOCKET: 'closedByServer',
  UND_ERR_DESTROYED: 'closed',
  UND_ERR_CLOSED: 'closed',
  EPROTO: 'noTls',
  ERR_SSL_WRONG_VERSION_NUMBER: 'noTls',
  deadline: 'deadline',
} as const satisfies Readonly<Record<string, string>>;

/** Why there was no (whole) answer. `code` is Node's or undici's word for it. */
export function networkProblem(error: unknown, address: string): Problem {
  const code = codeOf(error) ?? 'unknown';
  const word = Object.hasOwn(words, code) ? words[code as keyof typeof words] : undefined;
  if (code.startsWith('HPE_') || code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH')
    return {
      kind: 'badAnswer',
      message: t('answers.bad', { reason: t('answers.broken') }),
      code,
      facts: { address },
    };
  return {
    kind: 'unreachable',
    message: word === undefined ? t('network.unknown', { detail: messageOf(error) }) : t(`network.${word}`),
    code,
    facts: { address },
  };
}
