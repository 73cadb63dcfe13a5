import { z } from 'zod';
import { authTypes, connectionColours, Fingerprint, TlsFiles } from '../../contract/desktop/connection.ts';

/** A saved server. No password, no token: those are in the keychain or nowhere. */
export const Profile = z.object({
  id: z.string().min(1).max(64),
  name: z.string().min(1).max(100),
  kind: z.enum(['local', 'remote']),
  /** Empty for the local backend. */
  address: z.string().max(2048),
  database: z.string().max(255),
  userName: z.string().max(255),
  authType: z.enum(authTypes),
  domain: z.string().max(255),
  remember: z.boolean(),
  // Files of before had none of these.
  group: z.string().max(100).default(''),
  colour: z.enum(connectionColours).catch('none').default('none'),
  zone: z.string().max(100).default(''),
  tls: TlsFiles.optional(),
  loginForm: z.enum(['three', 'five', 'unknown']),
  pin: z.object({ fingerprint: Fingerprint, pem: z.string().max(64 * 1024) }).nullable(),
});
export type Profile = z.infer<typeof Profile>;

export const localProfileId = 'local';

/** Under which name the keychain keeps a session: bound to the origin, so that no other server ever gets its token. */
export function accountKey(profile: Pick<Profile, 'address' | 'authType' | 'domain' | 'userName'>): string {
  const origin = profile.address === '' ? 'local' : profile.address.toLowerCase();
  const domain = profile.authType === 'domain' ? profile.domain.toLowerCase() : '';
  return [origin, profile.authType, domain, profile.userName].map(escapePart).join('|');
}

/** Where the keychain keeps the passphrase of the client certificate's key: five parts, so never the place of a session. */
export function keyPassphraseKey(profile: Parameters<typeof accountKey>[0]): string {
  return `${accountKey(profile)}|tls-key`;
}

/** A user name may hold the separator; two accounts must never share a key. */
function escapePart(part: string): string {
  return part.replace(/[%|]/g, (char) => (char === '%' ? '%25' : '%7C'));
}
