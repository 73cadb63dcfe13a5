import { connect, type PeerCertificate, type TLSSocket } from 'node:tls';
import type { CertificateFacts, ProbeResult } from '../../contract/desktop/connection.ts';
import type { Problem } from '../../contract/problem.ts';
import { codeOf, ProblemError } from '../platform/problem-error.ts';
import { untilAborted } from '../platform/waiting.ts';
import { t } from '../texts/index.ts';
import { knownAuthorities } from './authorities.ts';
import { createNameLookup } from './name-lookup.ts';
import { networkProblem } from './network-problem.ts';
import { type OwnTls, ownTlsOptions } from './own-tls.ts';

/** A certificate that a person agreed to trust for one server. The certificate is no secret. */
export interface Pin {
  readonly fingerprint: string;
  readonly pem: string;
}

export interface SeenCertificate extends CertificateFacts {
  readonly pem: string;
  readonly trust: 'system' | 'unknown';
  readonly reason: ProbeResult['reason'];
}

const connectLimitMs = 5_000;
const lookup = createNameLookup();

const reasons: Readonly<Record<string, NonNullable<ProbeResult['reason']>>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'selfSigned',
  SELF_SIGNED_CERT_IN_CHAIN: 'selfSigned',
  CERT_HAS_EXPIRED: 'expired',
  CERT_NOT_YET_VALID: 'notYetValid',
  ERR_TLS_CERT_ALTNAME_INVALID: 'wrongHost',
};

/** Looks at a server's certificate. Not a byte is sent beyond the handshake, whatever the certificate is. */
export async function lookAtCertificate(
  address: string,
  signal?: AbortSignal,
  own: OwnTls | null = null,
): Promise<SeenCertificate> {
  const { hostname, port } = new URL(address);
  const host = hostname.replace(/^\[|\]$/g, '');
  let socket: TLSSocket | undefined;
  const seen = new Promise<SeenCertificate>((resolve, reject) => {
    const opened = connect({
      host,
      port: Number(port || 443),
      rejectUnauthorized: false,
      ...knownAuthorities(),
      ...ownTlsOptions(own),
      lookup: lookup as never,
      // An address is no name: the extension takes names only.
      ...(/^[\d.]+$|:/.test(host) ? {} : { servername: host }),
    });
    socket = opened;
    const limit = setTimeout(
      () =>
        opened.destroy(
          Object.assign(new Error('no TLS answer in time'), { code: 'UND_ERR_CONNECT_TIMEOUT' }),
        ),
      connectLimitMs,
    );
    opened.once('close', () => {
      clearTimeout(limit);
      reject(Object.assign(new Error('the connection was closed'), { code: 'ECONNRESET' }));
    });
    opened.once('error', reject);
    opened.once('secureConnect', () => {
      clearTimeout(limit);
      const certificate = opened.getPeerCertificate(true);
      if (!certificate?.raw) return reject(new Error('the server showed no certificate'));
      return resolve(
        factsOf(certificate, opened.authorized ? null : String(opened.authorizationError ?? '')),
      );
    });
  });
  try {
    return await untilAborted(seen, signal);
  } catch (error) {
    if (error instanceof ProblemError) throw error;
    throw new ProblemError(networkProblem(error, address), { cause: error });
  } finally {
    socket?.destroy();
  }
}

function factsOf(certificate: PeerCertificate, refusal: string | null): SeenCertificate {
  // The error is a code, or a sentence that holds one.
  const known = Object.keys(reasons).find((code) => refusal?.includes(code));
  return {
    fingerprint: certificate.fingerprint256,
    subject: nameText(certificate.subject),
    issuer: nameText(certificate.issuer),
    validFrom: certificate.valid_from,
    validTo: certificate.valid_to,
    altNames: certificate.subjectaltname ?? '',
    pem: pemOf(certificate.raw),
    trust: refusal === null ? 'system' : 'unknown',
    reason: refusal === null ? null : (reasons[known ?? ''] ?? 'untrusted'),
  };
}

