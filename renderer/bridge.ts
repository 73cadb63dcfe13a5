import type { ApiName } from '../contract/api.ts';
import type {
  ApiInput,
  ApiValue,
  Bridge,
  CommandInput,
  CommandName,
  CommandResult,
  EventName,
  EventPayload,
} from '../contract/bridge.ts';
import type { Problem } from '../contract/problem.ts';

declare global {
  interface Window {
    /** Put there by the preload; used in this file only. */
    readonly bridge: Bridge;
  }
}

/** A failure that main told of. `problem` says what happened and what to do. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.message);
    this.problem = problem;
  }
}

export async function command<N extends CommandName>(
  name: N,
  input?: CommandInput<N>,
): Promise<CommandResult<N>> {
  const outcome = await window.bridge.invoke(name, input);
  if (!outcome.ok) throw new ProblemError(outcome.problem);
  return outcome.value;
}

let calls = 0;

/** Calls an endpoint of a connection's server. Aborting the signal gives up at once. */
export async function call<N extends ApiName>(
  connectionId: string,
  name: N,
  input: ApiInput<N>,
  signal?: AbortSignal,
): Promise<ApiValue<N>> {
  calls += 1;
  const callId = `call-${calls}`;
  const cancel = () => {
    command('api.cancel', { callId }).catch(() => undefined);
  };
  signal?.throwIfAborted();
  signal?.addEventListener('abort', cancel, { once: true });
  try {
    // Main has parsed the answer by the endpoint's schema; this is one of the two places where types are bridged.
    return (await command('api.call', { connectionId, name, input, callId })) as ApiValue<N>;
  } finally {
    signal?.removeEventListener('abort', cancel);
  }
}

export type Caller = <N extends ApiName>(
  name: N,
  input: ApiInput<N>,
  signal?: AbortSignal,
) => Promise<ApiValue<N>>;

export function callerOf(connectionId: string): Caller {
  return (name, input, signal) => call(connectionId, name, input, signal);
}

export function on<N extends EventName>(name: N, listener: (payload: EventPayload<N>) => void): () => void {
  return window.bridge.on(name, listener);
}

/** Anything that was thrown, as a problem that can be shown. */
export function problemOf(error: unknown): Problem {
  if (error instanceof ProblemError) return error.problem;
  return { kind: 'bug', message: error instanceof Error ? error.message : String(error) };
}

/** The server was reached and has no answer to this one question; to others it may have. */
export function isWithoutAnswer({ kind }: Problem): boolean {
  return kind === 'refused' || kind === 'badAnswer';
}
