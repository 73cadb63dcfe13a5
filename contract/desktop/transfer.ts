import { z } from 'zod';
import { authTypes, connectionColours, TlsFiles } from './connection.ts';

/** Moving connections to another computer by a file. No file ever holds a session or a password. */

export const shortestPassphrase = 8;

const FilePath = z.string('must be a text').trim().min(1, 'must not be empty').max(4096, 'is too long');
const Passphrase = z.string('must be a text').max(1024, 'is too long');

export const ExportConnections = z.strictObject({
  /** Null: readable by anyone. Else the whole file is sealed with it. */
  passphrase: Passphrase.min(
    shortestPassphrase,
    `must have ${shortestPassphrase} characters at least`,
  ).nullable(),
});

export const Exported = z.object({
  /** Null: the person gave up. */
  path: z.string().nullable(),
  count: z.number(),
});

export const ReadImport = z.strictObject({ path: FilePath, passphrase: Passphrase.nullable() });

export const ImportItem = z.object({
  name: z.string(),
  address: z.string(),
  database: z.string(),
  userName: z.string(),
  authType: z.enum(authTypes),
  domain: z.string(),
  group: z.string(),
  colour: z.enum(connectionColours),
  /** SHA-256 of the certificate that the file wants to be trusted. */
  fingerprint: z.string().nullable(),
  /** Which PEM files of this computer the connection would use; null: none. */
  tls: TlsFiles.nullable(),
  /** What the same account of the same server is called here, when it is there already. */
  existingName: z.string().nullable(),
});
export type ImportItem = z.infer<typeof ImportItem>;

export const ImportPreview = z.object({
  /** True: the file is sealed, and `items` are empty until the passphrase is given. */
  needsPassphrase: z.boolean(),
  /** Names the content; `connections.import` takes only what was shown. */
  digest: z.string(),
  items: z.array(ImportItem),
});
export type ImportPreview = z.infer<typeof ImportPreview>;

export const ImportConnections = z.strictObject({
  ...ReadImport.shape,
  digest: z.string().max(128),
  /** Places in the preview's list: what to take over, and which of those may replace what is there. */
  take: z.array(z.int().min(0)).max(500),
  replace: z.array(z.int().min(0)).max(500),
});

export const Imported = z.object({ added: z.number(), replaced: z.number(), kept: z.number() });
export type Imported = z.infer<typeof Imported>;
