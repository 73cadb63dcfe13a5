import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Pair {
  readonly cert: string;
  readonly key: string;
}

const openssl = (folder: string, args: readonly string[]): void => {
  execFileSync('openssl', [...args], { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
};

function readPair(folder: string, name: string): Pair {
  const read = (suffix: string): string => readFileSync(join(folder, `${name}.${suffix}`), 'utf8');
  return { cert: read('crt'), key: read('key') };
}

/** A certificate authority of the lab's own. */
export function makeAuthority(folder: string, name: string): Pair {
  const subject = ['-subj', `/CN=${name}`, '-keyout', `${name}.key`, '-out', `${name}.crt`];
  const uses = ['basicConstraints=critical,CA:TRUE', 'keyUsage=critical,keyCertSign,cRLSign'];
  openssl(folder, [
    ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '30', ...subject],
    ...uses.flatMap((use) => ['-addext', use]),
  ]);
  return readPair(folder, name);
}

/** A certificate of the authority; `days` 0 has expired at once. */
export function makeCertificate(
  folder: string,
  options: {
    readonly name: string;
    readonly authority: string;
    readonly extensions: readonly string[];
    readonly days?: number;
  },
): Pair {
  const { name, authority, extensions, days = 30 } = options;
  writeFileSync(join(folder, `${name}.ext`), `${extensions.join('\n')}\n`);
  openssl(folder, [
    ...['req', '-newkey', 'rsa:2048', '-nodes', '-subj', `/CN=${name}`],
    ...['-keyout', `${name}.key`, '-out', `${name}.csr`],
  ]);
  openssl(folder, [
    ...['x509', '-req', '-in', `${name}.csr`, '-CA', `${authority}.crt`, '-CAkey', `${authority}.key`],
    ...['-CAcreateserial', '-days', String(days), '-extfile', `${name}.ext`, '-out', `${name}.crt`],
  ]);
  return readPair(folder, name);
}
