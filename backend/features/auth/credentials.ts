import type { RequestFacts } from '../../http/handler.ts';

export const accessCookie = 'access_token_cookie';
export const refreshCookie = 'refresh_token_cookie';

export interface PresentedToken {
  readonly token: string;
  readonly from: 'header' | 'cookie';
}

/** The access token of a request. A header wins and must be valid: there is no falling back to the cookie. */
export function presentedTokens(facts: RequestFacts): PresentedToken | null {
  const header = facts.headers.authorization;
  if (header !== undefined) return { token: bearer(header) ?? '', from: 'header' };
  const cookie = facts.cookies[accessCookie];
  return cookie ? { token: cookie, from: 'cookie' } : null;
}

/** Both tokens of a refresh: both as headers, or both as cookies. */
export function refreshPair(
  facts: RequestFacts,
): { readonly access: string; readonly refresh: string } | null {
  const header = facts.headers.authorization;
  const accessHeader = facts.headers['authorization-access-token'];
  if (header !== undefined || accessHeader !== undefined) {
    const refresh = bearer(header);
    const access = bearer(accessHeader);
    return access && refresh ? { access, refresh } : null;
  }
  const access = facts.cookies[accessCookie];
  const refresh = facts.cookies[refreshCookie];
  return access && refresh ? { access, refresh } : null;
}

function bearer(header: string | undefined): string | null {
  return /^Bearer +(\S+) *$/i.exec(header ?? '')?.[1] ?? null;
}

export function isLoopback(address: string): boolean {
  return address === '::1' || /^(?:::ffff:)?127\./i.test(address);
}
