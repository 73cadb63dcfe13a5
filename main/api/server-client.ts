import type { Api, ApiName } from '../../contract/api.ts';
import type { Session as LoginAnswer } from '../../contract/auth/auth.ts';
import type { ApiInput, ApiValue } from '../../contract/bridge.ts';
import { judgeSkew } from '../../contract/desktop/clock-skew.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { codeOf, ProblemError, problemOf } from '../platform/problem-error.ts';
import { t } from '../texts/index.ts';
import { badAnswer, problemOfStatus, type RawAnswer, readAnswer } from './answer.ts';
import { endpoints } from './endpoints.ts';
import { type ApiRequest, apiRoot, buildRequest } from './request.ts';
import type { Session, Tokens } from './session.ts';
import { createSharedReads } from './shared-reads.ts';
import type { OpenStream, Transport } from './transport.ts';

export interface ServerClientDeps {
  readonly transport: Transport;
  readonly session: Session;
  /** Called with every new set of tokens, so that the keychain can follow, and with null when they are over. */
  readonly onTokens: (tokens: Tokens | null) => void;
  /** Who is signed in, as a login or a renewal tells. */
  readonly onLogin?: (login: LoginAnswer) => void;
  /** Server clock minus this computer's, from the answers' `Date`. */
  readonly onClockSkew: (skewMs: number) => void;
  /** Signs in anew without a person (the local backend's launch secret), when a renewal was refused. */
  readonly signInAgain?: () => Promise<LoginAnswer>;
  readonly now: () => number;
}

export interface ServerClient {
  readonly call: <N extends ApiName>(
    name: N,
    input?: ApiInput<N>,
    signal?: AbortSignal,
  ) => Promise<ApiValue<N>>;
  /** As `call`, for input that came from the window and is not typed yet. */
  readonly callUnchecked: (name: ApiName, input: unknown, signal?: AbortSignal) => Promise<unknown>;
  /** Takes over what a login answered. */
  readonly adopt: (login: LoginAnswer) => void;
  /** Renews now; one at a time. A refusal ends the session. */
  readonly renew: () => Promise<void>;
  readonly openEvents: (lastEventId: string | null, signal: AbortSignal) => Promise<OpenStream>;
}

/**
 * The client of one server, derived from the contract. Each call carries the bearer token, each write the CSRF token
 * as well. A 401 renews the tokens once, together with all others that met one, and repeats the call once: the server
 * refused it before doing anything. Nothing else is ever repeated, since a write may have been done.
 */
