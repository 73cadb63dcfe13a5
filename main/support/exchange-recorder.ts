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

/** In one piece of main's time; longer would be felt by whoever waits for another answer. */
const longestPieceMs = 4;

/** What was asked, and what is still to be redacted before it is kept. */
interface Waiting {
  readonly id: string;
  readonly key: string;
  readonly told: Pick<Exchange, 'at' | 'ms' | 'name' | 'input'>;
  readonly outcome: Exchange['outcome'];
}

/**
 * The last exchanges with each server, in memory only and redacted before they are kept, once the answer is on its way to
 * whoever asked. Bounded: so many exchanges and characters a connection, and of one question only the newest answer.
 */
export function createExchangeRecorder(now: () => number = Date.now) {
  const rings = new Map<string, Held[]>();
  let waiting: Waiting[] = [];

  const later = (one: Waiting): void => {
    waiting.push(one);
    if (waiting.length === 1) setImmediate(keepSome);
  };

  const keepSome = (): void => {
    const began = performance.now();
    let done = 0;
    for (const one of waiting) {
      keep(one);
      done += 1;
      if (performance.now() - began > longestPieceMs) break;
    }
    waiting.splice(0, done);
    if (waiting.length > 0) setImmediate(keepSome);
  };

  /** Whoever looks sees all that was exchanged. */
  const keepAll = (): void => {
    const all = waiting;
    waiting = [];
    for (const one of all) keep(one);
  };

  const keep = ({ id, key, told, outcome }: Waiting): void => {
    const exchange: Exchange = { ...told, outcome: redactOutcome(outcome) };
    const ring = rings.get(id) ?? [];
    rings.set(id, ring);
    for (const held of ring) {
      if (held.key !== key || held.exchange.outcome.kind !== 'answer') continue;
      if (outcome.kind !== 'answer') break;
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
        const asked = redactExchange(input);
        const note = (outcome: Exchange['outcome']): void =>
          later({
            id,
            key: exchangeKey(name, asked),
            told: { at, ms: now() - at, name, input: asked },
            outcome,
          });
        try {
          const value = await call(id, name, input, signal);
          note({ kind: 'answer', value });
          return value;
        } catch (error) {
          const problem = problemOf(error) ?? { kind: 'bug' as const, message: messageOf(error) };
          if (problem.kind !== 'cancelled') note({ kind: 'problem', problem });
          throw error;
        }
      },
    of: (id: string): readonly Exchange[] => {
      keepAll();
      return (rings.get(id) ?? []).map(({ exchange }) => exchange);
    },
    forget: (ids: readonly string[]): void => {
      keepAll();
      for (const id of rings.keys()) if (!ids.includes(id)) rings.delete(id);
    },
  };
}

function redactOutcome(outcome: Exchange['outcome']): Exchange['outcome'] {
  if (outcome.kind === 'answer') return { kind: 'answer', value: redactExchange(outcome.value) };
  if (outcome.kind === 'problem')
    return { kind: 'problem', problem: redactExchange(outcome.problem) as Problem };
  return outcome;
}
