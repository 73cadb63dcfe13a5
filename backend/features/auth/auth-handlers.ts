import { refusalStatus } from '../../../contract/problem.ts';
import { CustomAnswer, type HandlersOf, type RequestFacts } from '../../http/handler.ts';
import type { AuditEntry } from '../../http/mount.ts';
import { Refusal } from '../../platform/errors.ts';
import type { AuthService, SignedIn } from './auth-service.ts';
import { accessCookie, refreshCookie } from './credentials.ts';
import { LoginFailure } from './login-failure.ts';

export function createAuthHandlers(deps: {
  readonly auth: AuthService;
  recordAudit(entry: AuditEntry): Promise<void>;
}): HandlersOf<'auth.login' | 'auth.logout' | 'auth.refresh' | 'auth.permissions'> {
  const { auth } = deps;
  const note = (
    request: RequestFacts,
    attempt: { readonly userName: string; readonly status: number; readonly details: string },
  ): Promise<void> =>
    deps.recordAudit({
      user: null,
      ...attempt,
      address: request.address,
      action: 'auth.login',
      objectId: null,
    });
  return {
    'auth.login': async ({ body, request }) => {
      const kind =
        body.auth_type === 'domain' ? `login to the domain ${body.domain ?? ''}` : 'database login';
      try {
        const signedIn = await auth.login(body, request);
        await note(request, { userName: signedIn.session.user_name, status: 200, details: kind });
        return withCookies(signedIn);
      } catch (error) {
        const status = error instanceof Refusal ? refusalStatus[error.code] : 500;
        const details = `${kind}: ${reasonOf(error)}`;
        await note(request, { userName: body.backup_user, status, details });
        throw error;
      }
    },
    'auth.refresh': async ({ request }) => withCookies(await auth.refresh(request)),
    'auth.logout': async ({ user }) => {
      await auth.logout(user);
      return new CustomAnswer(null, {
        cookies: [
          { name: accessCookie, value: null },
          { name: refreshCookie, value: null },
        ],
      });
    },
    'auth.permissions': async ({ user }) => auth.permissions(user),
  };
}

/** The true reason, which the caller is not told; a refusal without one says it in its message. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Refusal)) return 'the server failed';
  return error.cause instanceof LoginFailure ? error.cause.message : error.message;
}

function withCookies({ session, tokens }: SignedIn): CustomAnswer<unknown> {
  return new CustomAnswer(session, {
    cookies: [
      { name: accessCookie, value: tokens.accessToken },
      { name: refreshCookie, value: tokens.refreshToken },
    ],
  });
}
