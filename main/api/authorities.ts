import { readFile } from 'node:fs/promises';
import { rootCertificates } from 'node:tls';

/** Where Linux systems keep all authorities that their administrator trusts, those of the own company included. */
const bundles = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/ssl/cert.pem',
];

let ofSystem: readonly string[] = [];

/**
 * Node brings its own list of authorities and does not look at the system's. Read once at start; a system without such a
 * file has the built-in list only.
 */
export async function loadSystemAuthorities(paths: readonly string[] = bundles): Promise<void> {
  for (const path of paths) {
    try {
      ofSystem = splitBundle(await readFile(path, 'utf8'));
      return;
    } catch {
      // Not this kind of system; another place may have it.
    }
  }
  ofSystem = [];
}

/** TLS options that trust the built-in authorities and the system's. */
export function knownAuthorities(): { readonly ca?: string[] } {
  return ofSystem.length === 0 ? {} : { ca: [...rootCertificates, ...ofSystem] };
}

function splitBundle(text: string): readonly string[] {
  return text.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
}
