import { getCiphers } from 'node:crypto';
import type { Aead, Mac } from './aead.ts';
import { nodeAead, nodeMac } from './node-aead.ts';
import { systemCrypto } from './system-crypto.ts';

/** By the library of the system, else by the runtime. */
export function gcm(): Aead {
  return systemCrypto()?.aeads['aes-256-gcm'] ?? nodeAead('aes-256-gcm');
}

/** The same; null where neither has it, as in Electron on a system without a library. */
export function nativeChaCha(): Aead | null {
  const name = 'chacha20-poly1305';
  return systemCrypto()?.aeads[name] ?? (getCiphers().includes(name) ? nodeAead(name) : null);
}

export function mac(): Mac {
  return systemCrypto()?.mac ?? nodeMac;
}
