import { execFile } from 'node:child_process';
import { randomUUID, X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface TestCertificate {
  readonly key: string;
  readonly cert: string;
  readonly fingerprint: string;
}

/** A fresh self-signed certificate for an address (`IP:127.0.0.1`) or name (`DNS:other.example`). */
export async function makeCertificate(
  options: { readonly name?: string; readonly expired?: boolean } = {},
): Promise<TestCertificate> {
  const { name = 'IP:127.0.0.1', expired = false } = options;
  const folder = await mkdtemp(join(tmpdir(), 'strongroom-cert-'));
  try {
    const at = (file: string) => join(folder, file);
    await writeFile(at('conf'), settings(folder, name));
    await writeFile(at('index'), '');
    // Of its own, since an authority is found by its name.
    const own = randomUUID();
    const subject = ['-subj', `/O=Strongroom test/CN=test server ${own}`, '-config', at('conf')];
    const newKey = [
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-keyout',
      at('key'),
    ];
    await run('openssl', ['req', '-new', ...newKey, '-out', at('csr'), ...subject]);
    const span = expired ? ['20200101000000Z', '20200201000000Z'] : ['20200101000000Z', '20491231000000Z'];
    await run('openssl', [
      ...[
        'ca',
        '-selfsign',
        '-batch',
        '-notext',
        '-rand_serial',
        '-config',
        at('conf'),
        '-keyfile',
        at('key'),
      ],
      ...['-startdate', span[0] ?? '', '-enddate', span[1] ?? '', '-in', at('csr'), '-out', at('cert')],
    ]);
    const cert = await readFile(at('cert'), 'utf8');
    return {
      key: await readFile(at('key'), 'utf8'),
      cert,
      fingerprint: new X509Certificate(cert).fingerprint256,
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What `openssl ca` wants: it alone lets a certificate be over before it begins. */
function settings(folder: string, name: string): string {
  return `[ca]
default_ca = own
[own]
database = ${folder}/index
new_certs_dir = ${folder}
default_md = sha256
policy = any
x509_extensions = server
unique_subject = no
rand_serial = yes
[any]
organizationName = optional
commonName = supplied
[req]
distinguished_name = subject
[subject]
[server]
subjectAltName = ${name}
basicConstraints = CA:FALSE
`;
}
