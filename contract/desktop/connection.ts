import { z } from 'zod';
import type { Problem } from '../problem.ts';

/** A problem as data. What it means is written at `Problem`. */
export const ProblemShape: z.ZodType<Problem> = z.object({
  kind: z.enum([
    'refused',
    'signIn',
    'unreachable',
    'certificate',
    'cancelled',
    'badAnswer',
    'keychain',
    'local',
    'bug',
  ]),
  message: z.string(),
  status: z.number().optional(),
  errors: z.record(z.string(), z.string()).optional(),
  code: z.string().optional(),
  facts: z.record(z.string(), z.string()).optional(),
  incident: z.string().optional(),
});

export const ConnectionId = z.string().min(1).max(64);
export type ConnectionId = z.infer<typeof ConnectionId>;

/**
 * - `connecting`: the first answer is awaited
 * - `connected`: signed in and answering
 * - `signIn`: a person has to sign in; `problem` says why (never signed in, session over, keychain locked, refused)
 * - `unreachable`: no answer; data shown before are stale since `since`; the next try is at `retryAt`
 * - `certificate`: unknown, changed or unacceptable certificate; nothing was sent
 * - `stopped`: the local backend is not running, or the person signed out and wants no automatic connection
 */
export const connectionPhases = [
  'connecting',
  'connected',
  'signIn',
  'unreachable',
  'certificate',
  'stopped',
] as const;
export type ConnectionPhase = (typeof connectionPhases)[number];

export const ConnectionState = z.object({
  phase: z.enum(connectionPhases),
  /** Epoch ms at which this phase began. */
  since: z.number(),
  /** One sentence for a person, or null when there is nothing to say. */
  detail: z.string().nullable(),
  problem: ProblemShape.nullable(),
  /** Epoch ms of the next automatic try. */
  retryAt: z.number().nullable(),
  user: z.string().nullable(),
  roles: z.array(z.string()),
  permissions: z.array(z.string()),
  serviceMode: z.boolean().nullable(),
  /** Names of the server's extensions; empty for a server that has none. */
  extensions: z.array(z.string()),
  serverVersion: z.string().nullable(),
  /** Server clock minus clock of this computer, from the answers' `Date`; null until known. One second coarse. */
  clockSkewMs: z.number().nullable(),
  /** True while the server's event stream is open; otherwise lists have to be polled. */
  live: z.boolean(),
  lastSuccessLogin: z.string().nullable(),
  lastFailLogin: z.string().nullable(),
});
export type ConnectionState = z.infer<typeof ConnectionState>;

export const authTypes = ['database', 'domain'] as const;

/** Marks that a person gives to connections; they carry no meaning of their own. */
export const connectionColours = ['none', 'blue', 'green', 'amber', 'red', 'violet', 'grey'] as const;
export type ConnectionColour = (typeof connectionColours)[number];

const TlsPath = z.string('must be a text').trim().max(4096, 'is too long');

/** Paths of PEM files on this computer; empty: none. `caFile` takes the place of the authorities of the system. */
export const TlsFiles = z.strictObject({
  caFile: TlsPath.default(''),
  certificateFile: TlsPath.default(''),
  keyFile: TlsPath.default(''),
});
export type TlsFiles = z.infer<typeof TlsFiles>;

/** Of the key file. Kept by the keychain, never shown again. */
const KeyPassphrase = z.string('must be a text').max(1024, 'is too long');

export const Connection = z.object({
  id: ConnectionId,
  name: z.string(),
  /** `local`: the bundled backend of this computer; `recorded`: a support bundle, which answers what it holds. */
  kind: z.enum(['local', 'remote', 'recorded']),
  /** Base address without `/api/v1`; empty for the local backend, whose port changes. */
  address: z.string(),
  database: z.string(),
  userName: z.string(),
  authType: z.enum(authTypes),
  domain: z.string(),
  /** Keep the session in the keychain of the operating system. */
  remember: z.boolean(),
  /** Under which heading it stands; empty for none. */
  group: z.string(),
  colour: z.enum(connectionColours),
  /** IANA name of the server's time zone, as a person told it; empty: not known. Times of a server carry no zone. */
  zone: z.string(),
  /** SHA-256 of the trusted certificate, when it was trusted by hand. */
  pinnedFingerprint: z.string().nullable(),
  /** Own authorities and client certificate, where it has some. */
  tls: TlsFiles.optional(),
  state: ConnectionState,
});
export type Connection = z.infer<typeof Connection>;

