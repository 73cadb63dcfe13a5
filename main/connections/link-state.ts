import type { ConnectionState } from '../../contract/desktop/connection.ts';
import type { Problem } from '../../contract/problem.ts';

export function firstState(now: number): ConnectionState {
  return {
    phase: 'connecting',
    since: now,
    detail: null,
    problem: null,
    retryAt: null,
    user: null,
    roles: [],
    permissions: [],
    serviceMode: null,
    extensions: [],
    serverVersion: null,
    clockSkewMs: null,
    live: false,
    lastSuccessLogin: null,
    lastFailLogin: null,
  };
}

/** The next state; `since` stays while the phase does. */
export function nextState(
  state: ConnectionState,
  change: Partial<ConnectionState>,
  now: number,
): ConnectionState {
  const samePhase = change.phase === undefined || change.phase === state.phase;
  return { ...state, ...change, since: samePhase ? state.since : now };
}

/** What a failure of any call says about the connection as a whole; null when it is that call's own affair. */
export function phaseAfter(problem: Problem): 'signIn' | 'unreachable' | 'certificate' | null {
  if (problem.kind === 'signIn' || problem.kind === 'keychain') return 'signIn';
  if (problem.kind === 'unreachable') return 'unreachable';
  if (problem.kind === 'certificate') return 'certificate';
  return null;
}

/** A clock is read once a second at best; smaller differences are none. */
export function isOtherSkew(before: number | null, skewMs: number): boolean {
  return before === null || Math.abs(before - skewMs) > 1_500;
}
