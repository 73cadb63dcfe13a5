import net from 'node:net';
import { errorCode } from '../../../platform/native.ts';
import { DeviceError, toDeviceError } from '../../device-error.ts';
import { createPduReader, encodePdu, type Pdu, protocolError } from './pdu.ts';

/** Where a target listens. `address` is a name, an IPv4 or an IPv6 address without brackets. */
export interface PortalAddress {
  readonly address: string;
  readonly port: number;
}

export function portalName({ address, port }: PortalAddress): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}

/** What we say that we take, and hold targets to. */
export const maxReceivedBytes = 262_144;
/** A block of a tape with what is around it, or as much of it as the system hands over at once. */
const receiveBytes = 262_144;
/** More than any answer before somebody asked for it. */
const maxUnaskedBytes = 1024 * 1024;
/** A target that does not take what it asked for. */
const maxUnsentBytes = 128 * 1024 * 1024;

export interface PduHandler {
  /** What it throws ends the connection. */
  onPdu(pdu: Pdu): void;
  /** Once, unless the connection was ended with `destroy` before. */
  onEnd(error: DeviceError): void;
}

export interface PduConnection {
  send(header: Buffer, data?: Uint8Array): void;
  /** Null: nobody listens; what comes is kept. An ended connection tells a new handler at once. */
  handle(handler: PduHandler | null): void;
  /** The handler is told `error`. */
  end(error: DeviceError): void;
  /** Silently. */
  destroy(): void;
}

/** Rejects with `transient` when nothing answers within `timeoutMs`, `cancelled` on abort. */
export async function openConnection(
  portal: PortalAddress,
  limits: { readonly timeoutMs: number; readonly signal?: AbortSignal },
): Promise<PduConnection> {
  const name = portalName(portal);
  const { signal, timeoutMs } = limits;
  let take: (chunk: Uint8Array) => void = () => undefined;
  const socket = net.connect({
    host: portal.address,
    port: portal.port,
    noDelay: true,
    // One buffer for all that comes, so that a block of a tape is not read into new memory each time.
    onread: {
      buffer: Buffer.allocUnsafe(receiveBytes),
      callback: (count, buffer) => {
        take(buffer.subarray(0, count));
        return true;
      },
    },
  });
  return new Promise((resolve, reject) => {
    const settle = (work: () => void): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      socket.removeListener('error', onError);
      work();
    };
    const fail = (error: DeviceError): void =>
      settle(() => {
        socket.on('error', () => undefined);
        socket.destroy();
        reject(error);
      });
    const onAbort = (): void => fail(new DeviceError('cancelled', `${name}: it was cancelled.`));
    const onError = (error: Error): void =>
      fail(
        new DeviceError('transient', `${name}: no connection (${errorCode(error) || 'unknown reason'}).`, {
          cause: error,
        }),
      );
    const timer = setTimeout(
      () => fail(new DeviceError('transient', `${name}: no connection within ${timeoutMs / 1000} s.`)),
      timeoutMs,
    );
    signal?.addEventListener('abort', onAbort, { once: true });
    socket.once('error', onError);
    socket.once('connect', () =>
      settle(() => {
        const connection = createConnection(socket, name);
        take = connection.take;
        resolve(connection);
      }),
    );
    if (signal?.aborted) onAbort();
  });
}

function createConnection(
  socket: net.Socket,
  name: string,
): PduConnection & { readonly take: (chunk: Uint8Array) => void } {
  const reader = createPduReader(maxReceivedBytes);
  let handler: PduHandler | null = null;
  let ended: DeviceError | null = null;

  const end = (error: DeviceError): void => {
    if (ended !== null) return;
    ended = error;
    socket.destroy();
    handler?.onEnd(error);
  };
  const giveOut = (): void => {
    try {
      while (handler !== null && ended === null) {
        const pdu = reader.next();
        if (pdu === null) return;
        handler.onPdu(pdu);
      }
      if (ended === null && reader.heldBytes > maxUnaskedBytes) {
        throw protocolError('it sends without being asked');
      }
    } catch (error) {
      end(named(name, error));
    }
  };
  socket.setKeepAlive(true, 60_000);
  socket.on('error', (error) => {
    const why = errorCode(error) || 'unknown reason';
    end(new DeviceError('transient', `${name}: the connection broke (${why}).`, { cause: error }));
  });
  socket.on('close', () => end(new DeviceError('transient', `${name}: the target closed the connection.`)));

  return {
    take: (chunk) => {
      reader.push(chunk);
      giveOut();
    },
    send: (header, data = new Uint8Array(0)) => {
      if (ended !== null) return;
      socket.cork();
      for (const part of encodePdu(header, data)) socket.write(part);
      socket.uncork();
      if (socket.writableLength > maxUnsentBytes) {
        end(new DeviceError('transient', `${name}: the target takes no data.`));
      }
    },
    handle: (next) => {
      handler = next;
      if (handler !== null && ended !== null) handler.onEnd(ended);
      else giveOut();
    },
    end,
    destroy: () => {
      ended ??= new DeviceError('cancelled', `${name}: the connection was closed.`);
      handler = null;
      socket.destroy();
    },
  };
}

/** Says at which portal it happened. */
function named(name: string, error: unknown): DeviceError {
  if (error instanceof DeviceError)
    return new DeviceError(error.kind, `${name}: ${error.message}`, { cause: error });
  const other = toDeviceError(error, name);
  return other instanceof DeviceError
    ? other
    : new DeviceError('permanent', `${name}: its answer could not be used.`, { cause: error });
}
