import { createHash, randomBytes } from 'node:crypto';

/** How copies can be encrypted; without it a copy is as it is. */
export type CopyCipher = 'aes-256-gcm' | 'age';
export const COPY_CIPHERS: readonly CopyCipher[] = ['aes-256-gcm', 'age'];

export const CLIENT_KEY_BYTES = 32;

/** What opens all copies of one client. Never leaves the client; only its `id` is stored with copies. */
export type ClientKey =
  | { readonly cipher: 'aes-256-gcm'; readonly id: string; readonly key: Uint8Array }
  | { readonly cipher: 'age'; readonly id: string; readonly identity: string; readonly recipient: string };

/** Loaded when it is needed: it reckons with curves while it loads. */
const library = () => import('age-encryption');

export async function newClientKey(cipher: CopyCipher): Promise<ClientKey> {
  if (cipher !== 'age') return aesKey(randomBytes(CLIENT_KEY_BYTES));
  const { generateX25519Identity } = await library();
  return ageKey(await generateX25519Identity());
}

/** The text of a key's file. That of age is the one that `age-keygen` writes, so `age -d -i <file>` takes it. */
export function clientKeyText(key: ClientKey): string {
  if (key.cipher === 'age') return `# public key: ${key.recipient}\n${key.identity}\n`;
  return `# key: ${key.id}\n${Buffer.from(key.key).toString('hex')}\n`;
}

/** Null when the text is no key: it was cut off or changed. */
export async function parseClientKey(cipher: CopyCipher, text: string): Promise<ClientKey | null> {
  const [line, ...more] = text.split('\n').filter((each) => each.trim() !== '' && !each.startsWith('#'));
  if (line === undefined || more.length > 0) return null;
  if (cipher === 'age') return await ageKey(line.trim()).catch(() => null);
  if (!/^[0-9a-f]{64}$/.test(line.trim())) return null;
  const key = aesKey(Buffer.from(line.trim(), 'hex'));
  // A digit that was changed makes another key; the comment tells.
  const named = /^# key: ([0-9a-f]+)/m.exec(text)?.[1];
  return named === undefined || named === key.id ? key : null;
}

function aesKey(key: Uint8Array): ClientKey {
  return { cipher: 'aes-256-gcm', id: keyId(key), key };
}

async function ageKey(identity: string): Promise<ClientKey> {
  const { identityToRecipient } = await library();
  const recipient = await identityToRecipient(identity);
  return { cipher: 'age', id: keyId(Buffer.from(recipient, 'utf8')), identity, recipient };
}

/** Tells keys apart and gives nothing of them away. */
function keyId(bytes: Uint8Array): string {
  return createHash('sha256').update('strongroom client key\n').update(bytes).digest('hex').slice(0, 32);
}
