import net from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { Client } from 'ldapts';
import { DirectoryError, directoryErrorOf } from './directory-errors.ts';

/** All that is needed to talk to the controller, secrets included. */
export interface DirectorySettings {
  readonly protocol: 'ldap' | 'ldaps';
  readonly address: string;
  readonly port: number;
  readonly domain: string;
  readonly login: string;
  readonly password: string;
  readonly userSearchBase: string;
  readonly groupSearchBase: string;
  /** PEM, or null for the authorities that this system trusts. */
  readonly rootCert: string | null;
  /** PEM with a certificate and its key. */
  readonly clientCert: string | null;
}

/** For one answer of the controller, and for connecting to it. */
const answerWithinMs = 5_000;
/** For everything that one question to the directory takes together. */
const inAllMs = 10_000;
/** A controller keeps few callers waiting at its door: more of ours than this wait here. */
const mostAtOnce = 8;

let running = 0;
const waiting = new Set<() => void>();

/** Waits for one of the few places; throws when it took too long, for the caller waits as well. */
async function takePlace(): Promise<void> {
  if (running < mostAtOnce) {
    running += 1;
    return;
  }
  await new Promise<void>((resolve, reject) => {
    const go = (): void => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(() => {
      waiting.delete(go);
      reject(new DirectoryError('unreachable', 'too many questions to it are still without an answer'));
    }, inAllMs);
    waiting.add(go);
  });
}

/** Who waits longest gets the place at once, so that nobody slips in between. */
function leavePlace(): void {
  const [next] = waiting;
  if (next === undefined) {
    running -= 1;
    return;
  }
  waiting.delete(next);
  next();
}

/** Connects, runs `work` and closes the connection, all within a deadline. Throws DirectoryError. */
export async function withDirectory<R>(
  settings: DirectorySettings,
  work: (client: Client) => Promise<R>,
): Promise<R> {
  await takePlace();
  const client = newClient(settings);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new DirectoryError('unreachable', `it did not answer within ${inAllMs / 1000} seconds`));
    }, inAllMs);
  });
  const session = secured(client, settings).then(() => work(client));
  // When the deadline wins, what the abandoned session says afterwards is of no interest.
  session.catch(() => undefined);
  try {
    return await Promise.race([session, late]);
  } catch (error) {
    throw directoryErrorOf(error);
  } finally {
    clearTimeout(timer);
    // The answer is known; a controller that is slow to say goodbye must not hold it up.
    client.unbind().catch(() => undefined);
    leavePlace();
  }
}

function newClient(settings: DirectorySettings): Client {
  const host = net.isIPv6(settings.address) ? `[${settings.address}]` : settings.address;
  return new Client({
    url: `${settings.protocol}://${host}:${settings.port}`,
    timeout: answerWithinMs,
    connectTimeout: answerWithinMs,
    strictDN: false,
    ...(settings.protocol === 'ldaps' ? { tlsOptions: tlsOptions(settings) } : {}),
  });
}

/** A plain connection is encrypted before a password goes over it, if the authority to trust is known. */
async function secured(client: Client, settings: DirectorySettings): Promise<void> {
  if (settings.protocol !== 'ldap' || settings.rootCert === null) return;
  await client.startTLS({ ...tlsOptions(settings), host: settings.address });
}

function tlsOptions(settings: DirectorySettings): ConnectionOptions {
  const { address, rootCert, clientCert } = settings;
  return {
    minVersion: 'TLSv1.2',
    rejectUnauthorized: true,
    ...(net.isIP(address) === 0 ? { servername: address } : {}),
    ...(rootCert === null ? {} : { ca: [rootCert] }),
    ...(clientCert === null ? {} : { cert: clientCert, key: clientCert }),
  };
}
