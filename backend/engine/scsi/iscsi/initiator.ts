import { randomBytes } from 'node:crypto';
import { DeviceError } from '../../device-error.ts';
import type { ScsiTransport } from '../transport.ts';
import type { ChapCredentials } from './chap.ts';
import { openConnection, type PduConnection, type PortalAddress, portalName } from './connection.ts';
import { type DiscoveredTarget, sendTargets } from './discover.ts';
import { type LoginRequest, login } from './login.ts';
import { createSession, type IscsiSession, type SessionTimes, usualTimes } from './session.ts';

export interface IscsiPortal extends PortalAddress {
  /** Null: the portal asks for none. */
  readonly credentials: ChapCredentials | null;
}

export interface IscsiOptions {
  /** Name of this host as an initiator (`iqn.…`), which targets may give rights to. */
  readonly initiatorName: string;
  /** For connection and login together. */
  readonly loginMs?: number;
  readonly times?: SessionTimes;
}

const usualLoginMs = 15_000;

/** The targets of a portal. Rejects as a `ScsiTransport` does. */
export async function discoverTargets(
  portal: IscsiPortal,
  options: IscsiOptions,
  signal?: AbortSignal,
): Promise<readonly DiscoveredTarget[]> {
  return withLogin(
    portal,
    null,
    { options, sessionId: newSessionId(), signal },
    async (connection, session) => {
      const limits = { timeoutMs: options.loginMs ?? usualLoginMs, signal };
      const targets = await sendTargets(connection, session, limits);
      const { times = usualTimes } = options;
      await createSession(connection, session, { name: portalName(portal), times }).close();
      return targets;
    },
  );
}

/**
 * A target at a portal. Logs in at the first command, and again when the session was lost; the units then report a reset
 * before anything else (unit attention), by which their drivers know it.
 */
export function createIscsiTransport(
  portal: IscsiPortal,
  targetName: string,
  options: IscsiOptions,
): ScsiTransport {
  const name = `${portalName(portal)}/${targetName}`;
  const sessionId = newSessionId();
  let session: IscsiSession | null = null;
  let opening: Promise<IscsiSession> | null = null;
  let isClosed = false;
  const closing = new AbortController();

  const open = (): Promise<IscsiSession> =>
    withLogin(
      portal,
      targetName,
      { options, sessionId, signal: closing.signal },
      async (connection, parameters) =>
        createSession(connection, parameters, { name, times: options.times ?? usualTimes }),
    );
  const current = async (): Promise<IscsiSession> => {
    if (isClosed) throw new DeviceError('cancelled', `${name}: the session was closed.`);
    if (session !== null && !session.isOver) return session;
    opening ??= open().finally(() => {
      opening = null;
    });
    session = await opening;
    return session;
  };
  return {
    execute: (command) => {
      // At once where there is a session: who works on while the device does must not hold the command back.
      if (!isClosed && session !== null && !session.isOver) return session.execute(command);
      return unlessAborted(current(), command.signal, name).then((opened) => opened.execute(command));
    },
    close: async () => {
      isClosed = true;
      closing.abort();
      // What came of a login that was under way is no longer asked for.
      const last = (await opening?.catch(() => null)) ?? session;
      await last?.close();
    },
  };
}

/** A login that others wait for too goes on when one of them gives up. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined, name: string): Promise<T> {
  if (signal === undefined) return work;
  let giveUp: () => void = () => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    giveUp = () => reject(new DeviceError('cancelled', `${name}: it was cancelled.`));
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}

async function withLogin<T>(
  portal: IscsiPortal,
  targetName: string | null,
  how: {
    readonly options: IscsiOptions;
    readonly sessionId: Uint8Array;
    readonly signal?: AbortSignal | undefined;
  },
  work: (connection: PduConnection, parameters: Awaited<ReturnType<typeof login>>) => Promise<T>,
): Promise<T> {
  const { options, sessionId, signal } = how;
  const timeoutMs = options.loginMs ?? usualLoginMs;
  const started = performance.now();
  const heed = signal === undefined ? {} : { signal };
  const connection = await openConnection(portal, { timeoutMs, ...heed });
  const request: LoginRequest = {
    initiatorName: options.initiatorName,
    targetName,
    credentials: portal.credentials,
    sessionId,
    timeoutMs: Math.max(1, timeoutMs - (performance.now() - started)),
    ...heed,
  };
  try {
    return await work(connection, await login(connection, request));
  } catch (error) {
    connection.destroy();
    throw at(portal, error);
  }
}

/** Errors of the connection itself name the portal already. */
function at(portal: IscsiPortal, error: unknown): unknown {
  const name = portalName(portal);
  if (!(error instanceof DeviceError) || error.message.startsWith(name)) return error;
  return new DeviceError(error.kind, `${name}: ${error.message}`, { cause: error });
}

/** ISID of the random kind (RFC 7143, 11.12.5). */
function newSessionId(): Uint8Array {
  return Uint8Array.from([0x80, ...randomBytes(3), ...randomBytes(2)]);
}
