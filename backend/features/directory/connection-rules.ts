import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { DirectoryConnectionDraft } from '../../../contract/directory/directory.ts';
import type { FieldErrors } from '../../../contract/problem.ts';

const certificateBlock = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;
const keyBlock = /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----[\s\S]+?-----END (?:[A-Z]+ )?PRIVATE KEY-----/;

/** What of the certificates cannot be used, by field. Whether the controller likes them is seen at a login. */
export function certificateRefusals(draft: DirectoryConnectionDraft): FieldErrors {
  const errors: Record<string, string> = {};
  if (draft.root_cert && !areCertificates(draft.root_cert)) {
    errors.root_cert = 'is not a certificate in PEM form (-----BEGIN CERTIFICATE-----)';
  }
  if (draft.client_cert) {
    const reason = whyNoClientCertificate(draft.client_cert);
    if (reason !== null) errors.client_cert = reason;
  }
  return errors;
}

/** Only the certificates of a PEM text, without a key; null when it has none. */
export function certificatesOf(pem: string): string | null {
  const blocks = pem.match(certificateBlock);
  return blocks === null ? null : `${blocks.join('\n')}\n`;
}

function areCertificates(pem: string): boolean {
  const blocks = pem.match(certificateBlock) ?? [];
  return blocks.length > 0 && blocks.every(isCertificate);
}

function isCertificate(block: string): boolean {
  try {
    return new X509Certificate(block).serialNumber !== '';
  } catch {
    // Whatever OpenSSL finds wrong with it, it is none.
    return false;
  }
}

function whyNoClientCertificate(pem: string): string | null {
  const [certificate] = pem.match(certificateBlock) ?? [];
  if (certificate === undefined || !isCertificate(certificate)) {
    return 'is not a certificate in PEM form (-----BEGIN CERTIFICATE-----)';
  }
  const [key] = pem.match(keyBlock) ?? [];
  if (key === undefined) return 'must also hold the key of the certificate (-----BEGIN PRIVATE KEY-----)';
  try {
    const isPair = new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key));
    return isPair ? null : 'holds a key that does not belong to its certificate';
  } catch {
    // Encrypted keys end here too: nobody could type their passphrase at a login.
    return 'holds a key that cannot be read; it must not be encrypted';
  }
}
