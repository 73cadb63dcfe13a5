import { refusalStatus } from '../../../contract/problem.ts';
import { CustomAnswer, type HandlersOf, type RequestFacts } from '../../http/handler.ts';
import type { AuditEntry } from '../../http/mount.ts';
import { Refusal } from '../../platform/errors.ts';
import type { AuthService, SignedIn } from './auth-service.ts';
import { accessCookie, refreshCookie } from './credentials.ts';

export function createAuthHandlers(deps: {
  readonly auth: AuthService;
  recordAudit(entry: AuditEntry): Promise<void>;
}): HandlersOf<'auth.login' | 'auth.logout' | 'auth.refresh' | 'auth.permissions'> {
  const { auth } = deps;
  const note = (request: RequestFacts, userName: string, status: number): Promise<void> =>
    deps.recordAudit({
      user: null,
      userName,
      address: request.address,
      action: 'auth.login',
      objectId: null,
      status,
    });
  return {
    'auth.login': async ({ body, request }) => {
      try {
        const signedIn = await auth.login(body, request);
        await note(request, signedIn.session.user_name, 200);
        return withCookies(signedIn);
      } catch (error) {
        await note(request, body.backup_user, error instanceof Refusal ? refusalStatus[error.code] : 500);
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

function withCookies({ session, tokens }: SignedIn): CustomAnswer<unknown> {
  return new CustomAnswer(session, {
    cookies: [
      { name: accessCookie, value: tokens.accessToken },
      { name: refreshCookie, value: tokens.refreshToken },
    ],
  });
}
