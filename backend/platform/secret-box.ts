import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { chmod, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { syncDirectory } from './files.ts';
import { errorCode } from './native.ts';

/** Seals texts for the database; the key lies beside it, never in it. */
export interface SecretBox {
  /** `purpose` is bound to the sealed text: one that was made for another purpose does not open. */
  seal(text: string, purpose: string): string;
  /** Throws when the text was changed, was sealed with another key or for another purpose. */
  open(sealed: string, purpose: string): string;
}

const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/** The key in the data directory, made at its first use and readable by nobody else. */
export async function openSecretBox(dataDir: string): Promise<SecretBox> {
  const key = await keyIn(dataDir);
  return {
    seal: (text, purpose) => {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(purpose));
      const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return sealed.toString('base64url');
    },
    open: (sealed, purpose) => {
      const bytes = Buffer.from(sealed, 'base64url');
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes), {
        authTagLength: tagBytes,
      }).setAAD(Buffer.from(purpose));
      decipher.setAuthTag(bytes.subarray(-tagBytes));
      const opened = decipher.update(bytes.subarray(nonceBytes, -tagBytes));
      return Buffer.concat([opened, decipher.final()]).toString('utf8');
    },
  };
}

async function keyIn(dataDir: string): Promise<Buffer> {
  const file = join(dataDir, 'secret-key');
  try {
    const handle = await open(file, 'wx', 0o600);
    try {
      await handle.writeFile(randomBytes(keyBytes));
      await handle.sync();
    } finally {
      await handle.close();
    }
    await syncDirectory(dataDir);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
  await chmod(file, 0o600);
  const key = await readFile(file);
  if (key.length !== keyBytes) {
    throw new Error(
      `${file} is not a key: it must have ${keyBytes} bytes. Restore it from a copy of the data directory.`,
    );
  }
  return key;
}
