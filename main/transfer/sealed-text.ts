import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto';
import { z } from 'zod';

/**
 * A text sealed with a passphrase: scrypt makes the key, AES-256-GCM seals, and its tag covers the parameters too. Costs are in
 * the file, so that they can grow; they are capped, so that a crafted file cannot exhaust the memory.
 */
const Sealed = z.object({
  format: z.string(),
  version: z.literal(1),
  kdf: z.object({
    name: z.literal('scrypt'),
    n: z
      .int()
      .min(2 ** 14)
      .max(2 ** 18),
    r: z.int().min(1).max(16),
    p: z.int().min(1).max(4),
    salt: z.base64().max(100),
  }),
  cipher: z.literal('aes-256-gcm'),
  nonce: z.base64().max(100),
  tag: z.base64().max(100),
  text: z.base64(),
});
type Sealed = z.infer<typeof Sealed>;

const costs = { name: 'scrypt', n: 2 ** 16, r: 8, p: 1 } as const;
const nonceBytes = 12;
const tagBytes = 16;

/** The passphrase is another one, or the bytes were changed; which of the two cannot be told. */
export class CannotOpen extends Error {
  override readonly name = 'CannotOpen';
}

export async function sealText(format: string, text: string, passphrase: string): Promise<string> {
  const head = {
    format,
    version: 1,
    kdf: { ...costs, salt: randomBytes(32).toString('base64') },
    cipher: 'aes-256-gcm',
    nonce: randomBytes(nonceBytes).toString('base64'),
  } as const;
  const key = await keyOf(passphrase, head.kdf);
  const cipher = createCipheriv('aes-256-gcm', key, Buffer.from(head.nonce, 'base64'));
  cipher.setAAD(boundTo(head));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  const whole = { ...head, tag: cipher.getAuthTag().toString('base64'), text: sealed.toString('base64') };
  return `${JSON.stringify(whole, null, 2)}\n`;
}

/** Null: this is no sealed text of the format. */
export function asSealed(format: string, json: unknown): Sealed | null {
  const parsed = Sealed.safeParse(json);
  return parsed.success && parsed.data.format === format ? parsed.data : null;
}

/** Throws `CannotOpen`. */
export async function openSealed(sealed: Sealed, passphrase: string): Promise<string> {
  const nonce = Buffer.from(sealed.nonce, 'base64');
  const tag = Buffer.from(sealed.tag, 'base64');
  // A shorter tag would be accepted, and is easier to guess.
  if (nonce.length !== nonceBytes || tag.length !== tagBytes) throw new CannotOpen();
  const key = await keyOf(passphrase, sealed.kdf);
  const cipher = createDecipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(boundTo(sealed));
  cipher.setAuthTag(tag);
  try {
    return Buffer.concat([cipher.update(Buffer.from(sealed.text, 'base64')), cipher.final()]).toString(
      'utf8',
    );
  } catch (error) {
    throw new CannotOpen(undefined, { cause: error });
  }
}

type Head = Pick<Sealed, 'format' | 'version' | 'kdf' | 'cipher' | 'nonce'>;

function boundTo({ format, version, kdf, cipher, nonce }: Head): Buffer {
  const { name, n, r, p, salt } = kdf;
  return Buffer.from(JSON.stringify([format, version, name, n, r, p, salt, cipher, nonce]), 'utf8');
}

function keyOf(passphrase: string, { n, r, p, salt }: Sealed['kdf']): Promise<Buffer> {
  const options = { N: n, r, p, maxmem: 256 * n * r };
  return new Promise((resolve, reject) => {
    // Typed the same on every keyboard: letters with accents come composed or not.
    scrypt(passphrase.normalize('NFKC'), Buffer.from(salt, 'base64'), 32, options, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}
