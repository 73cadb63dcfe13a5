import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher, Pool } from 'undici';
import { cancelled, codeOf, messageOf, ProblemError } from '../platform/problem-error.ts';
import { untilAborted } from '../platform/waiting.ts';
import { t } from '../texts/index.ts';
import { badAnswer, type RawAnswer } from './answer.ts';
import {
  certificateProblem,
  isCertificateError,
  lookAtCertificate,
  type Pin,
  tlsOptions,
} from './certificate.ts';
import { createNameLookup } from './name-lookup.ts';
import { networkProblem } from './network-problem.ts';
import { clientCertificateProblem, type OwnTls, reasonOfEnd } from './own-tls.ts';
import { createPools } from './pools.ts';

export interface Deadlines {
  readonly connectMs: number;
  readonly headersMs: number;
  /** Between two pieces of the answer. */
  readonly stallMs: number;
  /** The whole call, waiting for a free connection included. */
  readonly wholeMs: number;
}

export const usualDeadlines: Deadlines = {
  connectMs: 5_000,
  headersMs: 15_000,
  stallMs: 30_000,
  wholeMs: 120_000,
};

const mostConnections = 6;
const mostAnswerBytes = 32 * 1024 * 1024;
/** A long event stream may be silent for a while; servers send comments in between. */
const streamStallMs = 90_000;

export interface WireRequest {
  readonly method: string;
  /** From the root of the origin, with `/api/v1`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** A request and its answer without their bodies, for whoever looks for what went wrong. Headers may hold secrets. */
export interface WireExchange {
  /** Epoch ms, and how long the head of the answer took. */
  readonly at: number;
  readonly ms: number;
  readonly method: string;
  readonly path: string;
  readonly sent: Readonly<Record<string, string>>;
  /** Null where no answer came; `problem` then says why. */
  readonly status: number | null;
  readonly received: Readonly<Record<string, string>>;
  readonly problem: string | null;
}

export interface OpenStream {
  readonly status: number;
  readonly contentType: string;
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** All traffic with one server. Every way out (call, stream) uses the same trust. */
export interface Transport {
  readonly send: (request: WireRequest, signal?: AbortSignal) => Promise<RawAnswer>;
  readonly openStream: (request: WireRequest, signal: AbortSignal) => Promise<OpenStream>;
  /** Ends every call and connection now. */
  readonly close: () => Promise<void>;
}

const lookup = createNameLookup();

/**
 * One undici pool for calls and one connection of its own for the event stream, both made at the first call. Errors are ProblemErrors: cancelled,
 * unreachable, certificate (after a second look at what the server shows now) or badAnswer.
 */
export function createTransport(options: {
  readonly address: string;
  readonly pin: Pin | null;
  /** Authorities and client certificate of this server alone. */
  readonly own?: OwnTls | null;
  readonly deadlines?: Partial<Deadlines>;
  readonly onExchange?: ((exchange: WireExchange) => void) | undefined;
}): Transport {
  const { address, pin, own = null } = options;
  const deadlines = { ...usualDeadlines, ...options.deadlines };
  const { origin, pathname } = new URL(address);
  const basePath = pathname.replace(/\/$/, '');
  const common = {
    connect: {
      timeout: deadlines.connectMs,
      lookup,
      autoSelectFamily: true,
      // A resumed TLS session would skip the look at the certificate.
      maxCachedSessions: 0,
      ...tlsOptions(pin, own),
    } as Pool.Options['connect'] & object,
    headersTimeout: deadlines.headersMs,
    allowH2: false,
    pipelining: 1,
  };
  const pools = createPools(origin, {
    calls: {
      ...common,
      connections: mostConnections,
      bodyTimeout: deadlines.stallMs,
      maxResponseSize: mostAnswerBytes,
    },
    stream: { ...common, connections: 1, bodyTimeout: streamStallMs },
  });

  const explain = async (error: unknown, signal: AbortSignal | undefined): Promise<Error> => {
    if (error instanceof ProblemError) return error;
    if (signal?.aborted) return cancelled();
    if (codeOf(error) === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return badAnswer(t('answers.tooLarge'));
    const end = await reasonOfEnd(error, address, { lookup, ...tlsOptions(pin, own) });
    const refusedUs = clientCertificateProblem(end, own);
    if (refusedUs) return refusedUs;
    if (!isCertificateError(error)) return new ProblemError(networkProblem(error, address), { cause: error });
    const seen = await lookAtCertificate(address, signal, own);
    return new ProblemError(certificateProblem(seen, pin, own), { cause: error });
  };

  const request = async (
    from: Promise<Pool>,
    wire: WireRequest,
    signal: AbortSignal,
  ): Promise<Dispatcher.ResponseData> => {
    const at = Date.now();
    const began = performance.now();
    const path = `${basePath}${wire.path}`;
    const note = (outcome: Pick<WireExchange, 'status' | 'received' | 'problem'>): void => {
      const ms = Math.round(performance.now() - began);
      options.onExchange?.({ at, ms, method: wire.method, path, sent: wire.headers, ...outcome });
    };
    try {
      const answer = await (await from).request({
        method: wire.method as Dispatcher.HttpMethod,
        path,
        headers: { ...wire.headers },
        body: wire.body,
        signal,
      });
      note({ status: answer.statusCode, received: texts(answer.headers), problem: null });
      return answer;
    } catch (error) {
      note({ status: null, received: {}, problem: codeOf(error) ?? messageOf(error) });
      throw error;
    }
  };

  const send = async (wire: WireRequest, signal?: AbortSignal): Promise<RawAnswer> => {
    const own = new AbortController();
    const give = (): void => own.abort();
    signal?.addEventListener('abort', give, { once: true });
    let late = false;
    const deadline = setTimeout(() => {
      late = true;
      own.abort();
    }, deadlines.wholeMs);
    try {
      if (signal?.aborted) throw cancelled();
      return await untilAborted(request(pools.calls(), wire, own.signal).then(readWhole), own.signal);
    } catch (error) {
      if (late) throw new ProblemError(networkProblem(deadlineError(), address), { cause: error });
      throw await explain(error, signal).catch((other: unknown) => other);
    } finally {
      clearTimeout(deadline);
      signal?.removeEventListener('abort', give);
    }
  };

  return {
    send,
    openStream: async (wire, signal) => {
      try {
        const { statusCode, headers, body } = await untilAborted(
          request(pools.stream(), wire, signal),
          signal,
        );
        return { status: statusCode, contentType: header(headers, 'content-type') ?? '', chunks: body };
      } catch (error) {
        throw await explain(error, signal).catch((other: unknown) => other);
      }
    },
    close: pools.close,
  };
}

async function readWhole({ statusCode, headers, body }: Dispatcher.ResponseData): Promise<RawAnswer> {
  return {
    status: statusCode,
    contentType: header(headers, 'content-type') ?? '',
    totalCount: header(headers, 'x-total-count') ?? null,
    date: header(headers, 'date') ?? null,
    text: await body.text(),
  };
}

function texts(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : String(value),
    ]),
  );
}

function header(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

function deadlineError(): Error {
  return Object.assign(new Error('the call took too long'), { code: 'deadline' });
}
