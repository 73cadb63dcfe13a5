import type { ProbeResult } from '../../contract/desktop/connection.ts';
import { parseAddress } from '../api/address.ts';
import { certificateProblem, lookAtCertificate, type Pin, type SeenCertificate } from '../api/certificate.ts';
import { describeServer } from '../api/login.ts';
import type { OwnTls } from '../api/own-tls.ts';
import { createTransport, type Deadlines } from '../api/transport.ts';
import { ProblemError } from '../platform/problem-error.ts';

/** What a server shows to anyone. One that is not trusted yet is asked nothing. */
export async function probeServer(
  text: string,
  deadlines: Partial<Deadlines> | undefined,
  signal?: AbortSignal,
): Promise<ProbeResult> {
  const address = parseAddress(text);
  const seen = address.startsWith('http:') ? null : await lookAtCertificate(address, signal);
  const trust = seen?.trust ?? 'plain';
  return {
    address,
    trust,
    reason: seen?.reason ?? null,
    certificate: seen ? factsOf(seen) : null,
    version: trust === 'unknown' ? null : await versionOf(address, deadlines, signal),
  };
}

/** What the person agreed to, looked at again: only exactly that certificate becomes the pin. */
export async function agreedPin(
  address: string,
  fingerprint: string | null,
  own: OwnTls | null,
  signal?: AbortSignal,
): Promise<Pin | null> {
  if (address.startsWith('http:')) return null;
  const seen = await lookAtCertificate(address, signal, own);
  if (seen.trust === 'system') return null;
  if (seen.fingerprint !== fingerprint) throw new ProblemError(certificateProblem(seen, null, own));
  return { fingerprint: seen.fingerprint, pem: seen.pem };
}

async function versionOf(
  address: string,
  deadlines: Partial<Deadlines> | undefined,
  signal: AbortSignal | undefined,
): Promise<string | null> {
  const transport = createTransport({ address, pin: null, ...(deadlines ? { deadlines } : {}) });
  try {
    return (await describeServer(transport, signal)).version;
  } finally {
    await transport.close();
  }
}

function factsOf({ pem: _pem, trust: _trust, reason: _reason, ...facts }: SeenCertificate) {
  return facts;
}
