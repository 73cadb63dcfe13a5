import { type Aead, aead } from '../../platform/aead.ts';

/** AES-256-GCM, which every runtime has. */
export function gcm(): Aead {
  const calls = aead('aes-256-gcm');
  if (calls === null) throw new Error('this runtime has no aes-256-gcm');
  return calls;
}
