import type { ApiName } from '../../contract/api.ts';
import type { Problem } from '../../contract/problem.ts';
import { messageOf, problemOf } from '../platform/problem-error.ts';
import { exchangeKey } from './exchange-key.ts';
import { redactExchange } from './redact-exchange.ts';

export interface Exchange {
  /** Epoch ms at which the call began, and how long it took. */
  readonly at: number;
  readonly ms: number;
  readonly name: string;
  readonly input: unknown;
  /** What became of it. `later`: the same question was answered again, and only that answer is kept. */
  readonly outcome:
    | { readonly kind: 'answer'; readonly value: unknown }
    | { readonly kind: 'problem'; readonly problem: Problem }
    | { readonly kind: 'later' }
    | { readonly kind: 'tooLarge'; readonly chars: number };
}

export type Call = (id: string, name: ApiName, input: unknown, signal?: AbortSignal) => Promise<unknown>;

const mostExchanges = 400;
const mostAnswerChars = 512 * 1024;
const mostHeldChars = 8 * 1024 * 1024;

interface Held {
  exchange: Exchange;
  readonly key: string;
  chars: number;
}

/**
 * The last exchanges with each server, in memory only and redacted before they are kept. Bounded: so many exchanges and
 * characters a connection, and of one question only the newest answer.
 */
export function createExchangeRecorder(now: () => number = Date.now) {
  const rings = new Map<string, Held[]>();

  const keep = (id: string, exchange: Exchange): void => {
    const ring = rings.get(id) ?? [];
    rings.set(id, ring);
    const key = exchangeKey(exchange.name, exchange.input);
    for (const held of ring) {
      if (held.key !== key || held.exchange.outcome.kind !== 'answer') continue;
      if (exchange.outcome.kind !== 'answer') break;
      held.exchange = { ...held.exchange, outcome: { kind: 'later' } };
      held.chars = 0;
    }
    const chars = JSON.stringify(exchange).length;
    const isTooLarge = chars > mostAnswerChars;
    ring.push({
      key,
      exchange: isTooLarge ? { ...exchange, input: null, outcome: { kind: 'tooLarge', chars } } : exchange,
      chars: isTooLarge ? 0 : chars,
    });
    let sum = ring.reduce((total, held) => total + held.chars, 0);
    while (ring.length > mostExchanges || sum > mostHeldChars) sum -= ring.shift()?.chars ?? 0;
  };

  return {
    /** The same call, and what became of it is kept. What was given up says nothing about the server. */
    watch:
      (call: Call): Call =>
      async (id, name, input, signal) => {
        const at = now();
        const told = { at, name, input: redactExchange(input) };
        try {
          const value = await call(id, name, input, signal);
          keep(id, { ...told, ms: now() - at, outcome: { kind: 'answer', value: redactExchange(value) } });
          return value;
        } catch (error) {
          const problem = problemOf(error) ?? { kind: 'bug' as const, message: messageOf(error) };
          if (problem.kind !== 'cancelled')
            keep(id, {
              ...told,
              ms: now() - at,
              outcome: { kind: 'problem', problem: redactExchange(problem) as Problem },
            });
          throw error;
        }
      },
    of: (id: string): readonly Exchange[] => (rings.get(id) ?? []).map(({ exchange }) => exchange),
    forget: (ids: readonly string[]): void => {
      for (const id of rings.keys()) if (!ids.includes(id)) rings.delete(id);
    },
  };
}
