import { DeviceError } from '../../device-error.ts';
import type { PduConnection } from './connection.ts';
import type { Pdu } from './pdu.ts';

/** The next PDU that comes, while nobody else listens. Rejects with `transient` when none does in time. */
export function receivePdu(
  connection: PduConnection,
  limits: { readonly timeoutMs: number; readonly signal?: AbortSignal | undefined },
): Promise<Pdu> {
  const { signal } = limits;
  return new Promise((resolve, reject) => {
    const settle = (work: () => void): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      connection.handle(null);
      work();
    };
    const onAbort = (): void => settle(() => reject(new DeviceError('cancelled', 'it was cancelled.')));
    const timer = setTimeout(
      () => settle(() => reject(new DeviceError('transient', 'the target did not answer in time.'))),
      limits.timeoutMs,
    );
    signal?.addEventListener('abort', onAbort, { once: true });
    connection.handle({
      onPdu: (pdu) => settle(() => resolve(pdu)),
      onEnd: (error) => settle(() => reject(error)),
    });
    if (signal?.aborted) onAbort();
  });
}
