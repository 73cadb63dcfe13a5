import { connect } from 'node:tls';
import { codeOf, ProblemError } from '../platform/problem-error.ts';
import { t } from '../texts/index.ts';

/** What one connection brings to TLS beyond the system's: read from files and found usable. */
export interface OwnTls {
  /** PEM of each authority; null: those of the system. */
  readonly ca: readonly string[] | null;
  /** SHA-256 of each of them. */
  readonly authorityFingerprints: readonly string[];
  readonly client: {
    /** PEM of the certificate and of those between it and its authority. */
    readonly cert: string;
    readonly key: string;
    /** Empty: the key has none. */
    readonly passphrase: string;
  } | null;
}

export function ownTlsOptions(own: OwnTls | null): Readonly<Record<string, unknown>> {
  return {
    ...(own?.ca ? { ca: [...own.ca] } : {}),
    ...(own?.client
      ? {
          cert: own.client.cert,
          key: own.client.key,
          ...(own.client.passphrase === '' ? {} : { passphrase: own.client.passphrase }),
        }
      : {}),
  };
}

/** What a server says when it wants a client certificate and got none, or not one that it takes. */
const refusals =
  /ALERT_(CERTIFICATE_REQUIRED|BAD_CERTIFICATE|UNSUPPORTED_CERTIFICATE|CERTIFICATE_REVOKED|CERTIFICATE_EXPIRED|CERTIFICATE_UNKNOWN|UNKNOWN_CA|ACCESS_DENIED|HANDSHAKE_FAILURE)/;

/** Null when the failure says nothing about the client certificate. */
export function clientCertificateProblem(error: unknown, own: OwnTls | null): ProblemError | null {
  const code = codeOf(error) ?? '';
  if (!refusals.test(code)) return null;
  const word = own?.client ? 'clientRefused' : 'clientNeeded';
  return new ProblemError(
    {
      kind: 'unreachable',
      code: word,
      message: t(`certificate.${word}`),
      errors: { certificateFile: t(`certificate.${word}Field`) },
      facts: { code },
    },
    { cause: error },
  );
}

const closedCodes = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);
const alertLimitMs = 1_000;

/**
 * A server says no to a caller only after the handshake, and a request on its way then just meets a closed connection. So
 * after such an end one more handshake waits for the server's reason; nothing is sent in it. The given error when there is none.
 */
export async function reasonOfEnd(
  error: unknown,
  address: string,
  options: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  const { protocol, hostname, port } = new URL(address);
  if (protocol !== 'https:' || !closedCodes.has(codeOf(error) ?? '')) return error;
  const host = hostname.replace(/^\[|\]$/g, '');
  const name = /^[\d.]+$|:/.test(host) ? {} : { servername: host };
  const socket = connect({ host, port: Number(port || 443), ...name, ...options });
  try {
    return await new Promise<unknown>((resolve) => {
      socket.setTimeout(alertLimitMs, () => resolve(error));
      socket.on('error', (said) => resolve(refusals.test(codeOf(said) ?? '') ? said : error));
      socket.once('close', () => resolve(error));
      // An alert is only met by reading.
      socket.resume();
    });
  } finally {
    socket.destroy();
  }
}