const Name = z.string('must be a text').trim().max(100, 'must have 100 characters at most');
const Colour = z.enum(connectionColours, `must be one of ${connectionColours.join(', ')}`);
const Address = z.string('must be a text').trim().min(1, 'must not be empty').max(2048, 'is too long');
const Zone = z
  .string('must be a text')
  .trim()
  .max(100, 'is too long')
  .refine(
    (zone) => zone === '' || isTimeZone(zone),
    'must be a time zone that this computer knows, like Europe/Paris',
  );
const Password = z.string().min(1, 'must not be empty').max(1024, 'is too long');
/** `AB:CD:…`, 32 bytes. */
export const Fingerprint = z
  .string()
  .regex(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/, 'must be a SHA-256 fingerprint');

const account = {
  database: z.string().trim().min(1, 'must not be empty').max(255, 'is too long'),
  userName: z.string().trim().min(1, 'must not be empty').max(255, 'is too long'),
  authType: z.enum(authTypes),
  /** Only for `domain`. */
  domain: z.string().trim().max(255, 'is too long').default(''),
};

export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name });
    return true;
  } catch {
    // RangeError: there is no such zone.
    return false;
  }
}

/** What the dialog "Connect to a server" holds. `trustFingerprint`: the certificate that the person agreed to trust. */
export const ConnectionDraft = z
  .strictObject({
    name: Name.default(''),
    address: Address,
    ...account,
    password: Password,
    remember: z.boolean(),
    trustFingerprint: Fingerprint.nullable().default(null),
    tls: TlsFiles.optional(),
    keyPassphrase: KeyPassphrase.optional(),
    /** Makes it cancellable by `api.cancel`. */
    callId: z.string().min(1).max(64).optional(),
  })
  .refine((draft) => draft.authType !== 'domain' || draft.domain !== '', {
    path: ['domain'],
    message: 'must not be empty for a domain account',
  });
export type ConnectionDraft = z.infer<typeof ConnectionDraft>;
export type ConnectionDraftInput = z.input<typeof ConnectionDraft>;

/** What a person calls it and whether it is remembered: another address or account is another connection, so that no token can reach it. */
export const ConnectionPatch = z.strictObject({
  name: Name.min(1, 'must not be empty').optional(),
  remember: z.boolean().optional(),
  group: Name.optional(),
  colour: Colour.optional(),
  zone: Zone.optional(),
  tls: TlsFiles.optional(),
  /** Left out: as it was. Empty: the key has none. */
  keyPassphrase: KeyPassphrase.optional(),
});
export type ConnectionPatch = z.infer<typeof ConnectionPatch>;

export const SignIn = z.strictObject({
  connectionId: ConnectionId,
  password: Password,
  remember: z.boolean().optional(),
  /** Makes it cancellable by `api.cancel`. */
  callId: z.string().min(1).max(64).optional(),
});

export const CertificateFacts = z.object({
  fingerprint: Fingerprint,
  subject: z.string(),
  issuer: z.string(),
  validFrom: z.string(),
  validTo: z.string(),
  altNames: z.string(),
});
export type CertificateFacts = z.infer<typeof CertificateFacts>;

/**
 * What a first look at an address tells; nothing secret was sent.
 * `trust`: `plain` no TLS (only accepted for this computer) · `system` valid by the system's authorities · `unknown`
 * has to be trusted by hand; `reason` says why (`selfSigned`, `wrongHost`, `expired`, `notYetValid`, `untrusted`).
 */
export const ProbeResult = z.object({
  address: z.string(),
  trust: z.enum(['plain', 'system', 'unknown']),
  reason: z.enum(['selfSigned', 'wrongHost', 'expired', 'notYetValid', 'untrusted']).nullable(),
  certificate: CertificateFacts.nullable(),
  /** Version that the server's own description names, if it has one. */
  version: z.string().nullable(),
});
export type ProbeResult = z.infer<typeof ProbeResult>;
