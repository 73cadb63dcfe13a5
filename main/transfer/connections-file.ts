import { createHash, X509Certificate } from 'node:crypto';
import { z } from 'zod';
import { authTypes, connectionColours, isTimeZone, TlsFiles } from '../../contract/desktop/connection.ts';
import { parseAddress } from '../api/address.ts';
import type { SharedProfile } from '../connections/profile-sharing.ts';
import { messageOf, ProblemError, problemOf } from '../platform/problem-error.ts';
import { t } from '../texts/index.ts';
import { asSealed, CannotOpen, openSealed, sealText } from './sealed-text.ts';

const format = 'strongroom-connections';
const sealedFormat = 'strongroom-connections-sealed';
const version = 1;
const mostConnections = 500;

const Entry = z.object({
  name: z.string().trim().min(1).max(100),
  address: z.string().min(1).max(2048),
  database: z.string().min(1).max(255),
  user_name: z.string().min(1).max(255),
  auth_type: z.enum(authTypes),
  domain: z.string().max(255).default(''),
  remember: z.boolean().default(true),
  group: z.string().trim().max(100).default(''),
  colour: z.enum(connectionColours).catch('none'),
  time_zone: z
    .string()
    .max(100)
    .refine((zone) => zone === '' || isTimeZone(zone))
    .catch(''),
  /** PEM of a certificate that was trusted by hand. */
  certificate: z
    .string()
    .max(64 * 1024)
    .nullable()
    .default(null),
  /** Where the PEM files lie; neither their content nor a passphrase. */
  ca_file: TlsFiles.shape.caFile,
  certificate_file: TlsFiles.shape.certificateFile,
  key_file: TlsFiles.shape.keyFile,
});

const FileText = z.object({
  format: z.literal(format),
  version: z.number(),
  connections: z.array(z.unknown()).max(mostConnections),
});

/** The file of these connections, sealed when there is a passphrase. Sessions and passwords are no part of a profile. */
export async function writeConnections(
  profiles: readonly SharedProfile[],
  passphrase: string | null,
): Promise<string> {
  const connections = profiles.map((profile) => ({
    name: profile.name,
    address: profile.address,
    database: profile.database,
    user_name: profile.userName,
    auth_type: profile.authType,
    domain: profile.domain,
    remember: profile.remember,
    group: profile.group,
    colour: profile.colour,
    time_zone: profile.zone,
    certificate: profile.pin?.pem ?? null,
    ...(profile.tls
      ? {
          ca_file: profile.tls.caFile,
          certificate_file: profile.tls.certificateFile,
          key_file: profile.tls.keyFile,
        }
      : {}),
  }));
  const text = `${JSON.stringify({ format, version, connections }, null, 2)}\n`;
  return passphrase === null ? text : sealText(sealedFormat, text, passphrase);
}

export type ReadFile =
  | { readonly kind: 'sealed'; readonly digest: string }
  | { readonly kind: 'open'; readonly digest: string; readonly profiles: readonly SharedProfile[] };

/** What a file holds: all of it or a problem that says why not. A sealed one needs its passphrase. */
export async function readConnections(text: string, passphrase: string | null): Promise<ReadFile> {
  const digest = createHash('sha256').update(text).digest('hex');
  const json = parseJson(text);
  const sealed = asSealed(sealedFormat, json);
  if (sealed === null) return { kind: 'open', digest, profiles: readList(json) };
  if (passphrase === null) return { kind: 'sealed', digest };
  const inner = await openSealed(sealed, passphrase).catch((error: unknown) => {
    if (!(error instanceof CannotOpen)) throw error;
    throw refused('passphrase', t('transfer.wrongPassphrase'), {
      passphrase: t('transfer.wrongPassphraseField'),
    });
  });
  return { kind: 'open', digest, profiles: readList(parseJson(inner)) };
}

function readList(json: unknown): readonly SharedProfile[] {
  const file = FileText.safeParse(json);
  if (!file.success) throw foreign(t('transfer.noConnections'));
  if (file.data.version > version) throw foreign(t('files.newer'));
  return file.data.connections.map(readEntry);
}

function readEntry(entry: unknown, index: number): SharedProfile {
  const parsed = Entry.safeParse(entry);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw foreign(
      t('transfer.badEntry', {
        number: index + 1,
        detail: `${issue?.path.join('.')}: ${issue?.message}`,
      }),
    );
  }
  const { user_name: userName, auth_type: authType, time_zone: zone, certificate, ...others } = parsed.data;
  const { ca_file: caFile, certificate_file: certificateFile, key_file: keyFile, ...rest } = others;
  const hasTls = [caFile, certificateFile, keyFile].some((path) => path !== '');
  return {
    ...rest,
    userName,
    authType,
    zone,
    address: addressOf(rest.address, index),
    pin: pinOf(certificate, index),
    ...(hasTls ? { tls: { caFile, certificateFile, keyFile } } : {}),
  };
}

function addressOf(text: string, index: number): string {
  try {
    return parseAddress(text);
  } catch (error) {
    const reason = problemOf(error)?.errors?.address ?? messageOf(error);
    throw foreign(t('transfer.badAddress', { number: index + 1, reason }), error);
  }
}

/** The fingerprint is computed here: what a file says about a certificate counts for nothing. */
function pinOf(pem: string | null, index: number): SharedProfile['pin'] {
  if (pem === null) return null;
  try {
    return { fingerprint: new X509Certificate(pem).fingerprint256, pem };
  } catch (error) {
    throw foreign(t('transfer.badCertificate', { number: index + 1 }), error);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw foreign(t('files.noJson'), error);
  }
}

function foreign(reason: string, cause?: unknown): ProblemError {
  return refused('foreign', t('transfer.notImported', { reason }), { path: reason }, cause);
}

function refused(
  code: string,
  message: string,
  errors: Readonly<Record<string, string>>,
  cause?: unknown,
): ProblemError {
  return new ProblemError({ kind: 'refused', code, message, errors }, { cause });
}