export function createServerClient(deps: ServerClientDeps): ServerClient {
  const { transport, session } = deps;
  const shareRead = createSharedReads();
  /** As the last answer told. */
  let skewMs: number | null = null;

  const adopt = (login: LoginAnswer): void => {
    const { access_token: access, refresh_token: refresh, csrf_token: csrf } = login;
    // Read tolerantly, any of them may be missing; only the access token is needed to go on.
    if (!access) throw badAnswer(t('answers.noToken'));
    const tokens = { access, refresh: refresh ?? '', csrf: csrf ?? '' };
    session.set(tokens);
    deps.onTokens(tokens);
    deps.onLogin?.(login);
  };

  const end = (): void => {
    if (session.tokens() === null) return;
    session.set(null);
    deps.onTokens(null);
  };

  const renewNow = async (): Promise<void> => {
    const tokens = session.tokens();
    try {
      if (!tokens || tokens.refresh === '') throw sessionOver();
      adopt((await refresh(tokens)) as LoginAnswer);
    } catch (error) {
      if (problemOf(error)?.kind !== 'signIn') throw error;
      if (!deps.signInAgain) {
        end();
        throw error;
      }
      adopt(await deps.signInAgain());
    }
  };

  /** Both tokens are shown; the access token may have expired. */
  const refresh = async (tokens: Tokens): Promise<unknown> => {
    const endpoint: Endpoint = (await endpoints())['auth.refresh'];
    const answer = await transport.send({
      method: endpoint.method,
      path: `${apiRoot}${endpoint.path}`,
      headers: {
        accept: 'application/json',
        authorization: `Bearer ${tokens.refresh}`,
        'authorization-access-token': `Bearer ${tokens.access}`,
        ...(tokens.csrf === '' ? {} : { 'x-csrf-token': tokens.csrf }),
      },
      body: null,
    });
    noteClock(answer);
    // 422 is what some login libraries say to a token that they cannot read.
    if (answer.status === 401 || answer.status === 422) throw sessionOver(answer);
    return readAnswer(endpoint, answer);
  };

  const renew = (): Promise<void> => session.renewOnce(renewNow);

  const noteClock = ({ date }: RawAnswer): void => {
    const time = date === null ? Number.NaN : Date.parse(date);
    if (Number.isNaN(time)) return;
    skewMs = time - deps.now();
    deps.onClockSkew(skewMs);
  };

  const sendOnce = async (
    endpoint: Endpoint,
    request: ApiRequest,
    signal?: AbortSignal,
  ): Promise<RawAnswer> => {
    const answer = await transport.send(
      { ...request, headers: headersFor(endpoint, request, session.tokens()) },
      signal,
    );
    noteClock(answer);
    return answer;
  };

  /** A kept connection that the server has just closed fails before the call was read: reads try once more. */
  const sendSurely = async (
    endpoint: Endpoint,
    request: ApiRequest,
    signal?: AbortSignal,
  ): Promise<RawAnswer> => {
    try {
      return await sendOnce(endpoint, request, signal);
    } catch (error) {
      const wasClosed = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(
        codeOf(error) ?? problemOf(error)?.code ?? '',
      );
      if (request.method !== 'GET' || !wasClosed) throw error;
      return sendOnce(endpoint, request, signal);
    }
  };

  const perform = async (endpoint: Endpoint, request: ApiRequest, signal?: AbortSignal): Promise<unknown> => {
    if (endpoint.permission === 'public')
      return readAnswer(endpoint, await sendSurely(endpoint, request, signal));
    if (session.tokens() === null && !deps.signInAgain) throw sessionOver();
    if (session.tokens() === null || session.isNearExpiry()) await renew();
    const used = session.generation();
    const first = await sendSurely(endpoint, request, signal);
    if (first.status !== 401) return readAnswer(endpoint, first);
    if (session.generation() === used) await renew();
    const second = await sendOnce(endpoint, request, signal);
    if (second.status === 401) {
      end();
      throw sessionOver(second);
    }
    return readAnswer(endpoint, second);
  };

  const callUnchecked: ServerClient['callUnchecked'] = async (name, input, signal) => {
    const endpoint: Endpoint = (await endpoints())[name];
    if (endpoint.stream)
      throw new ProblemError({ kind: 'bug', message: t('calls.notACall', { name }), code: 'stream' });
    const request = buildRequest(endpoint, input);
    if (deletions.includes(name) && judgeSkew(skewMs) === 'noDeletions') {
      throw clocksDisagree(deps.now(), skewMs ?? 0);
    }
    if (request.method !== 'GET') return perform(endpoint, request, signal);
    return shareRead(`${name} ${request.path}`, signal, (shared) => perform(endpoint, request, shared));
  };

  return {
    callUnchecked,
    // The one place where what was read by a declaration gets the declaration's type.
    call: async (name, input, signal) => (await callUnchecked(name, input, signal)) as ApiValue<typeof name>,
    adopt,
    renew,
    openEvents: async (lastEventId, signal) => {
      const endpoint: Api['events.stream'] = (await endpoints())['events.stream'];
      const tokens = session.tokens();
      return transport.openStream(
        {
          method: endpoint.method,
          path: `${apiRoot}${endpoint.path}`,
          headers: {
            accept: 'text/event-stream',
            ...(tokens ? { authorization: `Bearer ${tokens.access}` } : {}),
            ...(lastEventId === null ? {} : { 'last-event-id': lastEventId }),
          },
          body: null,
        },
        signal,
      );
    },
  };
}

/** What takes copies away for good. */
const deletions: readonly ApiName[] = ['repository.delete', 'repository.deleteMany'];

function clocksDisagree(nowMs: number, skewMs: number): ProblemError {
  const here = new Date(nowMs).toISOString();
  const there = new Date(nowMs + skewMs).toISOString();
  return new ProblemError({
    kind: 'local',
    message: t('calls.clocksDisagree', { there, here }),
    code: 'clockSkew',
    facts: { 'clock of the server': there, 'clock of this computer': here },
  });
}

function headersFor(
  endpoint: Endpoint,
  request: ApiRequest,
  tokens: Tokens | null,
): Readonly<Record<string, string>> {
  const headers: Record<string, string> = { accept: 'application/json' };
  if (request.body !== null) headers['content-type'] = 'application/json';
  if (endpoint.permission === 'public' || !tokens) return headers;
  headers.authorization = `Bearer ${tokens.access}`;
  if (request.method !== 'GET' && tokens.csrf !== '') headers['x-csrf-token'] = tokens.csrf;
  return headers;
}

export function sessionOver(answer?: RawAnswer): ProblemError {
  const said = answer && problemOfStatus(answer);
  return new ProblemError({
    kind: 'signIn',
    message: t('signIn.over'),
    code: 'sessionOver',
    ...(said?.status === undefined ? {} : { status: said.status }),
    ...(said ? { facts: { server: said.message } } : {}),
  });
}
