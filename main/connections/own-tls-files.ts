import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import type { TlsFiles } from '../../contract/desktop/connection.ts';
import type { OwnTls } from '../api/own-tls.ts';
import { readChosenFile } from '../platform/chosen-file.ts';
import { messageOf, ProblemError } from '../platform/problem-error.ts';
import { keyPassphraseKey, type Profile } from '../profiles/profile.ts';
import type { SecretStore } from '../secrets/secret-store.ts';
import { t } from '../texts/index.ts';

type Field = keyof TlsFiles | 'keyPassphrase';
type Owner = Pick<Profile, 'id' | 'address' | 'authType' | 'domain' | 'userName' | 'tls'>;

const mostBytes = 1024 * 1024;

/**
 * Authorities and client certificates that connections name by path. The passphrase of a key lies in the keychain, or
 * in memory until the app ends where there is no working keychain.
 */
export function createOwnTlsFiles(secrets: SecretStore) {
  const ofThisRun = new Map<string, string>();

  const passphraseOf = async (owner: Owner): Promise<string> => {
    const known = ofThisRun.get(owner.id);
    if (known !== undefined) return known;
    const stored = await secrets.get(keyPassphraseKey(owner));
    if (stored.kind === 'failed')
      throw new ProblemError({
        kind: 'keychain',
        code: stored.status.state,
        message: stored.status.message,
      });
    const passphrase = stored.kind === 'found' ? Buffer.from(stored.value, 'base64').toString() : '';
    ofThisRun.set(owner.id, passphrase);
    return passphrase;
  };

  return {
    passphraseOf: async (owner: Owner): Promise<string> => (owner.tls?.keyFile ? passphraseOf(owner) : ''),

    /** What the files hold now, with the passphrase that was kept; null when the connection names none. */
    read: async (owner: Owner): Promise<OwnTls | null> => {
      const { tls } = owner;
      return namesAny(tls) ? readFiles(tls, () => passphraseOf(owner)) : null;
    },
    check: (owner: Owner, passphrase: string): Promise<OwnTls | null> =>
      namesAny(owner.tls) ? readOwnTls(owner.tls, passphrase) : Promise.resolve(null),

    keep: async (owner: Owner, passphrase: string): Promise<void> => {
      const kept = namesAny(owner.tls) && owner.tls.keyFile !== '' ? passphrase : '';
      ofThisRun.set(owner.id, kept);
      // Keychains change other characters than plain ones.
      if (kept !== '') await secrets.set(keyPassphraseKey(owner), Buffer.from(kept).toString('base64'));
    },
    forget: async (owner: Owner): Promise<void> => {
      ofThisRun.delete(owner.id);
      if (owner.tls?.keyFile) await secrets.remove(keyPassphraseKey(owner));
    },
  };
}

function namesAny(tls: TlsFiles | undefined): tls is TlsFiles {
  return tls !== undefined && Object.values(tls).some((path) => path !== '');
}

/** Reads and checks; each problem names its field and what to do. */
export function readOwnTls(tls: TlsFiles, passphrase: string): Promise<OwnTls> {
  return readFiles(tls, async () => passphrase);
}

/** The passphrase is asked for only where the key is sealed: it may lie in a keychain that is locked. */
async function readFiles(tls: TlsFiles, passphraseOf: () => Promise<string>): Promise<OwnTls> {
  const ca = tls.caFile === '' ? null : certificatesOf(await readPem(tls.caFile, 'caFile'), 'caFile');
  for (const one of ca ?? []) refuseExpired(one, 'caFile');
  return {
    ca: ca?.map(String) ?? null,
    authorityFingerprints: (ca ?? []).map(({ fingerprint256 }) => fingerprint256),
    client: await readClient(tls, passphraseOf),
  };
}

async function readClient(tls: TlsFiles, passphraseOf: () => Promise<string>): Promise<OwnTls['client']> {
  if (tls.certificateFile === '' && tls.keyFile === '') return null;
  if (tls.certificateFile === '') throw wrong('certificateFile', t('tlsFiles.certificateMissing'));
  const cert = await readPem(tls.certificateFile, 'certificateFile');
  const [own] = certificatesOf(cert, 'certificateFile');
  if (own) refuseExpired(own, 'certificateFile');
  if (tls.keyFile === '') throw wrong('keyFile', t('tlsFiles.keyMissing'));
  const key = await readPem(tls.keyFile, 'keyFile');
  const passphrase = isSealed(key) ? await passphraseOf() : '';
  const opened = openKey(key, passphrase);
  if (!own?.checkPrivateKey(opened)) throw wrong('keyFile', t('tlsFiles.notTogether'));
  return { cert, key, passphrase };
}

async function readPem(path: string, field: Field): Promise<string> {
  try {
    return await readChosenFile(path, mostBytes, t('tlsFiles.tooLarge'));
  } catch (error) {
    throw wrong(field, messageOf(error), error);
  }
}

function certificatesOf(text: string, field: Field): readonly X509Certificate[] {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) throw wrong(field, t('tlsFiles.noCertificate'));
  try {
    return blocks.map((block) => new X509Certificate(block));
  } catch (error) {
    throw wrong(field, t('tlsFiles.brokenCertificate'), error);
  }
}

function isSealed(key: string): boolean {
  return /BEGIN ENCRYPTED PRIVATE KEY|Proc-Type: 4,ENCRYPTED/.test(key);
}

function openKey(key: string, passphrase: string): KeyObject {
  if (!/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(key)) throw wrong('keyFile', t('tlsFiles.noKey'));
  if (isSealed(key) && passphrase === '') throw wrong('keyPassphrase', t('tlsFiles.passphraseNeeded'));
  try {
    return createPrivateKey(isSealed(key) ? { key, passphrase } : { key });
  } catch (error) {
    if (isSealed(key)) throw wrong('keyPassphrase', t('tlsFiles.passphraseWrong'), error);
    throw wrong('keyFile', t('tlsFiles.brokenKey'), error);
  }
}

function refuseExpired(certificate: X509Certificate, field: Field): void {
  if (Date.parse(certificate.validTo) < Date.now())
    throw wrong(field, t('tlsFiles.expired', { date: certificate.validTo }));
}

function wrong(field: Field, reason: string, cause?: unknown): ProblemError {
  const message = t('tlsFiles.unusable', { field: t(`tlsFiles.fields.${field}`), reason });
  return new ProblemError(
    { kind: 'refused', code: 'tlsFile', message, errors: { [field]: reason } },
    { cause },
  );
}
