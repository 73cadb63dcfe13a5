import { SecretAnswer, type SecretRequest } from './secret-protocol.ts';

/** A running keychain process as its caller needs it. */
export interface SecretChild {
  readonly post: (request: SecretRequest) => void;
  readonly onMessage: (listener: (message: unknown) => void) => void;
  readonly onExit: (listener: () => void) => void;
  readonly kill: () => void;
}

export type StartSecretChild = () => SecretChild;

/** The keychain process crashed or was silent beyond the limit, twice in a row. */
export class KeychainSilent extends Error {
  override readonly name = 'KeychainSilent';
}

/** The request without its number; each kind of request for itself. */
export type SecretAsk = SecretRequest extends infer R
  ? R extends SecretRequest
    ? Omit<R, 'id'>
    : never
  : never;

export interface KeychainCaller {
  readonly ask: (request: SecretAsk) => Promise<SecretAnswer>;
  /** Forgets a process whose connection to the keychain may be dead; the next call starts a fresh one. */
  readonly restart: () => void;
  readonly close: () => void;
}

/**
 * One request at a time. A process that does not answer within the limit, or dies, is killed and a fresh one gets the
 * same request once; after that the caller is told.
 */
export function createKeychainCaller(start: StartSecretChild, limitMs = 5_000): KeychainCaller {
  let child: Running | null = null;
  let line: Promise<unknown> = Promise.resolve();
  let nextId = 1;
  let closed = false;

  const restart = (): void => {
    child?.kill();
    child = null;
  };

  const tryOnce = async (request: SecretAsk): Promise<SecretAnswer> => {
    if (closed) throw new KeychainSilent('the keychain was closed');
    child ??= startChild(start);
    try {
      return await child.ask({ ...request, id: nextId++ } as SecretRequest, limitMs);
    } catch (error) {
      restart();
      throw error;
    }
  };

  const askSurely = async (request: SecretAsk): Promise<SecretAnswer> => {
    try {
      return await tryOnce(request);
    } catch {
      // Why the first process failed does not matter when a fresh one answers; when not, its reason is told.
      return tryOnce(request);
    }
  };

  return {
    ask: (request) => {
      const work = line.then(() => askSurely(request));
      line = work.catch(() => undefined);
      return work;
    },
    restart,
    close: () => {
      closed = true;
      restart();
    },
  };
}

interface Running {
  readonly ask: (request: SecretRequest, limitMs: number) => Promise<SecretAnswer>;
  readonly kill: () => void;
}

function startChild(start: StartSecretChild): Running {
  const child = start();
  let settle: {
    readonly answer: (value: SecretAnswer) => void;
    readonly fail: (error: Error) => void;
  } | null = null;
  let waitingFor = 0;
  let dead = false;
  child.onMessage((message) => {
    const answer = SecretAnswer.safeParse(message);
    if (answer.success && answer.data.id === waitingFor) settle?.answer(answer.data);
  });
  child.onExit(() => {
    dead = true;
    settle?.fail(new KeychainSilent('the keychain process ended'));
  });
  return {
    ask: async (request, limitMs) => {
      if (dead) throw new KeychainSilent('the keychain process ended');
      waitingFor = request.id;
      let timer: NodeJS.Timeout | undefined;
      try {
        return await new Promise<SecretAnswer>((answer, fail) => {
          settle = { answer, fail };
          timer = setTimeout(() => fail(new KeychainSilent('the keychain did not answer in time')), limitMs);
          child.post(request);
        });
      } finally {
        clearTimeout(timer);
        settle = null;
      }
    },
    kill: () => child.kill(),
  };
}
