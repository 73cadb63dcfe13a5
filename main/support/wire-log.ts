import type { WireExchange } from '../api/transport.ts';
import { redactExchange } from './redact-exchange.ts';

const mostKept = 200;

/**
 * The last requests to each server as they went over the wire, without their bodies: those of no endpoint too, such as the
 * look at what a server is, the sign-in and the stream of events. Redacted before they are kept.
 */
export function createWireLog() {
  const rings = new Map<string, WireExchange[]>();
  return {
    note: (id: string, exchange: WireExchange): void => {
      const ring = rings.get(id) ?? [];
      rings.set(id, ring);
      ring.push(redactExchange(exchange) as WireExchange);
      if (ring.length > mostKept) ring.shift();
    },
    of: (id: string): readonly WireExchange[] => rings.get(id) ?? [],
    forget: (ids: readonly string[]): void => {
      for (const id of rings.keys()) if (!ids.includes(id)) rings.delete(id);
    },
  };
}
