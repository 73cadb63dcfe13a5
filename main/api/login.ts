import type { Session as LoginAnswer } from '../../contract/auth/auth.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { ProblemError, problemOf } from '../platform/problem-error.ts';
import { t } from '../texts/index.ts';
import { readAnswer } from './answer.ts';
import { endpoints } from './endpoints.ts';
import { apiRoot, buildRequest } from './request.ts';
import type { Transport } from './transport.ts';

/** `five`: the login knows `auth_type` and `domain`; `three`: an older server; `unknown`: it does not describe itself. */
export type LoginForm = 'three' | 'five' | 'unknown';

export interface Account {
  readonly database: string;
  readonly userName: string;
  readonly authType: 'database' | 'domain';
  readonly domain: string;
}

export interface ServerDescription {
  readonly loginForm: LoginForm;
  readonly version: string | null;
}

const descriptions = ['/openapi.json', '/swagger.json'];
const mostDescriptionChars = 8 * 1024 * 1024;

/** What a server says about itself to anyone; nothing secret is sent. Throws only when there is no answer at all. */
export async function describeServer(transport: Transport, signal?: AbortSignal): Promise<ServerDescription> {
  for (const path of descriptions) {
    const answer = await transport.send(
      { method: 'GET', path: `${apiRoot}${path}`, headers: { accept: 'application/json' }, body: null },
      signal,
    );
    if (answer.status !== 200 || answer.text.length > mostDescriptionChars) continue;
    const described = readDescription(answer.text);
    if (described) return described;
  }
  return { loginForm: 'unknown', version: null };
}

function readDescription(text: string): ServerDescription | null {
  try {
    const page = JSON.parse(text) as {
      readonly info?: { readonly version?: unknown };
      readonly paths?: unknown;
    };
    if (typeof page.paths !== 'object' || page.paths === null) return null;
    const version = page.info?.version;
    return {
      loginForm: text.includes('"auth_type"') ? 'five' : 'three',
      version: typeof version === 'string' ? version.slice(0, 64) : null,
    };
  } catch {
    // Not a description; another address may have one.
    return null;
  }
}

/**
 * One attempt. Wrong passwords count against the account on the server, so nothing is repeated here, an empty password
 * is never sent, and a domain goes only to a server that is known to understand it.
 */
export async function logIn(
  transport: Transport,
  account: Account,
  password: string,
  loginForm: LoginForm,
  signal?: AbortSignal,
): Promise<LoginAnswer> {
  if (password === '')
    throw new ProblemError({
      kind: 'keychain',
      message: t('signIn.noPassword'),
      code: 'noPassword',
      errors: { password: t('signIn.emptyPassword') },
    });
  if (account.authType === 'domain' && loginForm !== 'five')
    throw new ProblemError({
      kind: 'refused',
      message: t('signIn.noDomains'),
      code: 'noDomainAccounts',
      errors: { authType: t('signIn.noDomainsField') },
    });
  const endpoint: Endpoint = (await endpoints())['auth.login'];
  const short = { backup_database: account.database, backup_user: account.userName, password };
  const long = {
    ...short,
    auth_type: account.authType,
    ...(account.authType === 'domain' ? { domain: account.domain } : {}),
  };
  const request = buildRequest(endpoint, { body: loginForm === 'five' ? long : short });
  const answer = await transport.send(
    { ...request, headers: { accept: 'application/json', 'content-type': 'application/json' } },
    signal,
  );
  try {
    return readAnswer(endpoint, answer) as LoginAnswer;
  } catch (error) {
    const problem = problemOf(error);
    if (problem?.kind !== 'signIn') throw error;
    // A refused login is an answer to this form, not the end of a session.
    throw new ProblemError({ ...problem, kind: 'refused', code: 'login' }, { cause: error });
  }
}