function pemOf(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

function nameText(name: PeerCertificate['subject'] | undefined): string {
  return Object.entries(name ?? {})
    .map(([key, value]) => `${key}=${String(value)}`)
    .join(', ')
    .slice(0, 500);
}

/** TLS options of every connection to one server: the system's authorities, or the one certificate that was agreed on. */
export function tlsOptions(pin: Pin | null, own: OwnTls | null = null): Readonly<Record<string, unknown>> {
  // Said explicitly, since otherwise NODE_TLS_REJECT_UNAUTHORIZED=0 would switch the check off.
  const always = { rejectUnauthorized: true };
  if (!pin) return { ...always, ...knownAuthorities(), ...ownTlsOptions(own) };
  return {
    ...always,
    ...ownTlsOptions(own),
    ca: [pin.pem],
    allowPartialTrustChain: true,
    checkServerIdentity: (_host: string, certificate: PeerCertificate) =>
      certificate.fingerprint256 === pin.fingerprint
        ? undefined
        : Object.assign(new Error('another certificate than the trusted one'), { code: 'PIN_MISMATCH' }),
  };
}

const certificateCodes = new Set([
  ...Object.keys(reasons),
  'PIN_MISMATCH',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_SIGNATURE_FAILURE',
  'CERT_CHAIN_TOO_LONG',
  'CERT_REVOKED',
  'CERT_REJECTED',
  'CERT_UNTRUSTED',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'PATH_LENGTH_EXCEEDED',
  'HOSTNAME_MISMATCH',
]);

export function isCertificateError(error: unknown): boolean {
  const code = codeOf(error);
  return code !== undefined && certificateCodes.has(code);
}

/**
 * What is wrong with the certificate that a server shows now, with what a dialog needs. Codes: `unknown` never agreed
 * on · `otherAuthority` not vouched for by the connection's own authorities · `changed` another one than the trusted · `expired`, `notYetValid` the trusted one itself.
 */
export function certificateProblem(
  seen: SeenCertificate,
  pin: Pin | null,
  own: OwnTls | null = null,
): Problem {
  const facts = {
    fingerprint: seen.fingerprint,
    subject: seen.subject,
    issuer: seen.issuer,
    validFrom: seen.validFrom,
    validTo: seen.validTo,
    altNames: seen.altNames,
    reason: seen.reason ?? 'untrusted',
    ...(pin ? { trustedFingerprint: pin.fingerprint } : {}),
  };
  if (!pin && own?.ca && (seen.reason === 'untrusted' || seen.reason === 'selfSigned')) {
    const values = { fingerprint: seen.fingerprint, authorities: own.authorityFingerprints.join(', ') };
    return {
      kind: 'certificate',
      code: 'otherAuthority',
      message: t('certificate.otherAuthority', values),
      errors: { caFile: t('certificate.otherAuthorityField', values) },
      facts: { ...facts, authorityFingerprints: values.authorities },
    };
  }
  if (!pin) return { kind: 'certificate', code: 'unknown', message: unknownMessage(seen.reason), facts };
  if (pin.fingerprint !== seen.fingerprint)
    return {
      kind: 'certificate',
      code: 'changed',
      message: t('certificate.changed'),
      facts,
    };
  const code = seen.reason === 'notYetValid' ? 'notYetValid' : 'expired';
  return {
    kind: 'certificate',
    code,
    message:
      code === 'expired'
        ? t('certificate.expiredPin', { date: seen.validTo })
        : t('certificate.earlyPin', { date: seen.validFrom }),
    facts,
  };
}

function unknownMessage(reason: ProbeResult['reason']): string {
  if (reason === 'wrongHost' || reason === 'expired' || reason === 'notYetValid')
    return t(`certificate.${reason}`);
  return t('certificate.unknown');
}
