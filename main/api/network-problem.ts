import type { Problem } from '../../contract/problem.ts';
import { codeOf, messageOf } from '../platform/problem-error.ts';

const messages: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Nothing listens at this address. Is the server running, and the port right?',
  ECONNRESET: 'The server closed the connection.',
  EPIPE: 'The server closed the connection.',
  ENOTFOUND: 'There is no computer of this name.',
  EAI_AGAIN: 'The name could not be looked up now. Is the network there?',
  EHOSTUNREACH: 'There is no way to this computer.',
  ENETUNREACH: 'The network of this computer is not reachable.',
  ETIMEDOUT: 'The computer did not answer.',
  UND_ERR_CONNECT_TIMEOUT: 'The computer did not answer within 5 s.',
  UND_ERR_HEADERS_TIMEOUT: 'The server took the call but did not answer within 15 s.',
  UND_ERR_BODY_TIMEOUT: 'The server stopped in the middle of its answer.',
  UND_ERR_SOCKET: 'The server closed the connection.',
  UND_ERR_DESTROYED: 'The connection was closed.',
  UND_ERR_CLOSED: 'The connection was closed.',
  EPROTO: 'The server does not speak TLS here. Is the port right?',
  ERR_SSL_WRONG_VERSION_NUMBER: 'The server does not speak TLS here. Is the port right?',
  deadline: 'The server did not finish its answer in time.',
};

/** Why there was no (whole) answer. `code` is Node's or undici's word for it. */
export function networkProblem(error: unknown, address: string): Problem {
  const code = codeOf(error) ?? 'unknown';
  const known = Object.hasOwn(messages, code) ? messages[code] : undefined;
  if (code.startsWith('HPE_') || code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH')
    return {
      kind: 'badAnswer',
      message: 'This does not look like a backup server: its answer is broken.',
      code,
      facts: { address },
    };
  return {
    kind: 'unreachable',
    message: known ?? `The server cannot be reached (${messageOf(error)}).`,
    code,
    facts: { address },
  };
}
